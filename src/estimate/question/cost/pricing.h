// SPDX-License-Identifier: Apache-2.0
// How accelerators are paid for: --pricing.
#pragma once

#include <optional>

#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// What a scenario's rent promises; none where its accelerators are owned.
std::optional<Commitment> commitment_of(const Scenario& scenario);
inline bool owns(const Scenario& scenario) {
  return !commitment_of(scenario);
}
/// The word of --pricing, `own` for none.
std::string_view pricing_word(std::optional<Commitment> commitment);

}  // namespace trcost::estimation
