// SPDX-License-Identifier: Apache-2.0
// Sums over the rounds of a job, and their ratios.
#pragma once

#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Adds totals. An optional sum is unknown if a part is.
void add(WorkTotals& sum, const WorkTotals& more);
/// Adds tokens, which stay compute-optimal if all are.
void add(TokenTotals& sum, const TokenTotals& more);
/// Adds FLOPs. The caller recomputes per_token from the totals.
void add(FlopTotals& sum, const FlopTotals& more);

/// Sets the ratios of `out` from the totals. Name and quality of the method stay.
void set_ratios(const WorkTotals& totals, PerformanceSummary& out);

}  // namespace trcost::estimation
