// SPDX-License-Identifier: Apache-2.0
// Warnings of several estimates as one list.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Returns every warning once. One that not all estimates have begins with the platform.
std::vector<std::string> merge_warnings(const std::vector<const Estimate*>& estimates);

}  // namespace trcost::estimation
