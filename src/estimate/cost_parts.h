// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trcost/estimate.h"
#include "trcost/uncertainty.h"

namespace trcost {

/// The included items of a bill whose total is known, by what moves them. Throws std::logic_error
/// where an item is missed.
CostParts cost_parts(const CostResult& cost);

}  // namespace trcost
