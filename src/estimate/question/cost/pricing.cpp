// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/cost/pricing.h"

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

}  // namespace trcost::estimation
