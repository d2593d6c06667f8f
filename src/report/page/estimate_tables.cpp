// SPDX-License-Identifier: Apache-2.0
#include "report/page/estimate_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "catalog/layout/layout.h"
#include "performance/memory/memory.h"
#include "quantity/currency.h"
#include "report/page/wording.h"

namespace trcost::report {
namespace {

constexpr double kWholeDollars = 1e3;  // larger totals are shown without cents

int shown_decimals(const CostResult& cost) {
  return std::abs(cost.total.value_or(0)) < kWholeDollars ? 2 : 0;
}

}  // namespace

std::string item_quantity_words(const LineItem& item) {
  constexpr double kGrouped = 100;
  constexpr double kExponent = 1e12;
  const double q = item.quantity;
  const std::string_view unit = unit_name(item.unit);
  if (q >= kExponent) return fmt::format("{:.4g} {}", q, unit);
  if (q >= kGrouped) return fmt::format("{} {}", grouped(q, 0), unit);
  return fmt::format("{} {}", format_number(q, NumberKind::number), unit);
}

std::vector<std::string> shown_amounts(const CostResult& cost) {
  const int decimals = shown_decimals(cost);
  const double unit = decimals == 2 ? 0.01 : 1;
  const double rate = shown_currency().per_usd;
  std::vector<double> units;  // whole cents or dollars, rounded down
  std::vector<std::pair<double, std::size_t>> rests;
  double sum = 0;
  for (std::size_t i = 0; i < cost.items.size(); ++i) {
    const LineItem& item = cost.items[i];
    const double exact = rate * item.amount.value_or(0) / unit;
    const bool part = item.included && cost.total.has_value();
    units.push_back(part ? std::floor(exact + 1e-6) : std::round(exact));
    if (!part) continue;
    rests.emplace_back(units.back() - exact, i);  // ascending: the largest rest first
    sum += units.back();
  }
  std::sort(rests.begin(), rests.end());
  double missing = std::round(rate * cost.total.value_or(0) / unit) - sum;
  for (const auto& [rest, i] : rests) {
    if (missing < 1) break;
    units[i] += 1;
    missing -= 1;
  }
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < cost.items.size(); ++i) {
    const LineItem& item = cost.items[i];
    const bool small = decimals == 0 && !item.included && item.amount.value_or(0) < kWholeDollars;
    shown.push_back(!item.amount ? "n/a"
                    : small      ? short_money(*item.amount)
                                 : shown_currency().sign + grouped(units[i] * unit, decimals));
  }
  return shown;
}

Table items_table(const Estimate& estimate) {
  const CostResult& cost = estimate.cost;
  Table table({{.title = "Item", .overflow = Overflow::wrap},
               number_column("Quantity"),
               number_column("Unit price"),
               number_column("Amount")});
  const std::vector<std::string> amounts = shown_amounts(cost);
  const auto add = [&](std::size_t i) {
    const LineItem& item = cost.items[i];
    const bool imputed = is_imputed_item(cost, item);
    const Cell amount = item.amount ? Cell::number(*item.amount, mark_imputed(amounts[i], imputed))
                                    : Cell::unknown();
    const Cell price =
        item.unit_price ? Cell::number(*item.unit_price,
                                       mark_imputed(billed_unit_money(*item.unit_price), imputed))
                        : Cell::unknown();
    table.add_row(
        {item_name(item), Cell::number(item.quantity, item_quantity_words(item)), price, amount});
  };
  for (std::size_t i = 0; i < cost.items.size(); ++i) {
    if (cost.items[i].included) add(i);
  }
  table.add_rule();
  const std::string total =
      cost.total
          ? mark_imputed(shown_currency().sign +
                             grouped(*cost.total * shown_currency().per_usd, shown_decimals(cost)),
                         cost)
          : std::string("n/a");
  table.add_row({Cell("Total").strong(), "", "",
                 cost.total ? Cell::number(*cost.total, total).strong() : Cell::unknown()});
  bool any_excluded = false;
  for (std::size_t i = 0; i < cost.items.size(); ++i) {
    if (cost.items[i].included) continue;
    if (!any_excluded) table.add_row({"Not in the total:", "", "", ""});
    any_excluded = true;
    add(i);
  }
  return table;
}

std::vector<WaterfallStep> waterfall_steps(const Estimate& estimate) {
  constexpr double kWorthShowing = 0.9995;
  std::vector<WaterfallStep> steps;
  double left = 1;
  for (const WaterfallTerm& term : estimate.waterfall) {
    left *= term.share;
    if (term.share < kWorthShowing || term.share > 1 / kWorthShowing) {
      steps.push_back({term.term, term.share, left});
    }
  }
  return steps;
}

Table waterfall_table(const Estimate& estimate) {
  Table table({{.title = "Term"}, number_column("Share"), number_column("Left of the peak")});
  for (const WaterfallStep& step : waterfall_steps(estimate)) {
    table.add_row({term_words(step.term), Cell::number(step.share, NumberKind::fraction),
                   Cell::number(step.left, NumberKind::fraction)});
  }
  return table;
}

Table memory_table(const Estimate& estimate) {
  Table table({{.title = "On the fullest device"}, number_column("Size")});
  for (const HeldPart& part : held_parts(estimate.memory)) {
    table.add_row({std::string(part.name), Cell::number(part.bytes, NumberKind::bytes)});
  }
  table.add_row({"total", Cell::number(estimate.memory.total, NumberKind::bytes).strong()});
  table.add_row({"capacity", Cell::number(estimate.memory.capacity, NumberKind::bytes)});
  if (estimate.memory.host > 0) {
    table.add_row({"in the host", Cell::number(estimate.memory.host, NumberKind::bytes)});
  }
  return table;
}

