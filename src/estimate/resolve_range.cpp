// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimate/resolve_pricing.h"
#include "estimate/resolve_question.h"

namespace trcost {
namespace {

bool ranged(const Scenario& asked, std::initializer_list<Field> fields) {
  return std::ranges::any_of(
      fields, [&](Field field) { return asked.distribution(field) != nullptr; });
}

SpreadContext said_of_spreads(const Scenario& asked) {
  SpreadContext out;
  out.stack_known =
      asked.text(Field::efficiency_stack) != field_info(Field::efficiency_stack).fallback;
  out.overhead_given = asked.has(Field::efficiency_production_overhead);
  out.tokens_ranged = ranged(asked, {Field::data_tokens, Field::data_samples,
                                     Field::data_tokens_per_param, Field::data_epochs});
  out.price_given =
      asked.has(owns(asked) ? Field::cost_purchase_price : Field::cost_price_per_gpu_hour);
  out.electricity_given = asked.has(Field::cost_electricity_price);
  out.pue_given = asked.has(Field::cost_pue);
  out.experiments_ranged = ranged(asked, {Field::cost_experiments});
  return out;
}

}  // namespace

RangeTerms resolve_range_terms(const Scenario& asked) {
  RangeTerms out;
  out.said = said_of_spreads(asked);
  out.samples_given = asked.has(Field::data_samples);
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

}  // namespace trcost
