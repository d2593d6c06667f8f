// SPDX-License-Identifier: Apache-2.0
// Validation by published runs, vision-language runs and serving benchmarks.
#include <fmt/core.h>

#include <algorithm>

#include "report/about/documents.h"
#include "report/about/validate/validation.h"
#include "report/page/page.h"
#include "study/validate/validation_columns.h"

namespace trcost::report {
namespace {

Table run_table(const RunValidation& validation) {
  Table table({{.title = "run", .key = "run", .overflow = Overflow::wrap},
               {.title = "accelerator", .key = "accelerator"},
               number_column("GPU-hours", "reported_gpu_hours"),
               number_column("predicted", "predicted_gpu_hours"),
               number_column("P10", "p10"),
               number_column("P90", "p90"),
               number_column("error", "error"),
               {.title = "inside", .key = "inside"}});
  for (const RunReplay& row : validation.rows) {
    const bool known = row.problem.empty();
    const auto hours = [&](double value) {
      return known ? Cell::number(value, NumberKind::count) : Cell::unknown();
    };
    table.add_row(
        {row.run->name,
         row.accelerator.empty() ? Cell(row.run->accelerator) : Cell(row.accelerator),
         row.reported > 0 ? Cell::number(row.reported, NumberKind::count) : Cell::unknown(),
         hours(row.predicted), hours(row.range.p10), hours(row.range.p90),
         known ? Cell::number(row.error, fmt::format("{:+.0f}%", 100 * row.error))
               : Cell::unknown(),
         known ? Cell(row.inside                     ? "yes"
                      : row.reported > row.range.p90 ? "above"
                                                     : "below")
               : Cell::unknown()});
  }
  return table;
}

Table note_table(const RunValidation& validation) {
  Table table({{.title = "run", .key = "run"},
               {.title = "its GPU-hours", .key = "note", .overflow = Overflow::wrap}});
  for (const RunReplay& row : validation.rows) {
    table.add_row({row.run->name, row.problem.empty() ? row.run->what_is_included : row.problem});
  }
  return table;
}

std::string run_summary(const RunValidation& v) {
  return fmt::format(
      "the 80 % range holds the reported GPU-hours of {} of {} runs ({:.0f} %); {} used less, {} "
      "more. One vote for each of {} families of models, that family left out of the fit: factor "
      "{:.2f}, bias x{:.2f} (fitted {:.2f}, x{:.2f}). Reported / predicted has the median {:.2f}, "
      "|error| {:.0f} %",
      v.inside, v.replayed, 100 * v.coverage, v.below, v.above, v.families, v.left_out_factor,
      v.left_out_bias, v.factor, v.bias, v.median_ratio, 100 * v.median_error);
}

Page run_validation_page(const RunValidation& validation) {
  Page page{"Published runs", made_by(), {}};
  page.add(Grid{run_table(validation)});
  page.add(Paragraph{run_summary(validation)});
  page.add(Heading{"What the published figures include", "or why a run has no prediction"});
  page.add(Grid{note_table(validation)});
  std::vector<MatchPoint> points;
  for (const RunReplay& row : validation.rows) {
    if (!row.problem.empty() || !(row.reported > 0)) continue;
    points.push_back({row.run->name, row.inside ? "inside the 80 % range" : "outside of it",
                      row.reported, row.predicted});
  }
  return page.add(match_curve("Predicted against reported GPU-hours", "reported GPU-hours", points,
                              run_table(validation)));
}

Table vision_table(const VisionValidation& validation) {
  Table table({{.title = "id", .overflow = Overflow::cut},
               {.title = "run", .overflow = Overflow::wrap},
               {.title = "accelerator", .overflow = Overflow::drop},
               number_column("GPU-hours", "reported_gpu_hours"),
               number_column("predicted", "predicted_gpu_hours"),
               number_column("P10"),
               number_column("P90"),
               number_column("error", "", Overflow::keep, true),
               {.title = "fitted", .key = "fit"},
               {.title = "source", .overflow = Overflow::wrap}});
  for (const VisionReplay& row : validation.rows) {
    if (!row.problem.empty()) continue;
    const auto hours = [](double value) { return Cell::number(value, NumberKind::count); };
    table.add_row({row.run->id, row.run->title, row.accelerator, hours(row.measured),
                   hours(row.predicted), hours(row.range.p10), hours(row.range.p90),
                   Cell::number(row.error, fmt::format("{:+.0f}%", 100 * row.error)),
                   Cell::boolean(row.weight > 0), row.source});
  }
  return table;
}

std::string vision_summary(const VisionValidation& v) {
  const auto vote_words = [](const SourceVotes& s) {
    return fmt::format("factor {:.2f}, bias x{:.2f}, {:.0f} % inside the 80 % range", s.factor,
                       s.bias, 100 * s.coverage);
  };
  const std::string left =
      v.left_out_factor && v.left_out_bias
          ? fmt::format("; with the source left out of the fit: factor {:.2f}, bias x{:.2f}",
                        *v.left_out_factor, *v.left_out_bias)
          : std::string();
  return fmt::format(
      "{} rows that are fit to judge by: median error {:.1f} %, 90th percentile {:.1f} %, bias "
      "{:+.1f} %. {} vision-language rows of {} sources, one vote each: {}{}. {} contrastive rows "
      "of {} sources: {}. A vote is the mean ln(predicted / reported) of a source's rows, the "
      "factor exp of the "
      "median of its size. {} further rows are published but cannot be replayed (--format csv says "
      "why).",
      v.all.rows, 100 * v.all.median, 100 * v.all.p90, 100 * v.all.bias, v.vision.rows,
      v.vision.sources, vote_words(v.vision), left, v.contrastive.rows, v.contrastive.sources,
      vote_words(v.contrastive),
      std::ranges::count_if(v.rows, [](const VisionReplay& r) { return !r.problem.empty(); }));
}

Page vision_validation_page(const VisionValidation& validation) {
  Page page{"Vision-language runs", made_by(), {}};
  page.add(Grid{vision_table(validation)});
  page.add(Paragraph{vision_summary(validation)});
  std::vector<MatchPoint> points;
  for (const VisionReplay& row : validation.rows) {
    if (!row.problem.empty() || !(row.measured > 0)) continue;
    points.push_back(
        {row.run->id, row.weight > 0 ? "fitted" : "not fitted", row.measured, row.predicted});
  }
  return page.add(match_curve("Predicted against reported GPU-hours", "reported GPU-hours", points,
                              vision_table(validation)));
}

std::string serving_summary(const ServingValidation& v) {
  return fmt::format(
      "{} measured rows ({} configurations, one vote each): median error {:.1f} %, 90th percentile "
      "{:.1f} %, bias {:+.1f} %; of the pairs of chips that differ by over 10 %, {:.1f} % are "
      "ordered rightly. Constants were fitted to these rows; what they miss with a model left out "
      "stands in "
      "README.md.",
      v.all.rows, v.all.groups, 100 * v.all.median, 100 * v.all.p90, 100 * v.all.bias,
      100 * v.ordered_rightly);
}

Table serving_table(const ServingValidation& v) {
  Table table({{.title = "id"},
               {.title = "model"},
               {.title = "accelerator"},
               {.title = "engine"},
               {.title = "weights"},
               number_column("GPUs"),
               number_column("in"),
               number_column("out"),
               number_column("requests"),
               number_column("predicted"),
               number_column("measured"),
               number_column("error", "", Overflow::keep, true)});
  const auto count = [](double value) { return Cell::number(value, NumberKind::count); };
  for (const ServingReplay& r : v.rows) {
    table.add_row({r.id, r.model, r.accelerator, r.engine, Cell(r.precision), count(r.layout.gpus),
                   count(r.input_tokens), count(r.output_tokens),
                   r.concurrency ? count(*r.concurrency) : Cell("all"),
                   r.predicted ? rate_cell(*r.predicted) : Cell::unknown(), rate_cell(r.measured),
                   r.error ? signed_share_cell(*r.error) : Cell::unknown()});
  }
  return table;
}

Page serving_validation_page(const ServingValidation& v, bool rows) {
  Page page{"Serving validation", made_by(), {}};
  if (rows)
    page.add(Heading{"Measured rows", "output tokens per second and GPU"})
        .add(Grid{serving_table(v)});
  add_validation_summaries(page, v.summaries, v.all);
  page.add(Paragraph{serving_summary(v)});
  std::vector<MatchPoint> points;
  for (const ServingReplay& r : v.rows) {
    if (r.predicted) points.push_back({r.id, r.engine, r.measured, *r.predicted});
  }
  return page.add(match_curve("Predicted against measured output tokens per second and GPU",
                              "measured output tokens/s per GPU", points, serving_table(v)));
}

}  // namespace

Document run_validation_document(const RunValidation& validation) {
  return document_of(kRunValidation, validation,
                     [&validation] { return run_validation_page(validation); });
}

Document vision_validation_document(const VisionValidation& validation) {
  return document_of(kVisionValidation, validation,
                     [&validation] { return vision_validation_page(validation); });
}

Document serving_validation_document(const ServingValidation& validation, bool rows) {
  return document_of(kServingValidation, validation,
                     [&validation, rows] { return serving_validation_page(validation, rows); });
}

}  // namespace trcost::report
