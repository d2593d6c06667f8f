// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// The answer of one named stage of a job.
struct RoundAnswer {
  std::string name;
  Estimate estimate;
};

/// Combines the estimates of rounds that run one after another:
/// - Amounts (tokens, FLOPs, steps, hours, energy, line items) are summed.
/// - Speeds, MFU and unit prices are quotients of sums.
/// - Memory is that of the fullest round, and fits if all do.
/// - Accelerators, cash and power of the site are the maximum over the rounds.
/// - A commitment is that of the largest cluster, if one can cover all rounds.
/// - The data pipeline is that of the most demanding round.
/// - Figures that differ between rounds (model, trainable parameters, layout, sequence length,
///   quality, price of an hour, waterfall) are left out, and stand in `stages`.
/// The caller draws the range over all rounds.
Estimate combine_rounds(std::vector<RoundAnswer> rounds);

}  // namespace trcost::estimation
