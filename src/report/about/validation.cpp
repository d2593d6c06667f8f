// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/about/validation_tables.h"
#include "report/document_head.h"
#include "report/documents.h"
#include "study/validation_columns.h"

namespace trcost {

Cell signed_share_cell(double share) {
  return Cell::number(share, fmt::format("{:+.1f} %", 100 * share));
}

Cell share_cell(double share) {
  return Cell::number(share, fmt::format("{:.1f} %", 100 * share));
}

Table validation_summary_table(const std::vector<ValidationSummary>& summaries,
                               const ValidationSummary& all) {
  Table table({{.title = "by", .key = "dimension"},
               {.title = "which", .key = "value", .overflow = Overflow::cut},
               {.title = "rows", .align = Align::right},
               {.title = "experiments", .key = "groups", .align = Align::right},
               {.title = "median", .key = "median_error", .align = Align::right, .strong = true},
               {.title = "p90", .key = "p90_error", .align = Align::right},
               {.title = "bias", .align = Align::right},
               {.title = "left out", .key = "left_out.median_error", .align = Align::right},
               {.title = "inside", .key = "left_out.inside", .align = Align::right}});
  const auto add = [&](const ValidationSummary& s) {
    table.add_row({s.dimension, s.value, Cell::number(s.rows, NumberKind::count),
                   Cell::number(s.groups, NumberKind::count), share_cell(s.median),
                   share_cell(s.p90), signed_share_cell(s.bias),
                   s.left_out ? share_cell(s.left_out->median) : Cell::unknown(),
                   s.left_out ? share_cell(s.left_out->inside) : Cell::unknown()});
  };
  std::string_view before;
  for (const ValidationSummary& summary : summaries) {
    if (!before.empty() && summary.dimension != before) table.add_rule();
    before = summary.dimension;
    add(summary);
  }
  table.add_rule();
  add(all);
  return table;
}

namespace {

std::string layout_words(const Layout& l) {
  std::string text = fmt::format("{} mb {:g} {} {}", degree_words(l), l.micro_batch,
                                 sharding_name(l.sharding), recompute_name(l.recompute));
  if (l.recompute_layers > 0) text += fmt::format(" +{} layers", l.recompute_layers);
  return text;
}

Cell rate(double tokens) { return Cell::number(tokens, fmt::format("{:.0f}", tokens)); }

Table validation_table(const ValidationResult& result) {
  Table table({{.title = "id"},
               {.title = "model"},
               {.title = "task"},
               {.title = "accelerator"},
               {.title = "GPUs", .key = "gpus", .align = Align::right},
               {.title = "precision"},
               {.title = "stack"},
               {.title = "layout", .overflow = Overflow::drop},
               {.title = "chosen", .key = "planned", .overflow = Overflow::drop},
               {.title = "predicted", .key = "predicted_tokens_per_second_per_gpu",
                .align = Align::right},
               {.title = "measured", .key = "measured_tokens_per_second_per_gpu",
                .align = Align::right},
               {.title = "error", .align = Align::right, .strong = true},
               {.title = "weight", .align = Align::right, .overflow = Overflow::drop},
               {.title = "source", .overflow = Overflow::drop},
               {.title = "problem", .overflow = Overflow::drop}});
  for (const ValidationRow& row : result.rows) {
    const ThroughputRow& m = *row.measured;
    const bool known = row.problem.empty();
    table.add_row({m.id, m.model, m.task, m.accelerator, Cell::number(m.gpus, NumberKind::count),
                   precision_name(m.precision), m.stack.empty() ? "typical" : m.stack,
                   known ? Cell(layout_words(row.layout)) : Cell::unknown(),
                   Cell::boolean(row.planned), known ? rate(row.predicted) : Cell::unknown(),
                   rate(m.tokens_per_second_per_gpu),
                   known ? signed_share_cell(row.error) : Cell::unknown(),
                   Cell::number(m.weight, fmt::format("{:.3g}", m.weight)), m.source, row.problem});
  }
  return table;
}

std::string left_out_words(const std::optional<LeftOut>& left) {
  if (!left) return "";
  return fmt::format(
      " With each source left out in turn, as an estimate without --tuning gives them: median {:.1f} %, "
      "90th percentile {:.1f} %, bias {:+.1f} %; the 80 % range holds {:.0f} % of the rows at a "
      "median P90/P10 of {:.2f} (interval score of ln {:.2f}).",
      100 * left->median, 100 * left->p90, 100 * left->bias, 100 * left->inside, left->width,
      left->score);
}

std::string validation_summary(const ValidationResult& result) {
  const ValidationSummary& all = result.all;
  return fmt::format(
      "{} measured rows ({} experiments): median error {:.1f} %, 90th percentile {:.1f} %, bias "
      "{:+.1f} %, by constants that were fitted to them.{}",
      all.rows, all.groups, 100 * all.median, 100 * all.p90, 100 * all.bias,
      left_out_words(all.left_out));
}

// Predicted against measured, by accelerator: those with most rows have a series of their own.
Curve predictions(const ValidationResult& result) {
  constexpr std::size_t kSeries = 6;
  std::map<std::string, std::vector<Curve::Point>> points;
  for (const ValidationRow& row : result.rows) {
    if (!row.problem.empty()) continue;
    const ThroughputRow& m = *row.measured;
    points[m.accelerator].push_back(
        {m.tokens_per_second_per_gpu, row.predicted,
         fmt::format("{}: {:.0f} predicted, {:.0f} measured", m.id, row.predicted,
                     m.tokens_per_second_per_gpu)});
  }
  std::vector<Curve::Series> series;
  for (auto& [name, of] : points) series.push_back({name, std::move(of), false});
  std::ranges::stable_sort(series, [](const Curve::Series& a, const Curve::Series& b) {
    return a.points.size() > b.points.size();
  });
  while (series.size() > kSeries) {
    Curve::Series& others = series[kSeries - 1];
    const std::vector<Curve::Point>& last = series.back().points;
    others.points.insert(others.points.end(), last.begin(), last.end());
    others.name = "others";
    series.pop_back();
  }
  const NumberKind count = NumberKind::count;
  return {.title = "Predicted against measured tokens per second and accelerator",
          .x = {"measured tokens/s per accelerator", count, true},
          .y = {"predicted", count, true},
          .series = std::move(series),
          .diagonal = true,
          .numbers = validation_table(result),
          .numbers_apart = true};
}

Page page_of(const ValidationResult& result, bool rows) {
  Page page{"Validation", made_by(), {}};
  if (rows) page.add(Heading{"Measured rows"}).add(Grid{validation_table(result)});
  page.add(Heading{"Errors by kind of row"}).add(Grid{validation_summary_table(result.summaries, result.all)});
  page.add(Paragraph{validation_summary(result)});
  return page.add(predictions(result));
}

Table run_table(const RunValidation& validation) {
  Table table({{.title = "run", .key = "run", .overflow = Overflow::wrap},
               {.title = "accelerator", .key = "accelerator"},
               {.title = "GPU-hours", .key = "reported_gpu_hours", .align = Align::right},
               {.title = "predicted", .key = "predicted_gpu_hours", .align = Align::right},
               {.title = "P10", .key = "p10", .align = Align::right},
               {.title = "P90", .key = "p90", .align = Align::right},
               {.title = "error", .key = "error", .align = Align::right},
               {.title = "inside", .key = "inside"},
               {.title = "note", .key = "note", .overflow = Overflow::wrap}});
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
               : Cell::unknown(),
         known ? Cell(row.run->what_is_included) : Cell(row.problem)});
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

// What was reported and what is predicted, both in GPU-hours, a series for each kind.
struct HoursPoint {
  std::string name;
  std::string series;
  double reported = 0;
  double predicted = 0;
};

Curve hours_curve(const std::vector<HoursPoint>& points, Table numbers) {
  const NumberKind count = NumberKind::count;
  Curve curve{.title = "Predicted against reported GPU-hours",
              .x = {"reported GPU-hours", count, true},
              .y = {"predicted", count, true},
              .series = {},
              .diagonal = true,
              .numbers = std::move(numbers),
              .numbers_apart = true};
  for (const HoursPoint& p : points) {
    auto of = std::ranges::find(curve.series, p.series, &Curve::Series::name);
    if (of == curve.series.end()) {
      of = curve.series.insert(of, Curve::Series{p.series, {}, false});
    }
    of->points.push_back({p.reported, p.predicted,
                          fmt::format("{}: {} predicted, {} reported", p.name,
                                      format_number(p.predicted, count),
                                      format_number(p.reported, count))});
  }
  return curve;
}

Page page_of(const RunValidation& validation) {
  Page page{"Published runs", made_by(), {}};
  page.add(Grid{run_table(validation)});
  page.add(Paragraph{run_summary(validation)});
  std::vector<HoursPoint> points;
  for (const RunReplay& row : validation.rows) {
    if (!row.problem.empty() || !(row.reported > 0)) continue;
    points.push_back({row.run->name, row.inside ? "inside the 80 % range" : "outside of it",
                      row.reported, row.predicted});
  }
  return page.add(hours_curve(points, run_table(validation)));
}

Table vision_table(const VisionValidation& validation) {
  Table table({{.title = "id"},
               {.title = "run", .overflow = Overflow::cut},
               {.title = "accelerator", .overflow = Overflow::drop},
               {.title = "GPU-hours", .key = "reported_gpu_hours", .align = Align::right},
               {.title = "predicted", .key = "predicted_gpu_hours", .align = Align::right},
               {.title = "P10", .align = Align::right},
               {.title = "P90", .align = Align::right},
               {.title = "error", .align = Align::right, .strong = true},
               {.title = "fitted", .key = "fit"},
               {.title = "source", .overflow = Overflow::cut}});
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
  const auto votes = [](const SourceVotes& s) {
    return fmt::format("factor {:.2f}, bias x{:.2f}, {:.0f} % inside the 80 % range", s.factor, s.bias,
                       100 * s.coverage);
  };
  const std::string left =
      v.left_out_factor > 0
          ? fmt::format("; with the source left out of the fit: factor {:.2f}, bias x{:.2f}",
                        v.left_out_factor, v.left_out_bias)
          : std::string();
  return fmt::format(
      "{} vision-language rows of {} sources, one vote each: {}{}. {} contrastive rows of {} sources: "
      "{}. A vote is the mean ln(predicted / reported) of a source's rows, the factor exp of the "
      "median of its size. {} further rows are published but cannot be replayed (--format csv says "
      "why).",
      v.vision.rows, v.vision.sources, votes(v.vision), left, v.contrastive.rows,
      v.contrastive.sources, votes(v.contrastive),
      std::ranges::count_if(v.rows, [](const VisionReplay& r) { return !r.problem.empty(); }));
}

Page page_of(const VisionValidation& validation) {
  Page page{"Vision-language runs", made_by(), {}};
  page.add(Grid{vision_table(validation)});
  page.add(Paragraph{vision_summary(validation)});
  std::vector<HoursPoint> points;
  for (const VisionReplay& row : validation.rows) {
    if (!row.problem.empty() || !(row.measured > 0)) continue;
    points.push_back({row.run->id, row.weight > 0 ? "fitted" : "not fitted", row.measured,
                      row.predicted});
  }
  return page.add(hours_curve(points, vision_table(validation)));
}

std::string serving_summary(const ServingValidation& v) {
  return fmt::format(
      "{} measured rows ({} configurations, one vote each): median error {:.1f} %, 90th percentile "
      "{:.1f} %, bias {:+.1f} %; of the pairs of chips that differ by over 10 %, {:.1f} % are ordered "
      "rightly. Constants were fitted to these rows; what they miss with a model left out stands in "
      "README.md.",
      v.all.rows, v.all.groups, 100 * v.all.median, 100 * v.all.p90, 100 * v.all.bias,
      100 * v.ordered_rightly);
}

Table serving_table(const ServingValidation& v) {
  Table table({{.title = "id"}, {.title = "model"}, {.title = "accelerator"}, {.title = "engine"},
               {.title = "weights"}, {.title = "GPUs", .align = Align::right},
               {.title = "in", .align = Align::right}, {.title = "out", .align = Align::right},
               {.title = "requests", .align = Align::right},
               {.title = "predicted", .align = Align::right},
               {.title = "measured", .align = Align::right},
               {.title = "error", .align = Align::right, .strong = true}});
  const auto count = [](double value) { return Cell::number(value, NumberKind::count); };
  for (const ServingReplay& r : v.rows) {
    table.add_row({r.id, r.model, r.accelerator, r.engine, Cell(r.precision), count(r.layout.gpus),
                   count(r.input_tokens), count(r.output_tokens),
                   r.concurrency > 0 ? count(r.concurrency) : Cell("all"), rate(r.predicted),
                   rate(r.measured), signed_share_cell(r.error)});
  }
  return table;
}

Page page_of(const ServingValidation& v, bool rows) {
  Page page{"Serving validation", made_by(), {}};
  if (rows) page.add(Heading{"Measured rows", "output tokens per second and GPU"}).add(Grid{serving_table(v)});
  page.add(Heading{"Errors by kind of row"}).add(Grid{validation_summary_table(v.summaries, v.all)});
  page.add(Paragraph{serving_summary(v)});
  const NumberKind count = NumberKind::count;
  Curve curve{.title = "Predicted against measured output tokens per second and GPU",
              .x = {"measured output tokens/s per GPU", count, true},
              .y = {"predicted", count, true},
              .series = {},
              .diagonal = true,
              .numbers = serving_table(v),
              .numbers_apart = true};
  for (const ServingReplay& r : v.rows) {
    auto of = std::ranges::find(curve.series, r.engine, &Curve::Series::name);
    if (of == curve.series.end()) {
      of = curve.series.insert(of, Curve::Series{r.engine, {}, false});
    }
    of->points.push_back({r.measured, r.predicted,
                          fmt::format("{}: {} predicted, {} measured", r.id,
                                      format_number(r.predicted, count),
                                      format_number(r.measured, count))});
  }
  return page.add(std::move(curve));
}

}  // namespace

Document validation_document(const ValidationResult& result, ValidationPart part) {
  const bool rows = part == ValidationPart::rows;
  const auto page = [&result, rows] { return page_of(result, rows); };
  return document_of(part == ValidationPart::summaries ? kValidationSummary : kValidation, result,
                     page);
}

Document run_validation_document(const RunValidation& validation) {
  return document_of(kRunValidation, validation, [&validation] { return page_of(validation); });
}

Document vision_validation_document(const VisionValidation& validation) {
  return document_of(kVisionValidation, validation, [&validation] { return page_of(validation); });
}

Document serving_validation_document(const ServingValidation& validation, bool rows) {
  return document_of(kServingValidation, validation,
                     [&validation, rows] { return page_of(validation, rows); });
}

}  // namespace trcost
