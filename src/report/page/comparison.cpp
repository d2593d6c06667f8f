// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "estimate/columns/estimate_columns.h"
#include "report/page/estimate_tables.h"
#include "report/page/wording.h"

namespace trcost::report {

namespace {

constexpr const char* kMarkLabel = "vs cheapest";
// Of a platform without an answer: in the first place, and in all others.
constexpr const char* kNoAnswer = "no answer";
constexpr const char* kNothing = "-";

using Place = Beside::Place;
using Shown = std::vector<const EstimateColumn*>;

// The columns that have a place there, in its order.
Shown columns_at(Place Beside::*where) {
  const auto at = [where](const EstimateColumn* column) { return (column->beside.*where).at; };
  Shown out;
  for (const EstimateColumn& column : columns()) {
    if ((column.beside.*where).at > 0) out.push_back(&column);
  }
  std::ranges::sort(out, {}, at);
  return out;
}

std::string label_of(const EstimateColumn& column, const Place& place) {
  return std::string(place.label.empty() ? column.heading() : place.label);
}

// How people read a number of a unit, where its kind does not say it.
struct UnitWords {
  std::string_view unit;
  std::string (*words)(double value);
};
constexpr UnitWords kUnitWords[] = {
    {"accelerators", [](double count) { return grouped(count, 0); }},
    {"GPU-hours", gpu_hour_words},
    {"tokens/s", speed_words},
    {"kWh", [](double kwh) { return energy_words(kwh); }},
    {"kg", [](double kg) { return mass_words(kg); }},
    {"USD", short_money},
    {"USD/GPU-hour", unit_money},
};

Cell number_cell(const EstimateColumn& column, double value, const Estimate& e) {
  const auto* unit = std::ranges::find(kUnitWords, column.unit, &UnitWords::unit);
  if (unit == std::end(kUnitWords)) return Cell::number(value, column.display);
  return Cell::number(value, with_kind(unit->words(value), column.priced && is_imputed(e)));
}

Cell cell_of(const EstimateColumn& column, const Estimate& e) {
  const Value value = column.value(e);
  if (!value.known()) {
    const bool words = column.kind == ColumnKind::text || column.words != nullptr;
    return words || column.beside.rank == Rank::rest ? Cell(column.beside.unknown)
                                                     : Cell::unknown();
  }
  if (column.words != nullptr) return Cell(column.words(e, column.arg));
  return value.kind == Value::Kind::text ? Cell(value.text) : number_cell(column, value.number, e);
}

bool differs(const EstimateColumn& column, std::span<const Estimate> estimates) {
  const auto text = [&](const Estimate& e) { return column.text(e); };
  return column.kind == ColumnKind::text &&
         std::ranges::adjacent_find(estimates, std::ranges::not_equal_to{}, text) !=
             estimates.end();
}

bool precisions_apart(std::span<const Estimate> estimates) {
  return std::ranges::adjacent_find(estimates, std::ranges::not_equal_to{}, &Estimate::precision) !=
         estimates.end();
}

// A share of the peak is one of the peak of a precision: beside others each says which.
Cell with_precision(const Cell& share, const Estimate& e) {
  if (!e.one_precision) return share;
  return Cell::number(share.value(),
                      fmt::format("{} {}", share.text(), precision_name(e.precision)));
}

// The last line: which one is cheapest, and how much more the others cost.
Cell mark(const Estimate& e, const Estimate& best) {
  if (&e == &best) return Cell("cheapest").strong();
  if (!best.cost.total || !e.cost.total) return Cell::unknown();
  return fmt::format("{:+.0f}%", (*e.cost.total / *best.cost.total - 1) * 100);
}

// What no platform has stays out, where it is nothing that one expects.
Shown brief_columns(std::span<const Estimate> estimates) {
  Shown shown = columns_at(&Beside::brief);
  std::erase_if(shown, [&](const EstimateColumn* column) {
    return column->beside.rank == Rank::rest &&
           std::ranges::none_of(estimates,
                                [&](const Estimate& e) { return column->value(e).known(); });
  });
  return shown;
}

// Before what a narrow page can do without stands the mark.
std::size_t mark_place(const Shown& shown) {
  const auto first = std::ranges::find_if(
      shown, [](const EstimateColumn* column) { return column->beside.may_go(); });
  return static_cast<std::size_t>(first - shown.begin());
}

}  // namespace

Table comparison_table(std::span<const Estimate> estimates,
                       std::span<const Estimator::Failure> failures, Detail detail) {
  // Without a known total nothing is the cheapest.
  const bool compared =
      estimates.size() > 1 && estimates[cheapest_index(estimates)].cost.total.has_value();
  const Estimate* best = compared ? &estimates[cheapest_index(estimates)] : nullptr;
  std::vector<TableColumn> heads = {{.title = " "}};
  for (const Estimate& e : estimates) {
    heads.push_back({.title = e.accelerator, .align = Align::right, .strong = &e == best});
  }
  for (const Estimator::Failure& each : failures) {
    heads.push_back({.title = each.accelerator, .align = Align::right});
  }
  Table table(heads);
  const auto add = [&](std::string label, const auto& cell) {
    std::vector<Cell> row = {std::move(label)};
    for (const Estimate& e : estimates) row.push_back(&e == best ? cell(e).strong() : cell(e));
    row.resize(heads.size(), Cell(table.rows().empty() ? kNoAnswer : kNothing));
    table.add_row(std::move(row));
  };
  const EstimateColumn* before = nullptr;
  for (const EstimateColumn* column : columns_at(&Beside::line)) {
    const Beside& beside = column->beside;
    if (beside.rank != Rank::first && detail != Detail::full && !differs(*column, estimates)) {
      continue;
    }
    if (before != nullptr && before->beside.group() != beside.group()) table.add_rule();
    add(label_of(*column, beside.line), [&](const Estimate& e) { return cell_of(*column, e); });
    before = column;
  }
  if (compared) add(kMarkLabel, [&](const Estimate& e) { return mark(e, *best); });
  return table;
}

Table brief_table(std::span<const Estimate> estimates,
                  std::span<const Estimator::Failure> failures) {
  const Estimate* best = &estimates[cheapest_index(estimates)];
  const Shown shown = brief_columns(estimates);
  const auto marked = static_cast<std::ptrdiff_t>(mark_place(shown)) + 1;
  const bool apart = precisions_apart(estimates);
  std::vector<TableColumn> heads = {{.title = "platform"}};
  for (const EstimateColumn* column : shown) {
    heads.push_back({.title = label_of(*column, column->beside.brief),
                     .align = column->kind == ColumnKind::number ? Align::right : Align::left,
                     .overflow = column->beside.may_go() ? Overflow::drop : Overflow::keep});
  }
  heads.insert(heads.begin() + marked,
               {.title = kMarkLabel, .align = Align::right, .overflow = Overflow::drop});
  Table table(std::move(heads));
  for (const Estimate& e : estimates) {
    std::vector<Cell> row = {e.accelerator};
    for (const EstimateColumn* column : shown) {
      const Cell cell = cell_of(*column, e);
      row.push_back(apart && column->display == NumberKind::fraction ? with_precision(cell, e)
                                                                     : cell);
    }
    row.insert(row.begin() + marked, mark(e, *best));
    table.add_row(std::move(row));
  }
  for (const Estimator::Failure& each : failures) {
    std::vector<Cell> row = {each.accelerator, kNoAnswer};
    row.resize(table.columns().size(), Cell(kNothing));
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace trcost::report
