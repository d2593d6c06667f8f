// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cost/distribution.h"
#include "cost/make_bill.h"
#include "cost/spreads.h"
#include "estimate/money.h"
#include "quantity/portable_math.h"
#include "trcost/bill.h"
#include "trcost/error.h"

namespace trcost {
namespace {

bool ranged(const Scenario& scenario, Field field) {
  return scenario.distribution(field) != nullptr;
}

SpreadContext context_of(const Question& question, const UsefulTime& useful, bool speed_given,
                         const Estimate& out) {
  const Scenario& scenario = *question.scenario;
  const ResolvedWork& work = question.work();
  const Rates& rates = *question.rates;
  SpreadContext context;
  const MethodQuality quality = out.performance.quality.value_or(MethodQuality());
  context.gpus = out.gpus;
  if (out.performance.mfu > 0) context.mfu = out.performance.mfu;
  context.mfu_sigma = quality.sigma;
  context.mfu_given = speed_given;
  context.stack_known = scenario.text(Field::efficiency_stack) !=
                        field_info(Field::efficiency_stack).fallback;
  context.own_steps = quality.own;
  context.moe = work.model.language.moe.has_value();
  context.vision = work.workload.vision();
  context.vision_rows =
      context.vision && scenario.has(Field::data_samples) && !context.mfu_given;
  context.whole_runs = !context.stack_known && !context.vision &&
                       !scenario.has(Field::data_samples) &&
                       work.workload.language_training == Training::full && quality.measured;
  context.overhead_given = scenario.has(Field::efficiency_production_overhead);
  context.goodput_given = (useful.goodput_given && context.overhead_given) ||
                          ranged(scenario, Field::efficiency_goodput) ||
                          ranged(scenario, Field::efficiency_production_overhead);
  context.tokens_given = question.amounts.tokens_given;
  context.tokens_ranged =
      ranged(scenario, Field::data_tokens) || ranged(scenario, Field::data_samples) ||
      ranged(scenario, Field::data_tokens_per_param) || ranged(scenario, Field::data_epochs);
  context.own = rates.own;
  context.price_given =
      scenario.has(rates.own ? Field::cost_purchase_price : Field::cost_price_per_gpu_hour);
  context.electricity_given = scenario.has(Field::cost_electricity_price);
  context.pue_given = scenario.has(Field::cost_pue);
  context.experiments_ranged = ranged(scenario, Field::cost_experiments);
  context.price_sigma = question.price->sigma;
  return context;
}

double log_ratio(double low, double high) {
  return low > 0 && high > 0 ? portable_log(high / low) : 0;
}

// Whether a driver is a price or an amount beside the hours: what is left of a change of dollars
// once time is taken out. Multiples of the run follow no field but their own.
bool priced(Driver driver) {
  return driver != Driver::hours && driver != Driver::days && driver != Driver::experiments &&
         driver != Driver::evaluation;
}

// The dollars of the run itself that go with a driver, as one term.
Term of_run(const Dollars& dollars, Driver driver) {
  Term out;
  for (const Term& term : dollars.terms()) {
    if (term.moves[driver] == 0 || term.moves[Driver::experiments] != 0 ||
        term.moves[Driver::evaluation] != 0) {
      continue;
    }
    out.usd += term.usd;
    out.moves = term.moves;
  }
  return out;
}

// How the cost follows a field, from estimates of the same cluster at P10 and P90 of its range.
Exponents measured_exponents(const Scenario& scenario, const FieldInfo& info,
                             const Distribution& distribution, const Estimate& out,
                             const Reestimate& estimate) {
  const auto at = [&](double share) {
    double value = portable_exp(log_quantile(distribution, share));
    if (info.kind == FieldKind::integer) value = std::round(value);
    Scenario there = scenario;
    there.set_number(Field::hardware_gpus, out.gpus);
    there.set_number(info, value, info.flag);
    return std::pair(value, estimate(there));
  };
  const auto [low_value, low] = at(0.1);
  const auto [high_value, high] = at(0.9);
  const double width = log_ratio(low_value, high_value);
  if (width == 0) return {};
  const double hours = log_ratio(low.gpu_hours, high.gpu_hours) / width;
  const double days = log_ratio(low.wall_clock_seconds, high.wall_clock_seconds) / width;
  Exponents exponents = Exponents().with(Driver::hours, hours).with(Driver::days, days);
  if (!low.cost.total || !high.cost.total) return exponents;
  const Dollars a = dollars_of(low.cost);
  const Dollars b = dollars_of(high.cost);
  for (std::size_t i = 0; i < kDriverCount; ++i) {
    const auto driver = static_cast<Driver>(i);
    if (!priced(driver)) continue;
    const double from = of_run(a, driver).usd, to = of_run(b, driver).usd;
    if (from <= 0 || to <= 0) continue;
    const Exponents& with = of_run(a, driver).moves;
    const double power =
        log_ratio(from, to) / width - with[Driver::hours] * hours - with[Driver::days] * days;
    exponents = exponents.with(driver, std::abs(power) < 1e-9 ? 0 : power);
  }
  return exponents;
}

UncertainInput input_of(const Scenario& scenario, Field field, const Distribution& distribution,
                        const WorkShares& shares, const Estimate& out, const Reestimate& estimate) {
  const FieldInfo& info = field_info(field);
  const double value = *scenario.number(field);
  UncertainInput input;
  input.cause = info.meaning.cause;
  input.field = field;
  input.factor = relative_to(distribution, value);
  input.source = "range given by the user";
  input.given = true;
  if (info.kind == FieldKind::fraction) input.most = info.highest / value;
  if (const std::optional<Exponents> known = known_exponents(info.meaning.law, shares)) {
    input.exponents = *known;
  } else if (info.meaning.law == Law::trial) {
    input.exponents = measured_exponents(scenario, info, distribution, out, estimate);
  } else {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} cannot be a range: it is a choice, whose effect has steps", info.path),
        fmt::format("give one value; `trcost sweep --vary {}=...` tries several", info.path),
        std::string(info.flag));
  }
  return input;
}

}  // namespace

RangeInputs range_inputs(const Question& question, const UsefulTime& useful, bool speed_given,
                         const Reestimate& estimate, const Estimate& out) {
  const Scenario& scenario = *question.scenario;
  RangeInputs inputs;
  default_spreads(context_of(question, useful, speed_given, out), inputs.inputs);
  WorkShares shares;
  if (out.tokens.total > 0) shares.text_tokens = std::min(1.0, out.tokens.text / out.tokens.total);
  shares.tokens_given =
      question.amounts.tokens_given && !scenario.has(Field::data_tokens_per_param);
  for (const auto& [field, distribution] : scenario.distributions()) {
    inputs.inputs.push_back(input_of(scenario, field, distribution, shares, out, estimate));
  }
  inputs.gpu_hours = out.gpu_hours;
  inputs.wall_clock_seconds = out.wall_clock_seconds;
  if (out.cost.total) inputs.usd = dollars_of(out.cost);
  inputs.draws = scenario.number(Field::range_draws);
  inputs.seed = scenario.number_or_default(Field::range_seed);
  return inputs;
}

}  // namespace trcost
