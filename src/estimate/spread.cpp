// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/money.h"
#include "trcost/uncertainty.h"

namespace trcost {
namespace {

double included_amount(const CostResult& cost, auto&& of) {
  double sum = 0;
  for (const LineItem& item : cost.items) {
    if (item.included && item.amount && of(item)) sum += *item.amount;
  }
  return sum;
}

CostShares shares_of(const Estimate& out, bool own) {
  CostShares shares;
  const double total = out.cost.total.value_or(0);
  if (total <= 0) return shares;
  const auto share = [&](auto&& of) { return included_amount(out.cost, of) / total; };
  shares.storage = share([](const LineItem& i) { return i.unit.starts_with("GB"); });
  shares.experiments = share([](const LineItem& i) { return i.item == "experiments"; });
  shares.evaluation = share([](const LineItem& i) { return i.item == "evaluation"; });
  shares.compute = 1 - shares.storage;
  shares.electricity = own ? share([](const LineItem& i) { return i.unit == "kWh"; }) : 0;
  shares.price = shares.compute - shares.electricity;
  shares.text_tokens = out.tokens.total > 0 ? std::min(1.0, out.tokens.text / out.tokens.total) : 1;
  return shares;
}

// Fields whose own distribution replaces one of the default spreads.
bool user_gave(const Scenario& scenario, Field field) {
  return scenario.distribution(field) != nullptr;
}

}  // namespace

void add_range(const Scenario& scenario, const ResolvedWork& work, const Rates& rates,
               const UsefulTime& useful, Estimate& out) {
  const CostShares shares = shares_of(out, rates.own);
  SpreadContext context;
  context.gpus = out.gpus;
  context.mfu_sigma = out.performance.quality.sigma;
  context.mfu_given = scenario.has(Field::efficiency_mfu);
  context.stack_known = scenario.has(Field::efficiency_stack) &&
                        scenario.text(Field::efficiency_stack) != "typical";
  context.moe = work.model.language.moe.has_value();
  context.vision = work.workload.vision();
  context.goodput_given = useful.goodput_given &&
                          scenario.has(Field::efficiency_production_overhead);
  context.tokens_given = work.tokens_given;
  context.own = rates.own;
  context.price_given = rates.price.given && !rates.own;
  context.price_sigma = rates.price.sigma;
  context.electricity_share = shares.electricity;
  context.experiments_share = shares.experiments;
  RangeInputs inputs;
  default_spreads(context, inputs.inputs);
  if (user_gave(scenario, Field::data_tokens) || user_gave(scenario, Field::data_samples)) {
    std::erase_if(inputs.inputs, [](const UncertainInput& in) { return in.name == "tokens"; });
  }
  for (const auto& [field, distribution] : scenario.distributions()) {
    inputs.inputs.push_back(
        field_spread(field, distribution, *scenario.number(field), shares));
  }
  inputs.gpu_hours = out.gpu_hours;
  inputs.wall_clock_seconds = out.wall_clock_seconds;
  inputs.total_usd = out.cost.total;
  inputs.draws = scenario.number(Field::range_draws);
  inputs.seed = scenario.number_or_default(Field::range_seed);
  out.range = compute_range(inputs);
}

}  // namespace trcost
