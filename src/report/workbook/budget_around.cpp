// SPDX-License-Identifier: Apache-2.0
// What lies around the total: its range, what a reserved price binds to, where prices are from.
#include <fmt/format.h>

#include "report/workbook/budget_maker.h"

namespace trcost::report {

// The ends move with the total; what makes them stays as it was.
void BudgetMaker::add_range() {
  const bool known = std::ranges::any_of(cases_, [](const BudgetCase& each) {
    return each.estimate->range.total_usd && each.estimate->cost.total;
  });
  if (!known) return;
  out_.add_heading("Range of the total, four chances in five; its ends keep their share of it");
  const auto share = [&](std::string label, double Quantiles::*which) {
    return line(std::move(label), "of the total", NumberKind::fraction,
                [&](std::size_t, const Estimate& e) -> Calculation::Rule {
                  if (!e.range.total_usd || !e.cost.total) return {};
                  return fixed((*e.range.total_usd).*which / *e.cost.total);
                });
  };
  const auto dollars = [&](std::string label, std::size_t of) {
    return line(std::move(label), "USD", NumberKind::money,
                [&](std::size_t c, const Estimate&) -> Calculation::Rule {
                  if (!out_.has({of, c})) return {};
                  return Product{1, {{{total_, c}}, {{of, c}}}};
                });
  };
  const std::size_t low_share = share("low (P10)", &Quantiles::p10);
  const std::size_t high_share = share("high (P90)", &Quantiles::p90);
  const std::size_t low = dollars("low (P10)", low_share);
  const std::size_t high = dollars("high (P90)", high_share);
  const auto between = [&](std::string label, std::size_t from, std::size_t to) {
    return line(std::move(label), "USD", NumberKind::money,
                [&](std::size_t c, const Estimate&) -> Calculation::Rule {
                  if (!out_.has({low, c})) return {};
                  return Sum{{{to, c}}, {{from, c}}};
                });
  };
  const std::size_t below = between("from low to the total", low, total_);
  const std::size_t above = between("from the total to high", total_, high);
  out_.charts.push_back(
      {Calculation::Chart::Kind::spread, "Total and its range, USD", {low, below, above}});
}

// What a reserved price binds to: all GPUs for its whole term, used or not.
void BudgetMaker::add_obligation() {
  const auto rent = std::ranges::find(rows_, Part::compute, &Row::part);
  const bool known = std::ranges::any_of(
      cases_, [](const BudgetCase& each) { return each.estimate->cost.obligation.has_value(); });
  if (!known || rent == rows_.end()) return;
  out_.add_heading("What the reserved price binds to");
  const std::size_t term =
      line("term", "h", NumberKind::count, [](std::size_t, const Estimate& e) -> Calculation::Rule {
        if (!e.cost.obligation) return {};
        return fixed(e.cost.obligation->hours);
      });
  line("all GPUs for the term", "USD", NumberKind::money,
       [&](std::size_t c, const Estimate& e) -> Calculation::Rule {
         if (!e.cost.obligation) return {};
         const Product rule{1, {{{rent->price, c}}, {{gpus_, c}}, {{term, c}}}};
         const std::size_t here = out_.lines.size() - 1;
         out_.set({here, c}, rule);
         const double usd = e.cost.obligation->usd;  // of stages that of the largest which is bound
         if (same(out_.value({here, c}).value_or(0), usd)) return rule;
         return fixed(usd);
       });
}

void BudgetMaker::add_sources() {
  for (const Row& row : rows_) {
    for_items(row, [&](std::size_t c, const Estimate&, const LineItem& item) {
      if (item.source.empty()) return;
      out_.sources.push_back(
          {fmt::format("{}: {}", cases_[c].title, row.name),
           item.date.empty() ? item.source : fmt::format("{} ({})", item.source, item.date)});
    });
  }
}

}  // namespace trcost::report
