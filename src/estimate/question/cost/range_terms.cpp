// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/cost/range_terms.h"

#include <algorithm>

#include "estimate/question/cost/pricing.h"

namespace trcost::estimation {
RangeTerms resolve_range_terms(const Scenario& asked) {
  const auto ranged = [&](std::initializer_list<Field> fields) {
    return std::ranges::any_of(fields,
                               [&](Field field) { return asked.distribution(field) != nullptr; });
  };
  const auto fixed = [&](Field field) { return asked.has(field) && !ranged({field}); };
  RangeTerms out;
  UncertaintyContext& given = out.given;
  given.stack_known =
      asked.text(Field::efficiency_stack) != field_info(Field::efficiency_stack).fallback;
  given.tokens_ranged = ranged(
      {Field::data_tokens, Field::data_samples, Field::data_tokens_per_param, Field::data_epochs});
  given.length_assumed =
      !asked.has(Field::data_text_tokens_per_sample) && !asked.has(Field::data_document_tokens);
  given.price_given =
      owns(asked) ? asked.has(Field::cost_purchase_price) || asked.has(Field::cost_node_price)
                  : asked.has(Field::cost_price_per_gpu_hour);
  given.electricity_given = asked.has(Field::cost_electricity_price);
  given.pue_given = asked.has(Field::cost_pue);
  given.experiments_ranged = ranged({Field::cost_experiments});
  RolloutUncertainty& rollouts = out.rollouts;
  rollouts.rounds_given = fixed(Field::rollout_steps) || fixed(Field::rollout_dataset_prompts);
  rollouts.rounds_ranged = ranged({Field::rollout_steps});
  rollouts.length_given = fixed(Field::rollout_response_tokens);
  rollouts.length_ranged =
      ranged({Field::rollout_response_tokens, Field::rollout_response_tokens_end});
  rollouts.rest_ranged = ranged({Field::rollout_prompts, Field::rollout_samples_per_prompt,
                                 Field::rollout_prompt_tokens, Field::rollout_epochs});
  out.samples_given = asked.has(Field::data_samples);
  out.budget_given = asked.has(Field::data_tokens) || asked.has(Field::data_tokens_per_param);
  out.amount_given = out.samples_given || out.budget_given;
  out.goodput_ranged = ranged({Field::efficiency_goodput, Field::efficiency_production_overhead});
  out.tokens_by_params = asked.has(Field::data_tokens_per_param);
  for (const auto& [field, distribution] : asked.distributions()) {
    out.ranged.push_back({field, *asked.number(field), distribution});
  }
  out.draws = asked.number(Field::range_draws);
  out.seed = asked.number_or_default(Field::range_seed);
  return out;
}

}  // namespace trcost::estimation
