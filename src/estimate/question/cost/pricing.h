// SPDX-License-Identifier: Apache-2.0
// How accelerators are paid for (--pricing), and the terms of the bill.
#pragma once

#include <optional>
#include <string_view>

#include "cost/make_bill.h"
#include "estimate/question/cost/useful_time.h"
#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "trcost/hardware.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Commitment of a scenario's rent; empty if its accelerators are owned.
std::optional<Commitment> commitment_of(const Scenario& scenario);
inline bool owns(const Scenario& scenario) {
  return !commitment_of(scenario);
}
/// The word of --pricing; `own` without a commitment.
std::string_view pricing_word(std::optional<Commitment> commitment);

/// Price of an hour of this accelerator that the scenario sets, for all or for this one. Empty if
/// it sets none.
std::optional<double> price_set(const Scenario& scenario, const Accelerator& accelerator);

/// Terms of the bill beyond the run and its prices.
BillTerms resolve_bill_terms(const Scenario& scenario, const UsefulTerms& useful);

}  // namespace trcost::estimation
