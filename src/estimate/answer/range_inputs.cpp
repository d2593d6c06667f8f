// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/range_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cost/distribution.h"
#include "cost/make_bill.h"
#include "cost/uncertain_inputs.h"
#include "estimate/answer/money.h"
#include "quantity/portable_math.h"
#include "scenario/fields.h"
#include "trcost/bill.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

// Generation scales with the length of the responses, other phases with the share of responses in a
// sequence, and time outside the phases with neither.
RolloutUncertainty rollout_spread(RolloutUncertainty said, const RoundWork& round,
                                  const Estimate& out) {
  said.length_tokens = round.rollout->mean_response() / round.sequence_tokens;
  double hours = 0;
  for (const PhaseResult& phase : out.phases) {
    if (phase.work == Work::wait) continue;
    hours += phase.gpu_hours * (phase.work == Work::generate ? 1 : said.length_tokens);
  }
  if (out.gpu_hours > 0) said.length_hours = hours / out.gpu_hours;
  return said;
}

UncertaintyContext range_context(const Question& question, const UsefulTime& useful,
                                 bool speed_given, const Estimate& out) {
  const RangeTerms& range = question.range;
  const ResolvedWork& work = question.work();
  const MethodQuality quality = out.performance.quality.value_or(MethodQuality());
  UncertaintyContext context = range.given;
  context.gpus = out.gpus;
  if (out.performance.mfu > 0) context.mfu = out.performance.mfu;
  context.mfu_sigma = quality.sigma;
  context.mfu_given = speed_given;
  context.own_steps = quality.own;
  context.moe = work.model.language.moe.has_value();
  const bool vision = work.workload.vision();
  const TokenTotals& tokens = question.amounts.tokens;
  // In a token budget only the image tokens are as uncertain as the tokens of an image.
  context.image_share = !vision ? 0
                        : range.budget_given && tokens.total > 0
                            ? 1 - std::min(1.0, tokens.text / tokens.total)
                            : 1;
  context.length_assumed = context.length_assumed && question.amounts.samples && !vision;
  context.vision_rows = vision && range.samples_given && !context.mfu_given;
  context.whole_runs = !context.stack_known && !vision && !range.samples_given &&
                       work.workload.language_training == Training::full && quality.measured;
  context.params = work.params.total;
  context.fine_tuning = range.samples_given || work.workload.language_training != Training::full;
  context.overhead_given = question.useful.overhead_given;
  context.project = question.useful.project;
  context.goodput_given = (useful.goodput_given && context.overhead_given) || range.goodput_ranged;
  // Samples that a method assumes are a guess.
  context.tokens_given =
      question.amounts.tokens_given && (range.amount_given || question.amounts.tokens.published);
  const RoundWork* round = question.prepared->round.get();
  if (round != nullptr && round->rollout) {
    context.rollouts = rollout_spread(range.rollouts, *round, out);
  }
  context.own = question.rates->own;
  context.price_given = context.price_given || (!context.own && question.price->given);
  context.price_sigma = question.price->sigma;
  context.purchase_sigma =
      purchase_sigma(question.rates->ownership_inputs.age, context.price_given);
  return context;
}

double log_ratio(double low, double high) {
  return low > 0 && high > 0 ? portable_log(high / low) : 0;
}

// Whether a driver explains the change of dollars that time does not: a price, or an amount besides
// the hours. Multiples of the run follow only their own fields.
bool priced_driver(Driver driver) {
  return driver != Driver::hours && driver != Driver::days && driver != Driver::experiments &&
         driver != Driver::evaluation;
}

// Dollars of the run itself that depend on a driver, as one term.
Term run_term(const Dollars& dollars, Driver driver) {
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

// Exponents of the cost in a field, from estimates of the same cluster at P10 and P90 of its range.
Exponents measured_exponents(const FieldInfo& info, const Distribution& distribution,
                             const Trial& trial) {
  const auto at = [&](double share) {
    double value = portable_exp(log_quantile(distribution, share));
    if (info.kind == FieldKind::integer) value = std::round(value);
    return std::pair(value, trial(info, value));
  };
  const auto [low_value, low] = at(0.1);
  const auto [high_value, high] = at(0.9);
  const double width = log_ratio(low_value, high_value);
  if (width == 0) return {};
  const double hours = log_ratio(low.gpu_hours, high.gpu_hours) / width;
  const double days = log_ratio(low.wall_clock_seconds, high.wall_clock_seconds) / width;
  Exponents exponents = Exponents().with(Driver::hours, hours).with(Driver::days, days);
  if (!low.cost.total || !high.cost.total) return exponents;
  const Dollars a = included_dollars(low.cost);
  const Dollars b = included_dollars(high.cost);
  for (std::size_t i = 0; i < kDriverCount; ++i) {
    const auto driver = static_cast<Driver>(i);
    if (!priced_driver(driver)) continue;
    const double from = run_term(a, driver).usd, to = run_term(b, driver).usd;
    if (from <= 0 || to <= 0) continue;
    const Exponents& with = run_term(a, driver).moves;
    const double power =
        log_ratio(from, to) / width - with[Driver::hours] * hours - with[Driver::days] * days;
    exponents = exponents.with(driver, std::abs(power) < 1e-9 ? 0 : power);
  }
  return exponents;
}

UncertainInput given_input(const RangedField& ranged, const WorkShares& shares,
                           const Trial& trial) {
  const FieldInfo& info = field_info(ranged.field);
  UncertainInput input;
  input.cause = field_meaning(info.field).cause;
  input.field = ranged.field;
  input.factor = relative_to(ranged.distribution, ranged.value);
  input.source = "range given by the user";
  input.given = true;
  if (info.kind == FieldKind::fraction) input.most = info.highest / ranged.value;
  if (const std::optional<Exponents> known =
          known_exponents(field_meaning(info.field).law, shares)) {
    input.exponents = *known;
  } else if (field_meaning(info.field).law == Law::trial) {
    input.exponents = measured_exponents(info, ranged.distribution, trial);
  } else {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} cannot be a range: it is a choice, whose effect has steps", info.path),
        fmt::format("use one value. `trcost sweep --vary {}=...` tries several", info.path),
        std::string(info.flag));
  }
  return input;
}

}  // namespace

RangeInputs range_inputs(const Question& question, const UsefulTime& useful, bool speed_given,
                         const Trial& trial, const Estimate& out) {
  const RangeTerms& range = question.range;
  RangeInputs inputs;
  default_uncertain_inputs(range_context(question, useful, speed_given, out), inputs.inputs);
  WorkShares shares;
  if (out.tokens.total > 0) shares.text_tokens = std::min(1.0, out.tokens.text / out.tokens.total);
  shares.tokens_given = question.amounts.tokens_given && !range.tokens_by_params;
  for (const RangedField& ranged : range.ranged) {
    inputs.inputs.push_back(given_input(ranged, shares, trial));
  }
  inputs.gpu_hours = out.gpu_hours;
  inputs.wall_clock_seconds = out.wall_clock_seconds;
  if (out.cost.total) inputs.usd = included_dollars(out.cost);
  inputs.draws = range.draws;
  inputs.seed = range.seed;
  return inputs;
}

}  // namespace trcost::estimation
