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

std::string run_answer(const RunValidation& v) {
  return fmt::format(
      "The predicted GPU-hours of whole published runs are off by a factor of {:.2f} in the "
      "median, with each family of models left out of the fit. The 80% range contains {} of {} "
      "runs.",
      v.left_out_factor, v.inside, v.replayed);
}

std::string run_basis(const RunValidation& v) {
  return fmt::format(
      "{} runs used less than the range, {} used more. With one vote for each of {} families of "
      "models, left out of the fit: factor {:.2f}, bias x{:.2f}. Fitted: factor {:.2f}, bias "
      "x{:.2f}. The median of reported / predicted is {:.2f}. The median error is {:.0f}%.",
      v.below, v.above, v.families, v.left_out_factor, v.left_out_bias, v.factor, v.bias,
      v.median_ratio, 100 * v.median_error);
}

Page run_validation_page(const RunValidation& validation) {
  Page page{"Published runs", made_by(), {}};
  page.add(Paragraph{run_answer(validation), Ink::good});
  page.add(Paragraph{run_basis(validation)});
  page.add(Grid{.table = run_table(validation), .sorts = true});
  page.add(Heading{"What the published figures include", "or why a run has no prediction"});
  page.add(Grid{note_table(validation)});
  std::vector<MatchPoint> points;
  for (const RunReplay& row : validation.rows) {
    if (!row.problem.empty() || !(row.reported > 0)) continue;
    points.push_back({row.run->name, row.inside ? "inside the 80% range" : "outside of it",
                      row.reported, row.predicted});
  }
  return page.add(match_curve("Predicted against reported GPU-hours", "reported GPU-hours", points,
                              run_table(validation)));
}

Table vision_table(const VisionValidation& validation) {
  Table table({{.title = "id", .overflow = Overflow::drop},
               {.title = "run", .overflow = Overflow::wrap},
               {.title = "accelerator", .overflow = Overflow::drop},
               number_column("GPU-hours", "reported_gpu_hours"),
               number_column("predicted", "predicted_gpu_hours"),
               number_column("P10"),
               number_column("P90"),
               number_column("error", "", Overflow::keep, true),
               {.title = "fitted", .key = "fit"},
               {.title = "source", .overflow = Overflow::drop}});
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

std::string vision_answer(const VisionValidation& v) {
  return fmt::format(
      "The predicted GPU-hours of vision-language runs are off by a factor of {:.2f} in the "
      "median, {}. The 80% range contains {:.0f}% of the sources.",
      v.left_out_factor.value_or(v.vision.factor),
      v.left_out_factor ? "with each source left out of the fit" : "as fitted",
      100 * v.vision.coverage);
}

std::string vision_basis(const VisionValidation& v) {
  const auto vote_words = [](const SourceVotes& s) {
    return fmt::format("factor {:.2f}, bias x{:.2f}, {:.0f}% inside the range", s.factor, s.bias,
                       100 * s.coverage);
  };
  const std::string left =
      v.left_out_factor && v.left_out_bias
          ? fmt::format(", with the source left out of the fit: factor {:.2f}, bias x{:.2f}",
                        *v.left_out_factor, *v.left_out_bias)
          : std::string();
  return fmt::format(
      "{} rows: median error {:.1f}%, 90th percentile {:.1f}%, bias {:+.1f}%. {} vision-language "
      "rows of {} sources, one vote each: {}{}. {} contrastive rows of {} sources: {}. A vote is "
      "the mean logarithm of predicted / reported of a source's rows. {} further rows are "
      "published but cannot be replayed (--format csv says why).",
      v.all.rows, 100 * v.all.median, 100 * v.all.p90, 100 * v.all.bias, v.vision.rows,
      v.vision.sources, vote_words(v.vision), left, v.contrastive.rows, v.contrastive.sources,
      vote_words(v.contrastive),
      std::ranges::count_if(v.rows, [](const VisionReplay& r) { return !r.problem.empty(); }));
}

Page vision_validation_page(const VisionValidation& validation) {
  Page page{"Vision-language runs", made_by(), {}};
  page.add(Paragraph{vision_answer(validation), Ink::good});
  page.add(Paragraph{vision_basis(validation)});
  page.add(Grid{.table = vision_table(validation), .sorts = true});
  std::vector<MatchPoint> points;
  for (const VisionReplay& row : validation.rows) {
    if (!row.problem.empty() || !(row.measured > 0)) continue;
    points.push_back(
        {row.run->id, row.weight > 0 ? "fitted" : "not fitted", row.measured, row.predicted});
  }
  return page.add(match_curve("Predicted against reported GPU-hours", "reported GPU-hours", points,
                              vision_table(validation)));
}

std::string serving_answer(const ServingValidation& v) {
  return fmt::format(
      "The predicted output of serving has a median error of {:.0f}%. One configuration in ten "
      "is off by more than {:.0f}%. Of two chips that differ by over 10%, the faster one is "
      "named in {:.0f}% of the pairs.",
      100 * v.all.median, 100 * v.all.p90, 100 * v.ordered_rightly);
}

std::string serving_basis(const ServingValidation& v) {
  return fmt::format(
      "{} measured rows of {} configurations, one vote each: median error {:.1f}%, 90th "
      "percentile {:.1f}%, bias {:+.1f}%. The constants were fitted to these rows, so expect "
      "more of models that are not among them.",
      v.all.rows, v.all.groups, 100 * v.all.median, 100 * v.all.p90, 100 * v.all.bias);
}

Table serving_table(const ServingValidation& v) {
  Table table({{.title = "id"},
               {.title = "model", .overflow = Overflow::cut},
               {.title = "accelerator", .overflow = Overflow::cut},
               {.title = "engine", .overflow = Overflow::drop},
               {.title = "weights", .overflow = Overflow::drop},
               number_column("GPUs"),
               number_column("in"),
               number_column("out"),
               number_column("requests", "", Overflow::drop),
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
  page.add(Paragraph{serving_answer(v), Ink::good});
  page.add(Paragraph{serving_basis(v)});
  if (rows)
    page.add(Heading{"Measured rows", "output tokens per second and GPU"})
        .add(Grid{.table = serving_table(v), .sorts = true});
  add_validation_summaries(page, v.summaries, v.all);
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