Table assumptions_table(std::span<const Assumption> assumptions) {
  Table table({{.title = "Field"},
               {.title = "Value", .overflow = Overflow::wrap},
               {.title = "Why", .overflow = Overflow::wrap},
               {.title = "Source", .overflow = Overflow::wrap}});
  for (const Assumption& a : assumptions) {
    table.add_row({a.path,
                   a.unit.empty() ? assumed_value_words(a) : assumed_value_words(a) + " " + a.unit,
                   a.why, a.source});
  }
  return table;
}

void add_assumption_table(Page& page, std::span<const Assumption> assumptions,
                          std::string_view platform) {
  if (assumptions.empty()) return;
  std::string note = "of fields that were not set";
  if (!platform.empty()) note += fmt::format(", as answered on {}", platform);
  page.add(Heading{.text = "Defaults", .note = std::move(note), .in_text = false, .folded = true});
  page.add(Grid{assumptions_table(assumptions)});
}

Table phases_table(const Estimate& estimate) {
  Table table({{"Phase"},
               number_column("GPUs"),
               number_column("Tokens"),
               number_column(estimate.rollout ? "Round time" : "Step time"),
               number_column("GPU-hours"),
               number_column("Cost")});
  if (estimate.phases.size() < 2) return table;
  for (const PhaseResult& p : estimate.phases) {
    table.add_row({phase_words(p), Cell::number(p.gpus, grouped(p.gpus, 0)),
                   p.tokens > 0 ? Cell::number(p.tokens, NumberKind::count) : Cell(""),
                   Cell::number(p.step_seconds, NumberKind::duration),
                   Cell::number(p.gpu_hours, gpu_hour_words(p.gpu_hours)),
                   money_cell(p.cost, estimate.cost)});
  }
  return table;
}

Table phase_cost_table(std::span<const Estimate> estimates) {
  std::vector<TableColumn> columns = {{.title = "Phase"}};
  for (const Estimate& e : estimates) {
    columns.push_back(number_column(e.accelerator));
  }
  columns.push_back({.title = "Cheapest", .strong = true});
  Table table(std::move(columns));
  const auto& first = estimates.front().phases;
  const auto has_same_phases = [&](const Estimate& e) {
    return std::ranges::equal(e.phases, first, {}, &PhaseResult::name, &PhaseResult::name);
  };
  if (estimates.size() < 2 || first.size() < 2 ||
      !std::ranges::all_of(estimates, has_same_phases)) {
    return table;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    PhaseResult phase = first[i];
    phase.engine.reset();  // each platform has its own
    std::vector<Cell> cells = {Cell(phase_words(phase))};
    const Estimate* cheapest = nullptr;
    for (const Estimate& e : estimates) {
      const std::optional<double> cost = e.phases[i].cost;
      cells.push_back(money_cell(cost, e.cost));
      if (cost && (cheapest == nullptr || *cost < *cheapest->phases[i].cost)) cheapest = &e;
    }
    cells.push_back(cheapest != nullptr ? Cell(cheapest->accelerator) : Cell::unknown());
    table.add_row(std::move(cells));
  }
  return table;
}

Table range_table(std::span<const Estimate> estimates) {
  Table table({{.title = "Platform"},
               {.title = "What"},
               number_column("P10"),
               number_column("P50"),
               number_column("P90")});
  const auto row = [&](const Estimate& e, const char* what, const Quantiles& q, NumberKind kind) {
    table.add_row({e.accelerator, what, Cell::number(q.p10, kind), Cell::number(q.p50, kind),
                   Cell::number(q.p90, kind)});
  };
  for (const Estimate& e : estimates) {
    if (e.range.method.empty()) continue;
    if (e.range.total_usd) {
      const Quantiles& q = *e.range.total_usd;
      const auto money = [&](double usd) { return money_cell(usd, e.cost); };
      table.add_row({e.accelerator, "total", money(q.p10), money(q.p50), money(q.p90)});
    }
    row(e, "GPU-hours", e.range.gpu_hours, NumberKind::count);
    row(e, "wall-clock", e.range.wall_clock_seconds, NumberKind::duration);
  }
  return table;
}

Table stages_table(const Estimate& estimate) {
  Table table({{.title = "Stage"},
               number_column("Tokens"),
               number_column("FLOP", "", Overflow::drop),
               number_column("GPUs"),
               number_column(kSplitTitle, "", Overflow::drop),
               number_column("Memory"),
               number_column("MFU"),
               number_column("GPU-hours"),
               number_column("Wall-clock")});
  for (const StageResult& s : estimate.stages) {
    table.add_row({s.name, Cell::number(s.tokens, NumberKind::count),
                   Cell::number(s.flops, flop_words(s.flops)),
                   Cell::number(s.gpus, grouped(s.gpus, 0)), split_words(s.layout),
                   fmt::format("{}{}", format_number(s.memory.total, NumberKind::bytes),
                               s.memory.fits       ? ""
                               : may_fit(s.memory) ? ": may not fit"
                                                   : ": does not fit"),
                   Cell::number(s.mfu, NumberKind::fraction),
                   Cell::number(s.gpu_hours, gpu_hour_words(s.gpu_hours)),
                   Cell::number(s.wall_clock_seconds, NumberKind::duration)});
  }
  return table;
}

}  // namespace trcost::report
