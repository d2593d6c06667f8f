// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trcost/estimate.h"

namespace trcost {

/// One estimate of a training in several stages, `parts` in the order of `scenario.stages`: tokens,
/// FLOPs, hours, energy and line items are summed; the layout, memory and speed shown are those of
/// the stage with the most GPU-hours; MFU is weighted by GPU-hours.
Estimate sum_of_stages(const Scenario& scenario, std::vector<Estimate> parts);

}  // namespace trcost
