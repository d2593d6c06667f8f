// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// The answer of one round of a job: a stage by its name.
struct RoundAnswer {
  std::string name;
  Estimate estimate;
};

/// One estimate of a job of rounds, one after another. Amounts (tokens, FLOPs, steps, hours,
/// energy, line items) are summed; speeds, MFU and unit prices are quotients of sums; memory is
/// that of the fullest round, and fits where all do; accelerators, cash and power of the site are
/// the most that a round takes, since they work one after another; a commitment is that of the
/// largest cluster where one can hold all that are bound; what the data has to keep up with is the
/// round that asks the most of it. What rounds do not share (model, what of it learns, layout,
/// length of a sequence, quality of the method, price of an hour, waterfall) is left out and stands
/// in `stages`. The range is drawn once over all, by who has their inputs.
Estimate job_of(std::vector<RoundAnswer> rounds);

}  // namespace trcost::estimation
