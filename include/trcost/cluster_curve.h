// SPDX-License-Identifier: Apache-2.0
// The same training on smaller and larger clusters: what time costs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trcost/estimate.h"

namespace trcost {

/// A cluster size of one platform.
struct ClusterPoint {
  std::string accelerator;
  double gpus = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
  bool chosen = false;    ///< what the estimate answers
  bool frontier = false;  ///< nothing known is both sooner and cheaper
};

/// Of every estimate its own cluster, and those from an eighth to eight times of it that have an
/// answer, in whole nodes. Empty for a scenario of several stages, whose clusters differ.
std::vector<ClusterPoint> cluster_curve(const Scenario& scenario, const Catalog& catalog,
                                        std::span<const Estimate> estimates);

}  // namespace trcost
