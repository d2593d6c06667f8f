// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/cluster/execution.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Plans the training on the whole nodes that meet the deadline, as size_for_deadline() chooses
/// them. Throws Error (no_answer) with the shortest time and its size if none does.
Execution size_cluster(const Task& task, const UsefulShare& useful, Notes& notes);

}  // namespace trcost::estimation
