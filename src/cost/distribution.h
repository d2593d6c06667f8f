// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::cost {

/// Throws Error (usage) for a distribution that makes no sense: ends swapped, a spread below 0, or
/// values of 0 and below, which no cost input can have.
void check_distribution(const Distribution& distribution);

/// ln of the value below which a share `p` of the distribution lies.
double log_quantile(const Distribution& distribution, double p);

/// The distribution of x / value.
Distribution relative_to(const Distribution& distribution, double value);

/// ln-mean and ln-standard deviation of a distribution; throws Error (usage) for one that reaches 0
/// or below, or whose ends are swapped.
struct LogMoments {
  double mean = 0;
  double sigma = 0;
};
LogMoments log_moments(const Distribution& distribution);

}  // namespace trcost::cost
