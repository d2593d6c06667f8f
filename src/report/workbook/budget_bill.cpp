// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/workbook/budget_maker.h"

namespace trcost::report {

// The line of a unit price that this one repeats: dearer compute is dearer for experiments too.
std::optional<std::size_t> BudgetMaker::repeats(const Row& row, std::size_t c,
                                                const LineItem& item) const {
  for (const Row& before : rows_) {
    if (&before == &row) return {};
    const LineItem* other = item_of(of(c), before);
    const bool of_hours = row.unit == Unit::gpu_hour && of(c).cost.own;
    if (other != nullptr && before.unit == row.unit && other->unit_price == item.unit_price &&
        (!of_hours || before.part == row.part)) {
      return before.price;
    }
  }
  return {};
}

void BudgetMaker::add_prices() {
  out_.add_heading("Unit prices");
  for (Row& row : rows_) {
    const bool whole_hour = row.part == Part::experiments || row.part == Part::evaluation;
    const std::optional<std::size_t> hour = whole_hour ? owned_hour(row) : std::nullopt;
    row.price =
        out_.add(row.name, fmt::format("USD per {}", unit_name(row.unit)), NumberKind::money);
    for_items(row, [&](std::size_t c, const Estimate&, const LineItem& item) {
      const std::optional<std::size_t> from =
          hour && out_.has({*hour, c}) && item.unit_price ? hour : repeats(row, c, item);
      out_.set({row.price, c}, from ? Calculation::Rule(Product{1, {{{*from, c}}}})
                                    : Calculation::Rule(input(item.unit_price)));
    });
    if (row.part == Part::idle) add_idle(row);
  }
}

bool BudgetMaker::owned() const {
  return std::ranges::any_of(cases_,
                             [](const BudgetCase& each) { return each.estimate->cost.own; });
}

bool BudgetMaker::stands(Part part) {
  return std::ranges::any_of(standing_costs(),
                             [&](const StandingCost& each) { return each.part == part; });
}

// As idle_cost(): what stands is paid in the hours that nobody uses. In cells, so that another
// utilisation can be tried.
void BudgetMaker::add_idle(const Row& row) {
  const std::size_t standing = out_.add("an hour, used or not", "USD", NumberKind::money);
  const std::size_t used = out_.add("hours that somebody uses", "", NumberKind::fraction);
  const std::size_t paid = out_.add("paid for an hour in use", "USD", NumberKind::money);
  for_items(row, [&](std::size_t c, const Estimate& e, const LineItem& item) {
    Sum sum;
    for (const Row& other : rows_) {
      const LineItem* part = item_of(e, other);
      if (part != nullptr && stands(other.part) && part->round == item.round)
        sum.parts.push_back({other.price, c});
    }
    out_.set({standing, c}, sum);
    const std::optional<double> usd = out_.value({standing, c});
    if (!usd || !item.unit_price || *usd <= 0) return;
    out_.set({used, c}, input(implied_utilization(*usd, *item.unit_price)));
    out_.set({paid, c}, Product{1, {{{standing, c}}, {{used, c}, true}}});
    out_.set({row.price, c}, Sum{{{paid, c}}, {{standing, c}}});
  });
}

// The line of all that an owned hour costs (the rows that have words for it), energy included,
// which is what experiments pay.
std::optional<std::size_t> BudgetMaker::owned_hour(const Row& payer) {
  if (!owned()) return {};
  const std::size_t energy = out_.add("energy of an hour", "USD", NumberKind::money);
  const std::size_t hour = out_.add("an owned hour, all in", "USD", NumberKind::money);
  for_items(payer, [&](std::size_t c, const Estimate& e, const LineItem& paid) {
    Sum sum;
    for (const Row& row : rows_) {
      const LineItem* item = item_of(e, row);
      if (item == nullptr || !row.included || item->round != paid.round) continue;
      if (kPartWords[static_cast<std::size_t>(row.part)].of_hour.empty()) continue;
      if (row.unit == Unit::gpu_hour) sum.parts.push_back({row.price, c});
      if (row.unit == Unit::gpu_hour || sum.parts.empty()) continue;
      // Of the hours that the parts before it are paid for.
      const auto hours = std::ranges::find(rows_, sum.parts.front().line, &Row::price);
      out_.set({energy, c},
               Product{1, {{{row.quantity, c}}, {{row.price, c}}, {{hours->quantity, c}, true}}});
      sum.parts.push_back({energy, c});
    }
    out_.set({hour, c}, sum);
    const std::optional<double> usd = out_.value({hour, c});
    if (!usd || !paid.unit_price || !same(*usd, *paid.unit_price)) out_.set({hour, c}, {});
  });
  return hour;
}

void BudgetMaker::add_amount(Row& row) {
  row.amount = out_.add(row.name, "USD", NumberKind::money);
  for_items(row, [&](std::size_t c, const Estimate&, const LineItem&) {
    out_.set({row.amount, c}, Product{1, {{{row.quantity, c}}, {{row.price, c}}}});
  });
}

void BudgetMaker::add_amounts() {
  out_.add_heading("Amounts");
  Calculation::Chart bill{
      cases_.size() > 1 ? Calculation::Chart::Kind::stacked : Calculation::Chart::Kind::lines,
      "Bill, USD",
      {}};
  for (Row& row : rows_) {
    if (!row.included) continue;
    add_amount(row);
    bill.lines.push_back(row.amount);
  }
  total_ = line("Total", "USD", NumberKind::money, [&](std::size_t c, const Estimate& e) {
    Sum sum;
    for (const Row& row : rows_) {
      if (row.included && item_of(e, row) != nullptr) sum.parts.push_back({row.amount, c});
    }
    return sum;
  });
  out_.lines[total_].strong = true;
  constexpr double kMillion = 1e6;
  line("per million tokens", "USD", NumberKind::money, [&](std::size_t c, const Estimate&) {
    return Product{kMillion, {{{total_, c}}, {{tokens_, c}, true}}};
  });
  if (std::ranges::any_of(rows_, [](const Row& row) { return !row.included; })) {
    out_.add_heading("Not in the total");
    for (Row& row : rows_) {
      if (!row.included) add_amount(row);
    }
  }
  out_.charts.push_back(std::move(bill));
}

}  // namespace trcost::report
