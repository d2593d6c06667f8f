// SPDX-License-Identifier: Apache-2.0
// Which steps a time may be met with: what every search for a size holds to.
#pragma once

#include <optional>

#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Whether steps of `batch` sequences are still the training that was asked for: with a batch that
/// was `given` about that one, else one that takes at most twice the tokens for the same loss
/// (`token_cost` as PerformanceSummary::batch_token_cost).
bool same_training(double batch, std::optional<double> given, std::optional<double> token_cost);
/// Overload for an answer, which is accepted if it has several stages or a given MFU.
bool same_training(const Scenario& asked, const Estimate& answer);

}  // namespace trcost::estimation
