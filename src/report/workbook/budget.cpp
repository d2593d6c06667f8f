// SPDX-License-Identifier: Apache-2.0
#include "report/workbook/budget.h"

#include <fmt/format.h>

#include "report/workbook/budget_maker.h"

namespace trcost::report {

namespace {

constexpr double kTera = 1e12;
constexpr double kBillion = 1e9;

}  // namespace

Calculation BudgetMaker::make() {
  out_.name = "Budget";
  out_.notes = {"Marked cells are inputs: change one, and all that follows on this sheet changes.",
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

// What is run, and what a GPU makes of it.
void BudgetMaker::add_run() {
  out_.add_heading("The run");
  tokens_ = line("tokens", "tokens", NumberKind::count, [&](std::size_t c, const Estimate& e) {
    const bool shared = c > 0 && e.tokens.total == of(0).tokens.total;
    return shared ? Calculation::Rule(Product{1, {{{out_.lines.size() - 1, 0}}}})
                  : Calculation::Rule(input(e.tokens.total));
  });
  flops_ =
      line("model FLOPs per token", "FLOP", NumberKind::count,
           [](std::size_t, const Estimate& e) { return fixed(e.flops.model / e.tokens.total); });
  peak_ =
      line("dense peak of a GPU", "FLOP/s", NumberKind::count, [](std::size_t, const Estimate& e) {
        return fixed(e.performance.tflops_per_gpu * kTera / e.performance.mfu);
      });
  mfu_ = line("MFU", "", NumberKind::fraction,
              [](std::size_t, const Estimate& e) { return input(e.performance.mfu); });
  goodput_ = line("goodput", "", NumberKind::fraction,
                  [](std::size_t, const Estimate& e) { return input(e.performance.goodput); });
  overhead_ =
      line("left after evaluations, restarts by hand, ramp-up", "", NumberKind::fraction,
           [](std::size_t, const Estimate& e) { return input(e.performance.production_overhead); });
  gpus_ = line("GPUs", "", NumberKind::count,
               [](std::size_t, const Estimate& e) { return input(e.gpus); });
}

// GPU-hours = tokens x FLOPs per token / (peak x MFU x goodput x overhead) / 3600
BudgetMaker::Product BudgetMaker::hours_rule(std::size_t c) const {
  return {1 / kSecondsPerHour,
          {{{tokens_, c}},
           {{flops_, c}},
           {{peak_, c}, true},
           {{mfu_, c}, true},
           {{goodput_, c}, true},
           {{overhead_, c}, true}}};
}

void BudgetMaker::add_time() {
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
std::optional<std::size_t> BudgetMaker::goes_with(Unit unit) const {
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
const BudgetMaker::Row* BudgetMaker::alike(const Row& row) const {
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
BudgetMaker::Product BudgetMaker::per_rate(const Row& row, std::size_t with, std::size_t c) const {
  Product out{1, {{{with, c}}}};
  if (row.part != Part::dataset) return out;
  out.scale = 1 / kBillion;
  out.factors.push_back({{tokens_, c}});
  return out;
}

void BudgetMaker::add_quantity(Row& row, std::optional<std::size_t> with) {
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

void BudgetMaker::add_quantities() {
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

void BudgetMaker::check() const {
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    check_figure(out_, {hours_, c}, of(c).gpu_hours);
    check_figure(out_, {total_, c}, of(c).cost.total);
  }
}

Calculation budget_of(std::span<const BudgetCase> cases) {
  return BudgetMaker(cases).make();
}

Calculation budget_of(std::span<const Estimate> estimates) {
  std::vector<BudgetCase> cases;
  for (const Estimate& e : estimates) cases.push_back({e.accelerator, &e});
  return budget_of(cases);
}

}  // namespace trcost::report
