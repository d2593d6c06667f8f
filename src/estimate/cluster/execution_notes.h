// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/cluster/execution.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Says what the reader of an answer should know of its cluster and its batch: accelerators that
/// stay idle, the batch that was taken and what it costs in tokens, a batch or a cluster nearby
/// that would be much better.
void note_execution(const Task& task, const Execution& execution, Notes& notes);

}  // namespace trcost::estimation
