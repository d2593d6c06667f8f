// SPDX-License-Identifier: Apache-2.0
#include "report/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/ownership.h"
#include "quantity/quantity.h"
#include "report/wording.h"
#include "trcost/bill.h"

namespace trcost {
namespace {

using Given = Calculation::Given;
using Product = Calculation::Product;
using Sum = Calculation::Sum;
using Place = Calculation::Place;

constexpr double kSame = 1e-9;  // relative
constexpr double kHoursPerDay = 24;
constexpr double kTera = 1e12;
constexpr double kBillion = 1e9;

bool same(double a, double b) {
  return std::fabs(a - b) <= kSame * std::max(std::fabs(a), std::fabs(b));
}

// A row of the bill, as several platforms have it.
struct Row {
  std::string name;
  Unit unit = Unit::gpu_hour;
  Part part = Part::compute;
  bool included = true;
  std::size_t rate = 0, quantity = 0, price = 0, amount = 0;  // lines
};

class BudgetMaker {
 public:
  explicit BudgetMaker(std::span<const BudgetCase> cases) : cases_(cases) {}

  Calculation make() {
    out_.name = "Budget";
    out_.notes = {
        "Marked cells are inputs: change one, and all that follows on this sheet changes.",
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
    check();
    return std::move(out_);
  }

 private:
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

  void collect_rows() {
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

  // What is run, and what a GPU makes of it.
  void add_run() {
    out_.add_heading("The run");
    tokens_ = line("tokens", "tokens", NumberKind::count, [&](std::size_t c, const Estimate& e) {
      const bool shared = c > 0 && e.tokens.total == of(0).tokens.total;
      return shared ? Calculation::Rule(Product{1, {{{out_.lines.size() - 1, 0}}}})
                    : Calculation::Rule(input(e.tokens.total));
    });
    flops_ =
        line("model FLOPs per token", "FLOP", NumberKind::count,
             [](std::size_t, const Estimate& e) { return fixed(e.flops.model / e.tokens.total); });
    peak_ = line("dense peak of a GPU", "FLOP/s", NumberKind::count,
                 [](std::size_t, const Estimate& e) {
                   return fixed(e.performance.tflops_per_gpu * kTera / e.performance.mfu);
                 });
    mfu_ = line("MFU", "", NumberKind::fraction,
                [](std::size_t, const Estimate& e) { return input(e.performance.mfu); });
    goodput_ = line("goodput", "", NumberKind::fraction,
                    [](std::size_t, const Estimate& e) { return input(e.performance.goodput); });
    overhead_ = line(
        "left after evaluations, restarts by hand, ramp-up", "", NumberKind::fraction,
        [](std::size_t, const Estimate& e) { return input(e.performance.production_overhead); });
    gpus_ = line("GPUs", "", NumberKind::count,
                 [](std::size_t, const Estimate& e) { return input(e.gpus); });
  }

  // GPU-hours = tokens x FLOPs per token / (peak x MFU x goodput x overhead) / 3600
  Product hours_rule(std::size_t c) const {
    return {1 / kSecondsPerHour,
            {{{tokens_, c}},
             {{flops_, c}},
             {{peak_, c}, true},
             {{mfu_, c}, true},
             {{goodput_, c}, true},
             {{overhead_, c}, true}}};
  }

  void add_time() {
    out_.add_heading("Time");
    hours_ = line("GPU-hours", "h", NumberKind::count, [&](std::size_t c, const Estimate& e) {
      Product rule = hours_rule(c);
      // A second factor where the rates above are means that do not multiply.
      const std::size_t here = out_.lines.size() - 1;
      out_.set({here, c}, rule);
      const double given = out_.value({here, c}).value_or(0);
      if (given > 0 && !same(given, e.gpu_hours)) rule.scale *= e.gpu_hours / given;
      return given > 0 ? Calculation::Rule(rule) : Calculation::Rule(input(e.gpu_hours));
    });
    days_ = line("wall-clock", "days", NumberKind::number, [&](std::size_t c, const Estimate& e) {
      // Below 1 where stages use fewer GPUs than the largest.
      const double busy = e.gpu_hours / (e.gpus * e.wall_clock_seconds / kSecondsPerHour);
      return Product{1 / kHoursPerDay / (same(busy, 1) ? 1 : busy),
                     {{{hours_, c}}, {{gpus_, c}, true}}};
    });
  }

  // What a quantity goes with: GPU-hours, days, or nothing.
  std::optional<std::size_t> goes_with(Unit unit) const {
    switch (unit) {
      case Unit::gpu_hour:
      case Unit::kwh:
        return hours_;
      case Unit::gb_month:
        return days_;
      case Unit::gb:
        return {};
    }
    return {};
  }

  // An earlier row of as many GPU-hours on every platform, such as the parts of an owned hour.
  const Row* alike(const Row& row) const {
    for (const Row& before : rows_) {
      if (&before == &row) return nullptr;
      if (before.unit != row.unit || row.unit != Unit::gpu_hour) continue;
      const bool all = std::ranges::all_of(cases_, [&](const BudgetCase& each) {
        const LineItem* one = item_of(*each.estimate, before);
        const LineItem* other = item_of(*each.estimate, row);
        return other == nullptr || (one != nullptr && one->quantity == other->quantity);
      });
      if (all) return &before;
    }
    return nullptr;
  }

  // What one of a quantity's rate stands for: a GPU-hour or a day; of a dataset, whose bytes go
  // with the tokens, a day and a billion of them.
  Product per_rate(const Row& row, std::size_t with, std::size_t c) const {
    Product out{1, {{{with, c}}}};
    if (row.part != Part::dataset) return out;
    out.scale = 1 / kBillion;
    out.factors.push_back({{tokens_, c}});
    return out;
  }

  void add_quantity(Row& row, std::optional<std::size_t> with) {
    const std::string unit(unit_name(row.unit));
    bool whole = row.unit == Unit::gpu_hour;  // as many as GPU-hours: no line of its own
    for_items(row, [&](std::size_t, const Estimate& e, const LineItem& item) {
      whole = whole && same(item.quantity, e.gpu_hours);
    });
    if (with && !whole) {
      const std::string_view per = row.part == Part::dataset ? ", per day and billion tokens"
                                   : with == days_           ? ", per day"
                                                             : ", per GPU-hour";
      row.rate = out_.add(fmt::format("{}{}", row.name, per), unit);
    }
    row.quantity = out_.add(row.name, unit, NumberKind::count);
    for_items(row, [&](std::size_t c, const Estimate&, const LineItem& item) {
      if (!with) return out_.set({row.quantity, c}, input(item.quantity));
      Product rule = per_rate(row, *with, c);
      out_.set({row.quantity, c}, rule);
      if (whole) return;
      out_.set({row.rate, c}, input(item.quantity / out_.value({row.quantity, c}).value_or(1)));
      rule.factors.push_back({{row.rate, c}});
      out_.set({row.quantity, c}, rule);
    });
  }

  void add_quantities() {
    out_.add_heading("Quantities");
    for (Row& row : rows_) {
      const Row* first = alike(row);
      if (first == nullptr) {
        add_quantity(row, goes_with(row.unit));
        continue;
      }
      row.rate = first->rate;
      row.quantity = first->quantity;
    }
  }

  // The line of a unit price that this one repeats: dearer compute is dearer for experiments too.
  std::optional<std::size_t> repeats(const Row& row, std::size_t c, const LineItem& item) const {
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

  void add_prices() {
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

  [[nodiscard]] bool owned() const {
    return std::ranges::any_of(cases_,
                               [](const BudgetCase& each) { return each.estimate->cost.own; });
  }
  static bool stands(Part part) {
    return std::ranges::any_of(kStandingCosts,
                               [&](const StandingCost& each) { return each.part == part; });
  }

  // idle = standing / utilisation - standing: what stands is paid in the hours that nobody uses.
  void add_idle(const Row& row) {
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
      out_.set({used, c}, input(*usd / (*usd + *item.unit_price)));
      out_.set({paid, c}, Product{1, {{{standing, c}}, {{used, c}, true}}});
      out_.set({row.price, c}, Sum{{{paid, c}}, {{standing, c}}});
    });
  }

  // The line of all that an owned hour costs, energy included, which is what experiments pay.
  std::optional<std::size_t> owned_hour(const Row& payer) {
    if (!owned()) return {};
    const std::size_t energy = out_.add("energy of an hour", "USD", NumberKind::money);
    const std::size_t hour = out_.add("an owned hour, all in", "USD", NumberKind::money);
    for_items(payer, [&](std::size_t c, const Estimate& e, const LineItem& paid) {
      Sum sum;
      for (const Row& row : rows_) {
        const LineItem* item = item_of(e, row);
        if (item == nullptr || !row.included || item->round != paid.round) continue;
        if (stands(row.part) || row.part == Part::idle) sum.parts.push_back({row.price, c});
        if (row.part != Part::energy || row.unit != Unit::kwh || sum.parts.empty()) continue;
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

  void add_amount(Row& row) {
    row.amount = out_.add(row.name, "USD", NumberKind::money);
    for_items(row, [&](std::size_t c, const Estimate&, const LineItem&) {
      out_.set({row.amount, c}, Product{1, {{{row.quantity, c}}, {{row.price, c}}}});
    });
  }

  void add_amounts() {
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

  // The ends move with the total; what makes them stays as it was.
  void add_range() {
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
  void add_obligation() {
    const auto rent = std::ranges::find(rows_, Part::compute, &Row::part);
    const bool known = std::ranges::any_of(
        cases_, [](const BudgetCase& each) { return each.estimate->cost.obligation.has_value(); });
    if (!known || rent == rows_.end()) return;
    out_.add_heading("What the reserved price binds to");
    const std::size_t term =
        line("term", "h", NumberKind::count,
             [](std::size_t, const Estimate& e) -> Calculation::Rule {
               if (!e.cost.obligation) return {};
               return fixed(e.cost.obligation->hours);
             });
    line("all GPUs for the term", "USD", NumberKind::money,
                       [&](std::size_t c, const Estimate& e) -> Calculation::Rule {
                         if (!e.cost.obligation) return {};
                         const Product rule{1, {{{rent->price, c}}, {{gpus_, c}}, {{term, c}}}};
                         const std::size_t here = out_.lines.size() - 1;
                         out_.set({here, c}, rule);
                         const double usd = e.cost.obligation->usd;  // of the largest stage
                         if (same(out_.value({here, c}).value_or(0), usd)) return rule;
                         return fixed(usd);
                       });
  }

  void add_sources() {
    for (const Row& row : rows_) {
      for_items(row, [&](std::size_t c, const Estimate&, const LineItem& item) {
        if (item.source.empty()) return;
        out_.sources.push_back(
            {fmt::format("{}: {}", cases_[c].title, row.name),
             item.date.empty() ? item.source : fmt::format("{} ({})", item.source, item.date)});
      });
    }
  }

  void check() const {
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      check_figure(out_, {hours_, c}, of(c).gpu_hours);
      check_figure(out_, {total_, c}, of(c).cost.total);
    }
  }

  std::span<const BudgetCase> cases_;
  Calculation out_;
  std::vector<Row> rows_;
  std::size_t tokens_ = 0, flops_ = 0, peak_ = 0, mfu_ = 0, goodput_ = 0, overhead_ = 0, gpus_ = 0;
  std::size_t hours_ = 0, days_ = 0, total_ = 0;
};

}  // namespace

Calculation budget_of(std::span<const BudgetCase> cases) {
  return BudgetMaker(cases).make();
}

Calculation budget_of(std::span<const Estimate> estimates) {
  std::vector<BudgetCase> cases;
  for (const Estimate& e : estimates) cases.push_back({e.accelerator, &e});
  return budget_of(cases);
}

}  // namespace trcost
