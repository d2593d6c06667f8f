// SPDX-License-Identifier: Apache-2.0
#include "report/about/validate/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "catalog/layout/layout.h"
#include "catalog/runs/runs.h"
#include "catalog/software/stacks.h"
#include "report/about/documents.h"
#include "report/page/page.h"
#include "study/validate/validation_columns.h"

namespace trcost::report {

Cell rate_cell(double tokens) {
  return Cell::number(tokens, fmt::format("{:.0f}", tokens));
}

Cell signed_share_cell(double share) {
  return Cell::number(share, fmt::format("{:+.1f}%", 100 * share));
}

Cell share_cell(double share) {
  return Cell::number(share, fmt::format("{:.1f}%", 100 * share));
}

namespace {

// Columns of a table of errors that have a value in some row.
struct ShownMetrics {
  bool groups = true;
  bool apart = false;
  bool left_out = false;
};

// The first column bears the name of what the rows are grouped by.
Table summary_table(std::string_view dimension, const ShownMetrics& shown) {
  std::vector<TableColumn> columns;
  columns.push_back({.title = std::string(dimension), .key = "value", .overflow = Overflow::cut});
  columns.push_back(number_column("rows"));
  if (shown.apart) columns.push_back(number_column("apart", "", Overflow::drop));
  if (shown.groups) columns.push_back(number_column("groups", "", Overflow::drop));
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
  constexpr std::size_t kShownSources = 12;
  ShownMetrics shown{.apart = all.apart > 0, .left_out = all.left_out.has_value()};
  std::vector<std::string_view> dimensions;
  for (const ValidationSummary& each : summaries) {
    if (dimensions.empty() || dimensions.back() != each.dimension) {
      dimensions.push_back(each.dimension);
    }
  }
  page.add(Heading{"Errors by kind of run"});
  // The accelerators are many: text has them after the short tables.
  std::ranges::stable_sort(dimensions, {},
                           [](std::string_view dimension) { return dimension == "accelerator"; });
  for (const std::string_view dimension : dimensions) {
    if (dimension == kSource) continue;
    if (dimension == "accelerator") {
      page.add(Heading{.text = "Errors by accelerator", .detail = true});
    }
    Table table = summary_table(dimension, shown);
    for (const ValidationSummary& each : summaries) {
      if (each.dimension == dimension) add_summary(table, shown, each);
    }
    if (dimension == dimensions.front()) {
      table.add_rule();
      add_summary(table, shown, all);
    }
    page.add(Grid{std::move(table)});
  }
  std::vector<const ValidationSummary*> sources;
  for (const ValidationSummary& each : summaries) {
    if (each.dimension == kSource) sources.push_back(&each);
  }
  if (sources.empty()) return;
  std::ranges::stable_sort(sources, std::greater{}, &ValidationSummary::rows);
  shown.groups = false;
  Table table = summary_table(kSource, shown);
  for (const ValidationSummary* each : sources) add_summary(table, shown, *each);
  page.add(
          Heading{.text = "Errors by source", .note = "those with most rows first", .detail = true})
      .add(Grid{.table = std::move(table), .in_text_rows = kShownSources, .sorts = true});
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
               {.title = "model", .overflow = Overflow::cut},
               {.title = "task", .overflow = Overflow::drop},
               {.title = "accelerator", .overflow = Overflow::cut},
               number_column("GPUs", "gpus"),
               {.title = "precision", .overflow = Overflow::drop},
               {.title = "stack", .overflow = Overflow::cut},
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

// Returns the answer: the error to expect of software that the constants were not fitted to.
std::string validation_answer(const ValidationSummary& all) {
  if (!all.left_out) {
    return fmt::format(
        "The predicted speed of these rows has a median error of {:.0f}%. One row in ten is off "
        "by more than {:.0f}%.",
        100 * all.median, 100 * all.p90);
  }
  return fmt::format(
      "On sources left out of the fit, the predicted speed of training has a median error of "
      "{:.0f}%. One row in ten is off by more than {:.0f}%. The 80% range contains {:.0f}% of the "
      "rows.",
      100 * all.left_out->median, 100 * all.left_out->p90, 100 * all.left_out->inside);
}

std::string first_words(const ValidationResult& result) {
  return fmt::format(
      "{} sources were predicted before they were added ({}): the median error was {:.0f}%. "
      "trcost validate --predicted-first lists them.",
      result.first_sources, result.first_date, 100 * *result.first_median);
}

// ` Runs of users have a bias of -1.4%, showcases -9.5%: ...`, if rows tell both.
std::string tuning_sentence(const ValidationResult& result) {
  const auto bias_of = [&](Tuning tuning) -> std::optional<double> {
    for (const ValidationSummary& each : result.summaries) {
      if (each.dimension == "tuning" && each.value == tuning_name(tuning) && each.left_out) {
        return each.left_out->bias;
      }
    }
    return std::nullopt;
  };
  const std::optional<double> usual = bias_of(Tuning::usual), shown = bias_of(Tuning::showcase);
  if (!usual || !shown) return {};
  return fmt::format(
      " Runs of users have a bias of {:+.1f}%, showcases {:+.1f}%: an estimate without --tuning is "
      "of a usual run.",
      100 * *usual, 100 * *shown);
}

std::string validation_basis(const ValidationResult& result) {
  const ValidationSummary& all = result.all;
  const bool fitted = all.apart < all.rows;
  std::string text = fmt::format(
      "{} measured rows of {} experiments. {}: median {:.1f}%, 90th percentile {:.1f}%, bias "
      "{:+.1f}%.",
      all.rows, all.groups, fitted ? "Error of the fit itself" : "Error of rows outside the fit",
      100 * all.median, 100 * all.p90, 100 * all.bias);
  if (fitted && all.apart > 0) {
    text += fmt::format(" {} of the rows {} shown and not counted.", all.apart,
                        all.apart == 1 ? "is" : "are");
  }
  if (const auto& left = all.left_out) {
    text += fmt::format(
        " With each source left out in turn and unknown tuning: median {:.1f}%, 90th "
        "percentile {:.1f}%, bias {:+.1f}%. In the median, P90 of the range is {:.2f} times P10.",
        100 * left->median, 100 * left->p90, 100 * left->bias, left->width);
    text += tuning_sentence(result);
  }
  return text;
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
  if (result.first_median) page.add(Paragraph{first_words(result), Ink::good});
  page.add(Paragraph{validation_answer(result.all), Ink::good});
  page.add(Paragraph{validation_basis(result)});
  if (rows)
    page.add(Heading{"Measured rows"}).add(Grid{.table = validation_table(result), .sorts = true});
  add_validation_summaries(page, result.summaries, result.all);
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
