// SPDX-License-Identifier: Apache-2.0
#include "report/about/validate/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "catalog/layout/layout.h"
#include "catalog/runs/runs.h"
#include "report/about/documents.h"
#include "report/page/page.h"
#include "study/validate/validation_columns.h"

namespace trcost::report {

Cell rate_cell(double tokens) {
  return Cell::number(tokens, fmt::format("{:.0f}", tokens));
}

Cell signed_share_cell(double share) {
  return Cell::number(share, fmt::format("{:+.1f} %", 100 * share));
}

Cell share_cell(double share) {
  return Cell::number(share, fmt::format("{:.1f} %", 100 * share));
}

namespace {

// Columns of a table of errors that have a value in some row.
struct ShownMetrics {
  bool dimension = true;
  bool groups = true;
  bool apart = false;
  bool left_out = false;
};

Table summary_table(const ShownMetrics& shown) {
  std::vector<TableColumn> columns;
  if (shown.dimension) columns.push_back({.title = "by", .key = "dimension"});
  columns.push_back(
      {.title = shown.dimension ? "which" : "source", .key = "value", .overflow = Overflow::cut});
  columns.push_back(number_column("rows"));
  if (shown.apart) columns.push_back(number_column("apart"));
  if (shown.groups) columns.push_back(number_column("groups"));
  columns.push_back(number_column("median", "median_error", Overflow::keep, true));
  columns.push_back(number_column("p90", "p90_error"));
  columns.push_back(number_column("bias"));
  if (shown.left_out) {
    columns.push_back(number_column("left out", "left_out.median_error"));
    columns.push_back(number_column("inside", "left_out.inside"));
  }
  return Table(std::move(columns));
}

void add_summary(Table& table, const ShownMetrics& shown, const ValidationSummary& s) {
  std::vector<Cell> row;
  if (shown.dimension) row.emplace_back(s.dimension);
  row.emplace_back(s.value);
  row.push_back(Cell::number(s.rows, NumberKind::count));
  if (shown.apart) row.push_back(Cell::number(s.apart, NumberKind::count));
  if (shown.groups) row.push_back(Cell::number(s.groups, NumberKind::count));
  row.insert(row.end(), {share_cell(s.median), share_cell(s.p90), signed_share_cell(s.bias)});
  if (shown.left_out) {
    row.push_back(s.left_out ? share_cell(s.left_out->median) : Cell::unknown());
    row.push_back(s.left_out ? share_cell(s.left_out->inside) : Cell::unknown());
  }
  table.add_row(std::move(row));
}

}  // namespace

void add_validation_summaries(Page& page, const std::vector<ValidationSummary>& summaries,
                              const ValidationSummary& all) {
  constexpr std::string_view kSource = "source";
  ShownMetrics shown{.apart = all.apart > 0, .left_out = all.left_out.has_value()};
  Table kinds = summary_table(shown);
  ShownMetrics shown_of_source = shown;
  shown_of_source.dimension = shown_of_source.groups = false;
  Table sources = summary_table(shown_of_source);
  std::string_view before;
  for (const ValidationSummary& summary : summaries) {
    if (summary.dimension == kSource) {
      add_summary(sources, shown_of_source, summary);
      continue;
    }
    if (!before.empty() && summary.dimension != before) kinds.add_rule();
    before = summary.dimension;
    add_summary(kinds, shown, summary);
  }
  kinds.add_rule();
  add_summary(kinds, shown, all);
  page.add(Heading{"Errors by kind of row"}).add(Grid{std::move(kinds)});
  if (!sources.rows().empty()) {
    page.add(Heading{"Errors by source"}).add(Grid{std::move(sources)});
  }
}

Curve match_curve(std::string title, std::string measured, const std::vector<MatchPoint>& points,
                  Table numbers) {
  const NumberKind count = NumberKind::count;
  Curve curve{.title = std::move(title),
              .x = {std::move(measured), count, true},
              .y = {"predicted", count, true},
              .series = {},
              .diagonal = true,
              .numbers = std::move(numbers),
              .numbers_only_behind = true};
  for (const MatchPoint& p : points) {
    auto series = std::ranges::find(curve.series, p.series, &Curve::Series::name);
    if (series == curve.series.end()) {
      series = curve.series.insert(series, Curve::Series{p.series, {}, false});
    }
    series->points.push_back(
        {p.measured, p.predicted,
         fmt::format("{}: {} predicted, {} published", p.name, format_number(p.predicted, count),
                     format_number(p.measured, count))});
  }
  return curve;
}

namespace {

std::string measured_layout_words(const Layout& l) {
  std::string text = fmt::format("{} mb {:g} {} {}", degree_words(l), l.micro_batch,
                                 sharding_name(l.sharding), recompute_name(l.recompute));
  if (l.recompute_layers > 0) text += fmt::format(" +{} layers", l.recompute_layers);
  return text;
}

Table validation_table(const ValidationResult& result) {
  Table table({{.title = "id"},
               {.title = "model"},
               {.title = "task"},
               {.title = "accelerator"},
               number_column("GPUs", "gpus"),
               {.title = "precision"},
               {.title = "stack"},
               {.title = "layout", .overflow = Overflow::drop},
               {.title = "chosen", .key = "planned", .overflow = Overflow::drop},
               number_column("predicted", "predicted_tokens_per_second_per_gpu"),
               number_column("measured", "measured_tokens_per_second_per_gpu"),
               number_column("error", "", Overflow::keep, true),
               number_column("weight", "", Overflow::drop),
               {.title = "source", .overflow = Overflow::drop},
               {.title = "problem", .overflow = Overflow::drop}});
  for (const ValidationRow& row : result.rows) {
    const ThroughputRow& m = *row.measured;
    const bool known = row.problem.empty();
    table.add_row({m.id, m.model, word_of(kTasks, m.task), m.accelerator,
                   Cell::number(m.gpus, NumberKind::count), precision_name(m.precision),
                   stack_of(m), known ? Cell(measured_layout_words(row.layout)) : Cell::unknown(),
                   Cell::boolean(row.planned), known ? rate_cell(row.predicted) : Cell::unknown(),
                   rate_cell(m.tokens_per_second_per_gpu),
                   known ? signed_share_cell(row.error) : Cell::unknown(),
                   Cell::number(m.weight, fmt::format("{:.3g}", m.weight)), m.source, row.problem});
  }
  return table;
}

std::string left_out_words(const std::optional<LeftOut>& left) {
  if (!left) return "";
  return fmt::format(
      " With each source left out in turn, as an estimate without --tuning gives them: median "
      "{:.1f} %, "
      "90th percentile {:.1f} %, bias {:+.1f} %; the 80 % range holds {:.0f} % of the rows at a "
      "median P90/P10 of {:.2f} (interval score of ln {:.2f}).",
      100 * left->median, 100 * left->p90, 100 * left->bias, 100 * left->inside, left->width,
      left->score);
}

std::string validation_summary(const ValidationResult& result) {
  const ValidationSummary& all = result.all;
  std::string fitted = "fitted to them";
  if (all.apart == all.rows && all.apart > 0) {
    fitted = "that no row of these was fitted to";
  } else if (all.apart > 0) {
    fitted = fmt::format(
        "fitted to all but {}, which are kept apart and not counted (data/runs/README.md)",
        all.apart);
  }
  return fmt::format(
      "{} measured rows ({} experiments): median error {:.1f} %, 90th percentile {:.1f} %, bias "
      "{:+.1f} %, by constants {}.{}",
      all.rows, all.groups, 100 * all.median, 100 * all.p90, 100 * all.bias, fitted,
      left_out_words(all.left_out));
}

// Predicted over measured by accelerator. Those with few rows share a series.
Curve predictions(const ValidationResult& result) {
  constexpr std::size_t kSeries = 6;
  std::map<std::string, std::vector<Curve::Point>> points;
  for (const ValidationRow& row : result.rows) {
    if (!row.problem.empty()) continue;
    const ThroughputRow& m = *row.measured;
    points[m.accelerator].push_back({m.tokens_per_second_per_gpu, row.predicted,
                                     fmt::format("{}: {:.0f} predicted, {:.0f} measured", m.id,
                                                 row.predicted, m.tokens_per_second_per_gpu)});
  }
  std::vector<Curve::Series> series;
  for (auto& [name, values] : points) series.push_back({name, std::move(values), false});
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
          .numbers_only_behind = true};
}

Page validation_page(const ValidationResult& result, bool rows) {
  Page page{"Validation", made_by(), {}};
  if (rows) page.add(Heading{"Measured rows"}).add(Grid{validation_table(result)});
  add_validation_summaries(page, result.summaries, result.all);
  page.add(Paragraph{validation_summary(result)});
  return page.add(predictions(result));
}

}  // namespace

Document validation_document(const ValidationResult& result, ValidationPart part) {
  const bool rows = part == ValidationPart::rows;
  const auto page = [&result, rows] { return validation_page(result, rows); };
  return document_of(part == ValidationPart::summaries ? kValidationSummary : kValidation, result,
                     page);
}

}  // namespace trcost::report
