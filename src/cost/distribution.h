// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trcost/scenario.h"

namespace trcost {

/// Throws Error (usage) for a distribution that makes no sense: ends swapped, a spread below 0, or
/// values of 0 and below, which no cost input can have.
void check_distribution(const Distribution& distribution);

/// ln of the value below which a share `p` of the distribution lies.
double log_quantile(const Distribution& distribution, double p);

/// The distribution of x / value.
Distribution relative_to(const Distribution& distribution, double value);

}  // namespace trcost
