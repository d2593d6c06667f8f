// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/cluster/execution.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Notes idle accelerators, the batch of the layout and its cost in tokens, and a nearby batch or
/// cluster that would be much better.
void note_execution(const Task& task, const Execution& execution, const UsefulShare& useful,
                    Notes& notes);

}  // namespace trcost::estimation
