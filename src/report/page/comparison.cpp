// SPDX-License-Identifier: Apache-2.0
#include "report/page/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "estimate/columns/estimate_columns.h"
#include "performance/memory/memory.h"
#include "quantity/currency.h"
#include "report/page/wording.h"

namespace trcost::report {
namespace {

constexpr const char* kMarkLabel = "compared";
constexpr const char* kNoAnswer = "no answer";  // first cell of a failed platform
constexpr const char* kNothing = "-";           // its other cells

using Place = Beside::Place;
using ShownColumns = std::vector<const EstimateColumn*>;

// Returns the columns that have a place in a table, in its order.
ShownColumns columns_at(Place Beside::*where) {
  const auto at = [where](const EstimateColumn* column) { return (column->beside.*where).at; };
  ShownColumns out;
  for (const EstimateColumn& column : columns()) {
    if ((column.beside.*where).at > 0) out.push_back(&column);
  }
  std::ranges::sort(out, {}, at);
  return out;
}

std::string place_label(const EstimateColumn& column, const Place& place) {
  return in_shown_currency(std::string(place.label.empty() ? column.heading() : place.label));
}

// Words for numbers of units whose NumberKind does not decide them.
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

Cell estimate_cell(const EstimateColumn& column, const Estimate& e) {
  const Value value = column.value(e);
  if (!value.known()) {
    const bool words = column.kind == ColumnKind::text || column.words != nullptr;
    return words || column.beside.rank == Rank::rest ? Cell(column.beside.unknown)
                                                     : Cell::unknown();
  }
  if (column.words != nullptr) return Cell(column.words(e, column.arg));
  if (value.kind == Value::Kind::text) return Cell(value.text);
  const auto* unit = std::ranges::find(kUnitWords, column.unit, &UnitWords::unit);
  if (unit == std::end(kUnitWords)) return Cell::number(value.number, column.display);
  return Cell::number(value.number,
                      mark_imputed(unit->words(value.number), column.priced && is_imputed(e)));
}

bool differs(const EstimateColumn& column, std::span<const Estimate> estimates) {
  const auto text = [&](const Estimate& e) { return column.text(e); };
  return column.kind == ColumnKind::text &&
         std::ranges::adjacent_find(estimates, std::ranges::not_equal_to{}, text) !=
             estimates.end();
}

// Leaves out unusual columns without a value on any platform.
ShownColumns brief_columns(std::span<const Estimate> estimates) {
  ShownColumns shown = columns_at(&Beside::brief);
  std::erase_if(shown, [&](const EstimateColumn* column) {
    return column->beside.rank == Rank::rest &&
           std::ranges::none_of(estimates,
                                [&](const Estimate& e) { return column->value(e).known(); });
  });
  return shown;
}

}  // namespace

std::string platform_label(const Estimate& estimate, std::span<const Estimate> all) {
  const auto title = [](const Estimate& e) {
    return e.accelerator_title.empty() ? e.accelerator : e.accelerator_title;
  };
  const auto stem = [&](const Estimate& e) {
    const std::string text = title(e);
    return text.ends_with("GB") ? text.substr(0, text.rfind(' ')) : text;
  };
  const auto same = std::ranges::count_if(
      all, [&](const Estimate& other) { return stem(other) == stem(estimate); });
  return same == 1 ? stem(estimate) : title(estimate);
}

std::vector<const Estimate*> sort_platforms(std::span<const Estimate> estimates) {
  std::vector<const Estimate*> out;
  for (const Estimate& e : estimates) out.push_back(&e);
  std::ranges::stable_sort(out, {}, [](const Estimate* e) {
    return std::tuple(!e->memory.fits, !e->cost.total.has_value(), price_evidence(e->cost),
                      e->cost.total.value_or(e->gpu_hours));
  });
  return out;
}

Cell difference_cell(const Estimate& e, const Estimate& best, std::span<const Estimate> all) {
  if (!e.memory.fits && best.memory.fits) {
    return may_fit(e.memory) ? "may not fit" : "does not fit";
  }
  if (!best.cost.total || !e.cost.total) return Cell::unknown();
  if (&e == &best) {
    const bool cheapest = std::ranges::none_of(all, [&](const Estimate& other) {
      return other.memory.fits && other.cost.total && *other.cost.total < *best.cost.total;
    });
    if (cheapest) return "cheapest";
    const PriceEvidence own = price_evidence(best.cost);
    return own == PriceEvidence::quotes ? "best quoted" : std::string(evidence_mark(own));
  }
  const PriceEvidence evidence = price_evidence(e.cost);
  if (evidence != price_evidence(best.cost)) {
    return std::string(evidence_mark(evidence));
  }
  const double difference = *e.cost.total / *best.cost.total - 1;
  return Cell::number(difference, fmt::format("{:+.0f}%", difference * 100));
}

Table comparison_table(std::span<const Estimate> estimates,
                       std::span<const Estimator::Failure> failures, Detail detail) {
  const bool compared =
      estimates.size() > 1 && estimates[cheapest_index(estimates)].cost.total.has_value();
  const Estimate* best = compared ? &estimates[cheapest_index(estimates)] : nullptr;
  const std::vector<const Estimate*> order = sort_platforms(estimates);
  std::vector<TableColumn> heads = {{.title = " "}};
  for (const Estimate* e : order) {
    heads.push_back({.title = platform_label(*e, estimates),
                     .key = e->accelerator,
                     .align = Align::right,
                     .strong = e == best});
  }
  for (const Estimator::Failure& each : failures) {
    heads.push_back({.title = each.accelerator, .align = Align::right});
  }
  Table table(heads);
  const auto add = [&](std::string label, const auto& cell) {
    std::vector<Cell> row = {std::move(label)};
    for (const Estimate* e : order) row.push_back(e == best ? cell(*e).strong() : cell(*e));
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
    add(place_label(*column, beside.line),
        [&](const Estimate& e) { return estimate_cell(*column, e); });
    table.set_row_key(std::string(column->path));
    before = column;
  }
  if (compared)
    add(kMarkLabel, [&](const Estimate& e) {
      const Cell cell = difference_cell(e, *best, estimates);
      return &e == best ? cell.strong() : cell;
    });
  return table;
}

Table brief_table(std::span<const Estimate> estimates,
                  std::span<const Estimator::Failure> failures) {
  const Estimate* best = &estimates[cheapest_index(estimates)];
  const ShownColumns shown = brief_columns(estimates);
  // The comparison stands before the columns that a narrow page drops.
  const auto first_optional = std::ranges::find_if(
      shown, [](const EstimateColumn* column) { return column->beside.may_go(); });
  const auto marked = first_optional - shown.begin() + 1;
  const bool several_precisions =
      std::ranges::adjacent_find(estimates, std::ranges::not_equal_to{}, &Estimate::precision) !=
      estimates.end();
  std::vector<TableColumn> heads = {{.title = "platform"}};
  for (const EstimateColumn* column : shown) {
    heads.push_back({.title = place_label(*column, column->beside.brief),
                     .align = column->kind == ColumnKind::number ? Align::right : Align::left,
                     .overflow = column->beside.may_go() ? Overflow::drop : Overflow::keep});
  }
  heads.insert(heads.begin() + marked,
               {.title = kMarkLabel, .align = Align::right, .overflow = Overflow::drop});
  Table table(std::move(heads));
  for (const Estimate* each : sort_platforms(estimates)) {
    const Estimate& e = *each;
    std::vector<Cell> row = {e.accelerator};
    for (const EstimateColumn* column : shown) {
      Cell cell = estimate_cell(*column, e);
      // An MFU is a share of the peak of its precision.
      if (column->display == NumberKind::fraction) {
        cell = Cell::number(cell.value(), mfu_words(cell.text(), e, several_precisions));
      }
      row.push_back(std::move(cell));
    }
    row.insert(row.begin() + marked, difference_cell(e, *best, estimates));
    table.add_row(std::move(row));
  }
  for (const Estimator::Failure& each : failures) {
    std::vector<Cell> row = {each.accelerator, kNoAnswer};
    row.resize(table.columns().size(), Cell(kNothing));
    table.add_row(std::move(row));
  }
  return table;
}

namespace {

// Whether the text has the name as a word: `b200` is none of `gb200`.
bool has_word(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return false;
  return at == 0 || text[at - 1] == ' ' || has_word(text.substr(at + 1), name);
}

}  // namespace

std::vector<std::string> warnings_about(const Estimate& shown, std::span<const Estimate> all,
                                        std::vector<std::string> lines) {
  std::erase_if(lines, [&](const std::string& line) {
    const bool of_other = std::ranges::any_of(all, [&](const Estimate& other) {
      return other.accelerator != shown.accelerator && has_word(line, other.accelerator);
    });
    return of_other && !has_word(line, shown.accelerator);
  });
  return lines;
}

}  // namespace trcost::report
