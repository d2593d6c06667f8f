// SPDX-License-Identifier: Apache-2.0
#include "report/workbook/budget.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cost/ownership.h"
#include "quantity/quantity.h"
#include "report/page/comparison.h"
#include "trcost/bill.h"

namespace trcost::report {
namespace {

constexpr double kTera = 1e12;
constexpr double kBillion = 1e9;

// The sheet, line by line for all platforms.
class BudgetMaker {
 public:
  explicit BudgetMaker(std::span<const BudgetCase> cases) : cases_(cases) {}
  Calculation make();

 private:
  using Given = Calculation::Given;
  using Product = Calculation::Product;
  using Sum = Calculation::Sum;

  // A row of the bill, shared by all platforms that have such an item.
  struct Row {
    std::string name;
    Unit unit = Unit::gpu_hour;
    Part part = Part::compute;
    bool included = true;
    std::size_t rate = 0, quantity = 0, price = 0, amount = 0;  // lines
  };

  static constexpr double kSame = 1e-9;  // relative
  static bool is_same(double a, double b) {
    return std::fabs(a - b) <= kSame * std::max(std::fabs(a), std::fabs(b));
  }
  [[nodiscard]] const Estimate& case_estimate(std::size_t c) const { return *cases_[c].estimate; }
  // Returns the item of a row in the bill of one platform, or null.
  static const LineItem* find_item(const Estimate& e, const Row& row) {
    const auto found = std::ranges::find_if(e.cost.items, [&](const LineItem& item) {
      return item.included == row.included && item_name(item) == row.name;
    });
    return found == e.cost.items.end() ? nullptr : &*found;
  }
  template <class Set>
  void for_each_item(const Row& row, const Set& set) {
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      if (const LineItem* item = find_item(case_estimate(c), row)) set(c, case_estimate(c), *item);
    }
  }
  template <class Rule>
  std::size_t add_line(std::string label, std::string unit, NumberKind kind, const Rule& rule) {
    const std::size_t at = out_.add(std::move(label), std::move(unit), kind);
    for (std::size_t c = 0; c < cases_.size(); ++c) out_.set({at, c}, rule(c, case_estimate(c)));
    return at;
  }
  static Given input(std::optional<double> value) { return {value, true}; }
  static Given fixed(std::optional<double> value) { return {value, false}; }

  void collect_rows();
  void add_run();
  void add_time();
  const Row* row_of_same_hours(const Row& row) const;
  Product unit_quantity(const Row& row, std::size_t driver, std::size_t c) const;
  void add_quantity(Row& row, std::optional<std::size_t> driver);
  void add_quantities();

