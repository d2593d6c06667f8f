// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trcost/estimate.h"

namespace trcost {

/// The answer of one round of a job: a stage by its name.
struct RoundAnswer {
  std::string name;
  Estimate estimate;
};

/// One estimate of a job of rounds, one after another. Amounts (tokens, FLOPs, steps, hours, energy,
/// line items) are summed; speeds, MFU and unit prices are quotients of sums; memory is that of the
/// fullest round, and fits where all do; accelerators, cash and power of the site are the most that a
/// round takes; what rounds do not share (layout, length of a sequence, waterfall) is left out and
/// stands in `stages`. The range is drawn once over all, by who has their inputs.
Estimate job_of(std::vector<RoundAnswer> rounds);

}  // namespace trcost
