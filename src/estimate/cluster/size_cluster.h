// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/cluster/execution.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Accelerators of the largest known cluster: xAI's Colossus in Memphis, 200,000 H100, H200 and
/// GB200 since February 2025 (x.ai/colossus). Clusters beyond it are answered, with a warning.
inline constexpr double kLargestKnownCluster = 200'000;

/// Plans the training on the whole nodes that meet the deadline, as size_for_deadline() chooses
/// them. Throws Error (no_answer) with the shortest time and its size if none does.
Execution size_cluster(const Task& task, const UsefulShare& useful, Notes& notes);

}  // namespace trcost::estimation
