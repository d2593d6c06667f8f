// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/cost/pricing.h"

#include <algorithm>

#include "quantity/quantity.h"
#include "quantity/suggest.h"

namespace trcost::estimation {
namespace {

constexpr std::string_view kOwned =
#define TRCOST_COMMITMENT(id, word, years)
#define TRCOST_OWNED(word) word
#include "scenario/commitments.def"
#undef TRCOST_OWNED
#undef TRCOST_COMMITMENT
    ;

}  // namespace

std::optional<Commitment> commitment_of(const Scenario& scenario) {
  return find_value(kCommitments, scenario.text(Field::cost_pricing));
}

std::string_view pricing_word(std::optional<Commitment> commitment) {
  return commitment ? commitment_name(*commitment) : kOwned;
}

std::optional<double> price_set(const Scenario& scenario, const Accelerator& accelerator) {
  if (const auto one = scenario.number(Field::cost_price_per_gpu_hour)) return one;
  if (!scenario.has(Field::cost_prices)) return std::nullopt;
  const std::vector<NamedPrice> prices = parse_named_prices(scenario.text(Field::cost_prices));
  const auto found = std::ranges::find_if(prices, [&](const NamedPrice& price) {
    return price.name == accelerator.name || same_name(price.name, accelerator.name) ||
           std::ranges::any_of(accelerator.aliases, [&](const std::string& alias) {
             return same_name(price.name, alias);
           });
  });
  return found == prices.end() ? std::nullopt : std::optional(found->usd);
}

// Evaluation beside the run, as a share of its hours. A default overhead holds evaluations already,
// so only what exceeds it is charged: (1 + e) x share of the time left to steps - 1.
double resolve_evaluation(const Scenario& scenario, const UsefulTerms& useful) {
  const double share = scenario.number_or(Field::cost_evaluation, 0);
  if (useful.overhead_given) return share;
  return std::max(0.0, (1 + share) * useful.production_overhead - 1);
}

BillTerms resolve_bill_terms(const Scenario& scenario, const UsefulTerms& useful) {
  BillTerms out;
  out.experiments = scenario.number_or_default(Field::cost_experiments);
  out.evaluation = resolve_evaluation(scenario, useful);
  out.epochs = scenario.number_or_default(Field::data_epochs);
  out.text_bytes_per_token = scenario.number_or_default(Field::data_text_bytes_per_token);
  out.full_kept = scenario.number_or_default(Field::cost_checkpoints_kept);
  out.weights_kept = scenario.number_or_default(Field::cost_weights_kept);
  out.egress_bytes = scenario.number_or_default(Field::cost_egress);
  const std::optional<Commitment> rent = commitment_of(scenario);
  out.term_hours = rent ? commitment_years(*rent) * kHoursPerYear : 0;
  out.storage_included = scenario.has(Field::cost_storage)
                             ? scenario.flag(Field::cost_storage)
                             : scenario.has(Field::cost_storage_price) ||
                                   scenario.has(Field::cost_checkpoints_kept) ||
                                   scenario.has(Field::cost_weights_kept);
  return out;
}

}  // namespace trcost::estimation
