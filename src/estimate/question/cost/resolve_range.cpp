// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/question/cost/resolve_pricing.h"
#include "estimate/question/resolve_question.h"

namespace trcost::estimation {

namespace {

bool ranged(const Scenario& asked, std::initializer_list<Field> fields) {
  return std::ranges::any_of(fields,
                             [&](Field field) { return asked.distribution(field) != nullptr; });
}

UncertaintyContext said_of_spreads(const Scenario& asked) {
  UncertaintyContext out;
  out.stack_known =
      asked.text(Field::efficiency_stack) != field_info(Field::efficiency_stack).fallback;
  out.tokens_ranged = ranged(asked, {Field::data_tokens, Field::data_samples,
                                     Field::data_tokens_per_param, Field::data_epochs});
  out.price_given =
      asked.has(owns(asked) ? Field::cost_purchase_price : Field::cost_price_per_gpu_hour);
  out.electricity_given = asked.has(Field::cost_electricity_price);
  out.pue_given = asked.has(Field::cost_pue);
  out.experiments_ranged = ranged(asked, {Field::cost_experiments});
  return out;
}

RolloutUncertainty said_of_rollouts(const Scenario& asked) {
  const auto given = [&](Field field) { return asked.has(field) && !ranged(asked, {field}); };
  RolloutUncertainty out;
  out.rounds_given = given(Field::rollout_steps);
  out.rounds_ranged = ranged(asked, {Field::rollout_steps});
  out.length_given = given(Field::rollout_response_tokens);
  out.length_ranged =
      ranged(asked, {Field::rollout_response_tokens, Field::rollout_response_tokens_end});
  out.rest_ranged = ranged(asked, {Field::rollout_prompts, Field::rollout_samples_per_prompt,
                                   Field::rollout_prompt_tokens, Field::rollout_epochs});
  return out;
}

}  // namespace

RangeTerms resolve_range_terms(const Scenario& asked) {
  RangeTerms out;
  out.said = said_of_spreads(asked);
  out.rollouts = said_of_rollouts(asked);
  out.samples_given = asked.has(Field::data_samples);
  out.budget_given = asked.has(Field::data_tokens) || asked.has(Field::data_tokens_per_param);
  out.amount_given = out.samples_given || out.budget_given;
  out.goodput_ranged =
      ranged(asked, {Field::efficiency_goodput, Field::efficiency_production_overhead});
  out.tokens_by_params = asked.has(Field::data_tokens_per_param);
  for (const auto& [field, distribution] : asked.distributions()) {
    out.ranged.push_back({field, *asked.number(field), distribution});
  }
  out.draws = asked.number(Field::range_draws);
  out.seed = asked.number_or_default(Field::range_seed);
  return out;
}

}  // namespace trcost::estimation
