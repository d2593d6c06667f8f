// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trcost/estimate.h"

namespace trcost {

/// One estimate of a training in several stages, `parts` in the order of `scenario.stages`. Amounts
/// (tokens, FLOPs, steps, hours, energy, line items) are summed; speeds, MFU and unit prices are
/// quotients of sums; memory is that of the fullest stage, and fits where all do; accelerators,
/// cash and power of the site are the most that a stage takes; what stages do not share (layout,
/// length of a sequence, waterfall) is left out and stands in `stages`. The range is drawn once
/// over all.
Estimate sum_of_stages(const Scenario& scenario, std::vector<Estimate> parts);

}  // namespace trcost
