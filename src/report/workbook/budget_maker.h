// SPDX-License-Identifier: Apache-2.0
// How the sheet of a budget is made: the run, its time, quantities, prices, amounts, and what lies
// around the total, line by line for all platforms.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cost/ownership.h"
#include "quantity/layers.h"
#include "quantity/quantity.h"
#include "report/page/wording.h"
#include "report/workbook/budget.h"
#include "report/workbook/calculation.h"
#include "trcost/bill.h"

namespace trcost::report {

class BudgetMaker {
 public:
  explicit BudgetMaker(std::span<const BudgetCase> cases) : cases_(cases) {}
  Calculation make();

 private:
  using Given = Calculation::Given;
  using Product = Calculation::Product;
  using Sum = Calculation::Sum;

  // A row of the bill, as several platforms have it.
  struct Row {
    std::string name;
    Unit unit = Unit::gpu_hour;
    Part part = Part::compute;
    bool included = true;
    std::size_t rate = 0, quantity = 0, price = 0, amount = 0;  // lines
  };

  static constexpr double kSame = 1e-9;  // relative
  static bool same(double a, double b) {
    return std::fabs(a - b) <= kSame * std::max(std::fabs(a), std::fabs(b));
  }
  [[nodiscard]] const Estimate& of(std::size_t c) const { return *cases_[c].estimate; }
  // One platform's item of a row, if it has one.
  static const LineItem* item_of(const Estimate& e, const Row& row) {
    const auto found = std::ranges::find_if(e.cost.items, [&](const LineItem& item) {
      return item.included == row.included && item_name(item) == row.name;
    });
    return found == e.cost.items.end() ? nullptr : &*found;
  }
  template <class Set>
  void for_items(const Row& row, const Set& set) {
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      if (const LineItem* item = item_of(of(c), row)) set(c, of(c), *item);
    }
  }
  template <class Rule>
  std::size_t line(std::string label, std::string unit, NumberKind kind, const Rule& rule) {
    const std::size_t at = out_.add(std::move(label), std::move(unit), kind);
    for (std::size_t c = 0; c < cases_.size(); ++c) out_.set({at, c}, rule(c, of(c)));
    return at;
  }
  static Given input(std::optional<double> value) { return {value, true}; }
  static Given fixed(std::optional<double> value) { return {value, false}; }

  void collect_rows();
  void add_run();
  Product hours_rule(std::size_t c) const;
  void add_time();
  std::optional<std::size_t> goes_with(Unit unit) const;
  const Row* alike(const Row& row) const;
  Product per_rate(const Row& row, std::size_t with, std::size_t c) const;
  void add_quantity(Row& row, std::optional<std::size_t> with);
  void add_quantities();
  void check() const;

  std::optional<std::size_t> repeats(const Row& row, std::size_t c, const LineItem& item) const;
  void add_prices();
  [[nodiscard]] bool owned() const;
  static bool stands(Part part);
  void add_idle(const Row& row);
  std::optional<std::size_t> owned_hour(const Row& payer);
  void add_amount(Row& row);
  void add_amounts();

  void add_range();
  void add_obligation();
  void add_sources();

  std::span<const BudgetCase> cases_;
  Calculation out_;
  std::vector<Row> rows_;
  std::size_t tokens_ = 0, flops_ = 0, peak_ = 0, mfu_ = 0, goodput_ = 0, overhead_ = 0, gpus_ = 0;
  std::size_t hours_ = 0, days_ = 0, total_ = 0;
};

}  // namespace trcost::report