  std::optional<std::size_t> equal_price_above(const Row& row, std::size_t c,
                                               const LineItem& item) const;
  void add_prices();
  void add_idle(const Row& row);
  std::optional<std::size_t> add_owned_hour(const Row& payer);
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

Calculation BudgetMaker::make() {
  out_.name = "Budget";
  out_.notes = {"Marked cells are inputs: change one, and all that follows on this sheet changes.",
                "MFU, goodput and overheads are inputs too: they stay if GPUs or tokens change. "
                "Run trcost again for another layout.",
                "The other sheets stay as the estimate was made."};
  for (const BudgetCase& each : cases_) out_.columns.push_back(each.title);
  collect_rows();
  add_run();
  add_time();
  add_quantities();
  add_prices();
  add_amounts();
  add_range();
  add_obligation();
  add_sources();
  for (const auto& [line, key] : {std::pair{hours_, "hours"}, {days_, "days"}, {total_, "total"}}) {
    out_.lines[line].key = key;
  }
  // Stages and phases of a round have tokens, speeds and GPUs of their own.
  const bool one_kind_of_work = std::ranges::all_of(cases_, [](const BudgetCase& each) {
    return each.estimate->stages.empty() && each.estimate->phases.size() <= 1;
  });
  if (one_kind_of_work) {
    out_.lines[tokens_].key = "tokens";
    out_.lines[mfu_].key = "mfu";
    out_.lines[gpus_].key = "gpus";
  }
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    check_figure(out_, {hours_, c}, case_estimate(c).gpu_hours);
    check_figure(out_, {total_, c}, case_estimate(c).cost.total);
  }
  return std::move(out_);
}

void BudgetMaker::collect_rows() {
  for (const bool included : {true, false}) {
    for (const BudgetCase& each : cases_) {
      for (const LineItem& item : each.estimate->cost.items) {
        if (item.included != included) continue;
        const std::string name = item_name(item);
        const bool known = std::ranges::any_of(
            rows_, [&](const Row& row) { return row.included == included && row.name == name; });
        if (!known) rows_.push_back({name, item.unit, item.part, included});
      }
    }
  }
}

// Adds the tokens of the run and the speed of a GPU.
void BudgetMaker::add_run() {
  out_.add_heading("The run");
  tokens_ = add_line("tokens", "tokens", NumberKind::count, [&](std::size_t c, const Estimate& e) {
    const bool shared = c > 0 && e.tokens.total == case_estimate(0).tokens.total;
    return shared ? Calculation::Rule(Product{1, {{{out_.lines.size() - 1, 0}}}})
                  : Calculation::Rule(input(e.tokens.total));
  });
  flops_ = add_line(
      "model FLOPs per token", "FLOP", NumberKind::count,
      [](std::size_t, const Estimate& e) { return fixed(e.flops.model / e.tokens.total); });
  peak_ = add_line("dense peak of a GPU", "FLOP/s", NumberKind::count,
                   [](std::size_t, const Estimate& e) {
                     return fixed(e.performance.tflops_per_gpu * kTera / e.performance.mfu);
                   });
  mfu_ = add_line("MFU", "", NumberKind::fraction,
                  [](std::size_t, const Estimate& e) { return input(e.performance.mfu); });
  goodput_ = add_line("goodput", "", NumberKind::fraction,
                      [](std::size_t, const Estimate& e) { return input(e.performance.goodput); });
  overhead_ = add_line(
      "useful time, without evaluations, manual restarts and ramp-up", "", NumberKind::fraction,
      [](std::size_t, const Estimate& e) { return input(e.performance.production_overhead); });
  gpus_ = add_line("GPUs", "", NumberKind::count,
                   [](std::size_t, const Estimate& e) { return input(e.gpus); });
}

void BudgetMaker::add_time() {
  out_.add_heading("Time");
  hours_ = add_line("GPU-hours", "h", NumberKind::count, [&](std::size_t c, const Estimate& e) {
    // GPU-hours = tokens x FLOPs per token / (peak x MFU x goodput x overhead) / 3600
    Product rule{1 / kSecondsPerHour,
                 {{{tokens_, c}},
                  {{flops_, c}},
                  {{peak_, c}, true},
                  {{mfu_, c}, true},
                  {{goodput_, c}, true},
                  {{overhead_, c}, true}}};
    // Rates that are means over stages do not multiply to the estimate's hours.
    const std::size_t here = out_.lines.size() - 1;
    out_.set({here, c}, rule);
    const double given = out_.value({here, c}).value_or(0);
    if (given > 0 && !is_same(given, e.gpu_hours)) rule.scale *= e.gpu_hours / given;
    return given > 0 ? Calculation::Rule(rule) : Calculation::Rule(input(e.gpu_hours));
  });
  days_ = add_line("wall-clock", "days", NumberKind::number, [&](std::size_t c, const Estimate& e) {
    // Below 1 where stages use fewer GPUs than the largest.
    const double busy = e.gpu_hours / (e.gpus * e.wall_clock_seconds / kSecondsPerHour);
    return Product{1 / kHoursPerDay / (is_same(busy, 1) ? 1 : busy),
                   {{{hours_, c}}, {{gpus_, c}, true}}};
  });
}

// Returns an earlier row of equally many GPU-hours on each platform, such as a part of an owned
// hour.
const BudgetMaker::Row* BudgetMaker::row_of_same_hours(const Row& row) const {
  for (const Row& before : rows_) {
    if (&before == &row) return nullptr;
    if (before.unit != row.unit || row.unit != Unit::gpu_hour) continue;
    const bool all = std::ranges::all_of(cases_, [&](const BudgetCase& each) {
      const LineItem* one = find_item(*each.estimate, before);
      const LineItem* other = find_item(*each.estimate, row);
      return other == nullptr || (one != nullptr && one->quantity == other->quantity);
    });
    if (all) return &before;
  }
  return nullptr;
}

// Returns the quantity at a rate of one: a GPU-hour or a day, and for a dataset, whose bytes grow
// with the tokens, a day and a billion tokens.
BudgetMaker::Product BudgetMaker::unit_quantity(const Row& row, std::size_t driver,
                                                std::size_t c) const {
  Product out{1, {{{driver, c}}}};
  if (row.part != Part::dataset) return out;
  out.scale = 1 / kBillion;
  out.factors.push_back({{tokens_, c}});
  return out;
}

void BudgetMaker::add_quantity(Row& row, std::optional<std::size_t> driver) {
  const std::string unit(unit_name(row.unit));
  bool whole = row.unit == Unit::gpu_hour;  // all GPU-hours: the rate is one and needs no line
  for_each_item(row, [&](std::size_t, const Estimate& e, const LineItem& item) {
    whole = whole && is_same(item.quantity, e.gpu_hours);
  });
  if (driver && !whole) {
    const std::string_view per = row.part == Part::dataset ? ", per day and billion tokens"
                                 : driver == days_         ? ", per day"
                                                           : ", per GPU-hour";
    row.rate = out_.add(fmt::format("{}{}", row.name, per), unit);
  }
  row.quantity = out_.add(row.name, unit, NumberKind::count);
  for_each_item(row, [&](std::size_t c, const Estimate&, const LineItem& item) {
    if (!driver) return out_.set({row.quantity, c}, input(item.quantity));
    Product rule = unit_quantity(row, *driver, c);
    out_.set({row.quantity, c}, rule);
    if (whole) return;
    out_.set({row.rate, c}, input(item.quantity / out_.value({row.quantity, c}).value_or(1)));
    rule.factors.push_back({{row.rate, c}});
    out_.set({row.quantity, c}, rule);
  });
}

void BudgetMaker::add_quantities() {
  out_.add_heading("Quantities");
  for (Row& row : rows_) {
    const Row* first = row_of_same_hours(row);
    if (first != nullptr) {
      row.rate = first->rate;
      row.quantity = first->quantity;
    } else if (row.unit == Unit::gb) {
      add_quantity(row, {});
    } else {
      add_quantity(row, row.unit == Unit::gb_month ? days_ : hours_);
    }
  }
}

// Returns the line of an equal unit price above, which experiments share with compute.
std::optional<std::size_t> BudgetMaker::equal_price_above(const Row& row, std::size_t c,
                                                          const LineItem& item) const {
  for (const Row& before : rows_) {
    if (&before == &row) return {};
    const LineItem* other = find_item(case_estimate(c), before);
    const bool part_of_hour = row.unit == Unit::gpu_hour && case_estimate(c).cost.own;
    if (other != nullptr && before.unit == row.unit && other->unit_price == item.unit_price &&
        (!part_of_hour || before.part == row.part)) {
      return before.price;
    }
  }
  return {};
}

void BudgetMaker::add_prices() {
  out_.add_heading("Unit prices");
  for (Row& row : rows_) {
    const bool whole_hour = row.part == Part::experiments || row.part == Part::evaluation;
    const std::optional<std::size_t> hour = whole_hour ? add_owned_hour(row) : std::nullopt;
    row.price =
        out_.add(row.name, fmt::format("USD per {}", unit_name(row.unit)), NumberKind::money);
    for_each_item(row, [&](std::size_t c, const Estimate&, const LineItem& item) {
      const std::optional<std::size_t> from =
          hour && out_.has({*hour, c}) && item.unit_price ? hour : equal_price_above(row, c, item);
      out_.set({row.price, c}, from ? Calculation::Rule(Product{1, {{{*from, c}}}})
                                    : Calculation::Rule(input(item.unit_price)));
    });
    if (row.part == Part::compute && row.included) out_.lines[row.price].key = "price";
    if (row.part == Part::idle) add_idle(row);
  }
}

// Adds idle_cost() as cells, so that the utilization is an input: standing costs are paid in idle
// hours too.
void BudgetMaker::add_idle(const Row& row) {
  const std::size_t standing = out_.add("an hour, used or not", "USD", NumberKind::money);
  const std::size_t used = out_.add("hours that somebody uses", "", NumberKind::fraction);
  out_.lines[used].key = "utilization";
  const std::size_t paid = out_.add("paid for an hour in use", "USD", NumberKind::money);
  for_each_item(row, [&](std::size_t c, const Estimate& e, const LineItem& item) {
    Sum sum;
    for (const Row& other : rows_) {
      const LineItem* part = find_item(e, other);
      const bool stands = std::ranges::find(standing_costs(), other.part, &StandingCost::part) !=
                          std::ranges::end(standing_costs());
      if (part != nullptr && stands && part->round == item.round) {
        sum.parts.push_back({other.price, c});
      }
    }
    out_.set({standing, c}, sum);
    const std::optional<double> usd = out_.value({standing, c});
    if (!usd || !item.unit_price || *usd <= 0) return;
    out_.set({used, c}, input(implied_utilization(*usd, *item.unit_price)));
    out_.set({paid, c}, Product{1, {{{standing, c}}, {{used, c}, true}}});
    out_.set({row.price, c}, Sum{{{paid, c}}, {{standing, c}}});
  });
}

// Adds the line of the whole cost of an owned hour including energy, which experiments pay.
std::optional<std::size_t> BudgetMaker::add_owned_hour(const Row& payer) {
  const auto owns = [](const BudgetCase& each) { return each.estimate->cost.own; };
  if (std::ranges::none_of(cases_, owns)) return {};
  const std::size_t energy = out_.add("energy of an hour", "USD", NumberKind::money);
  const std::size_t hour = out_.add("an owned hour, all in", "USD", NumberKind::money);
  for_each_item(payer, [&](std::size_t c, const Estimate& e, const LineItem& paid) {
    Sum sum;
    for (const Row& row : rows_) {
      const LineItem* item = find_item(e, row);
      if (item == nullptr || !row.included || item->round != paid.round) continue;
      if (kPartWords[static_cast<std::size_t>(row.part)].of_hour.empty()) continue;
      if (row.unit == Unit::gpu_hour) sum.parts.push_back({row.price, c});
      if (row.unit == Unit::gpu_hour || sum.parts.empty()) continue;
      // Energy is spread over the hours of the parts before it.
      const auto hours = std::ranges::find(rows_, sum.parts.front().line, &Row::price);
      out_.set({energy, c},
               Product{1, {{{row.quantity, c}}, {{row.price, c}}, {{hours->quantity, c}, true}}});
      sum.parts.push_back({energy, c});
    }
    out_.set({hour, c}, sum);
    const std::optional<double> usd = out_.value({hour, c});
    if (!usd || !paid.unit_price || !is_same(*usd, *paid.unit_price)) out_.set({hour, c}, {});
  });
  return hour;
}

void BudgetMaker::add_amount(Row& row) {
  row.amount = out_.add(row.name, "USD", NumberKind::money);
  for_each_item(row, [&](std::size_t c, const Estimate&, const LineItem&) {
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
    out_.lines[row.amount].key = "amount";
    bill.lines.push_back(row.amount);
  }
  total_ = add_line("Total", "USD", NumberKind::money, [&](std::size_t c, const Estimate& e) {
    Sum sum;
    for (const Row& row : rows_) {
      if (row.included && find_item(e, row) != nullptr) sum.parts.push_back({row.amount, c});
    }
    return sum;
  });
  out_.lines[total_].strong = true;
  constexpr double kMillion = 1e6;
  add_line("per million tokens", "USD", NumberKind::money, [&](std::size_t c, const Estimate&) {
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

// Adds the range, whose ends keep their share of the total.
void BudgetMaker::add_range() {
  const bool known = std::ranges::any_of(cases_, [](const BudgetCase& each) {
    return each.estimate->range.total_usd && each.estimate->cost.total;
  });
  if (!known) return;
  out_.add_heading("80% range of the total. Its ends keep their ratio to it");
  const auto share = [&](std::string label, double Quantiles::*which) {
    return add_line(std::move(label), "of the total", NumberKind::fraction,
                    [&](std::size_t, const Estimate& e) -> Calculation::Rule {
                      if (!e.range.total_usd || !e.cost.total) return {};
                      return fixed((*e.range.total_usd).*which / *e.cost.total);
                    });
  };
  const auto dollars = [&](std::string label, std::size_t of) {
    return add_line(std::move(label), "USD", NumberKind::money,
                    [&](std::size_t c, const Estimate&) -> Calculation::Rule {
                      if (!out_.has({of, c})) return {};
                      return Product{1, {{{total_, c}}, {{of, c}}}};
                    });
  };
  const std::size_t low_share = share("low (P10)", &Quantiles::p10);
  const std::size_t high_share = share("high (P90)", &Quantiles::p90);
  const std::size_t low = dollars("low (P10)", low_share);
  const std::size_t high = dollars("high (P90)", high_share);
  out_.lines[low].key = "low";
  out_.lines[high].key = "high";
  const auto between = [&](std::string label, std::size_t from, std::size_t to) {
    return add_line(std::move(label), "USD", NumberKind::money,
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

// Adds the commitment of a reserved price: all GPUs for its whole term, used or not.
void BudgetMaker::add_obligation() {
  const auto rent = std::ranges::find(rows_, Part::compute, &Row::part);
  const bool known = std::ranges::any_of(
      cases_, [](const BudgetCase& each) { return each.estimate->cost.obligation.has_value(); });
  if (!known || rent == rows_.end()) return;
  out_.add_heading("What the reserved price binds to");
  const std::size_t term = add_line("term", "h", NumberKind::count,
                                    [](std::size_t, const Estimate& e) -> Calculation::Rule {
                                      if (!e.cost.obligation) return {};
                                      return fixed(e.cost.obligation->hours);
                                    });
  add_line("all GPUs for the term", "USD", NumberKind::money,
           [&](std::size_t c, const Estimate& e) -> Calculation::Rule {
             if (!e.cost.obligation) return {};
             const Product rule{1, {{{rent->price, c}}, {{gpus_, c}}, {{term, c}}}};
             const std::size_t here = out_.lines.size() - 1;
             out_.set({here, c}, rule);
             const double usd =
                 e.cost.obligation->usd;  // if stages differ, that of the largest one
             if (is_same(out_.value({here, c}).value_or(0), usd)) return rule;
             return fixed(usd);
           });
}

void BudgetMaker::add_sources() {
  for (const Row& row : rows_) {
    for_each_item(row, [&](std::size_t c, const Estimate&, const LineItem& item) {
      if (item.source.empty()) return;
      out_.sources.push_back(
          {fmt::format("{}: {}", cases_[c].title, row.name),
           item.date.empty() ? item.source : fmt::format("{} ({})", item.source, item.date)});
    });
  }
}

}  // namespace

Calculation budget_of(std::span<const BudgetCase> cases) {
  return BudgetMaker(cases).make();
}

Calculation budget_of(std::span<const Estimate> estimates) {
  std::vector<BudgetCase> cases;
  for (const Estimate& e : estimates) cases.push_back({platform_label(e, estimates), &e});
  return budget_of(cases);
}

}  // namespace trcost::report
