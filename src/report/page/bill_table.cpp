// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/page/estimate_tables.h"
#include "report/page/wording.h"

namespace trcost::report {

namespace {

constexpr double kWholeDollars = 1e6;  // totals from here on are shown without cents

int shown_decimals(const CostResult& cost) {
  return std::abs(cost.total.value_or(0)) < kWholeDollars ? 2 : 0;
}

}  // namespace

std::string item_quantity_words(const LineItem& item) {
  constexpr double kGrouped = 1000;
  constexpr double kExponent = 1e12;
  const double q = item.quantity;
  const std::string_view unit = unit_name(item.unit);
  if (q >= kExponent) return fmt::format("{:.4g} {}", q, unit);
  if (q >= kGrouped) return fmt::format("{} {}", grouped(q, q == std::floor(q) ? 0 : 1), unit);
  return fmt::format("{} {}", format_number(q, NumberKind::number, 4), unit);
}

std::vector<std::string> shown_amounts(const CostResult& cost) {
  const int decimals = shown_decimals(cost);
  const double unit = decimals == 2 ? 0.01 : 1;
  std::vector<double> units;  // whole cents or dollars, rounded down
  std::vector<std::pair<double, std::size_t>> rests;
  double sum = 0;
  for (std::size_t i = 0; i < cost.items.size(); ++i) {
    const LineItem& item = cost.items[i];
    const double exact = item.amount.value_or(0) / unit;
    const bool part = item.included && cost.total.has_value();
    units.push_back(part ? std::floor(exact + 1e-6) : std::round(exact));
    if (!part) continue;
    rests.emplace_back(units.back() - exact, i);  // ascending: the largest rest first
    sum += units.back();
  }
  std::sort(rests.begin(), rests.end());
  double missing = std::round(cost.total.value_or(0) / unit) - sum;
  for (const auto& [rest, i] : rests) {
    if (missing < 1) break;
    units[i] += 1;
    missing -= 1;
  }
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < cost.items.size(); ++i) {
    shown.push_back(cost.items[i].amount ? "$" + grouped(units[i] * unit, decimals) : "n/a");
  }
  return shown;
}

Table items_table(const Estimate& estimate) {
  const CostResult& cost = estimate.cost;
  Table table({{.title = "Item", .overflow = Overflow::wrap},
               {.title = "Quantity", .align = Align::right},
               {.title = "Unit price", .align = Align::right},
               {.title = "Amount", .align = Align::right}});
  const std::vector<std::string> amounts = shown_amounts(cost);
  const auto add = [&](std::size_t i) {
    const LineItem& item = cost.items[i];
    const bool imputed = shows_kind(cost, item);
    Cell amount =
        item.amount ? Cell::number(*item.amount, with_kind(amounts[i], imputed)) : Cell::unknown();
    Cell price = item.unit_price ? Cell::number(*item.unit_price,
                                                with_kind(unit_money(*item.unit_price), imputed))
                                 : Cell::unknown();
    table.add_row(
        {item_name(item), Cell::number(item.quantity, item_quantity_words(item)), price, amount});
  };
  for (std::size_t i = 0; i < cost.items.size(); ++i) {
    if (cost.items[i].included) add(i);
  }
  table.add_rule();
  const std::string total = cost.total
                                ? with_kind("$" + grouped(*cost.total, shown_decimals(cost)), cost)
                                : std::string("n/a");
  table.add_row({Cell("Total").strong(), "", "",
                 cost.total ? Cell::number(*cost.total, total).strong() : Cell::unknown()});
  bool apart = false;
  for (std::size_t i = 0; i < cost.items.size(); ++i) {
    if (cost.items[i].included) continue;
    if (!apart) table.add_row({"Not in the total:", "", "", ""});
    apart = true;
    add(i);
  }
  return table;
}

}  // namespace trcost::report
