// SPDX-License-Identifier: Apache-2.0
// Time and memory of a round of several phases on a cluster.
#pragma once

#include <optional>
#include <vector>

#include "estimate/cluster/execution.h"
#include "estimate/question/round_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Numbers of accelerators that generate beside `gpus - n` that learn: none where all do both.
std::vector<double> generation_splits(const RoundWork& round, double gpus, double node);

/// What the fastest engines on `gpus` accelerators hold. Empty where none holds the policy and a
/// sequence. Only for a round with a rollout.
std::optional<EngineMemory> engine_memory(const RoundWork& round, double gpus);

/// The fullest moment of the fullest pool: of what learns, whose fullest device is `learning`, or
/// of an engine. Where both are on the same accelerators, what learns waits in the host's memory
/// while responses are written (data/phases.md, A.2).
MemoryUse fullest_moment(const RoundWork& round, const MemoryUse& learning,
                         const EngineMemory& engine);

/// The phases of a round whose optimizer step takes `execution.plan` on all accelerators but
/// `generation_gpus`, and its time, into `execution`. False where the responses fit no engine.
bool add_phases(const RoundWork& round, double generation_gpus, Execution& execution);

}  // namespace trcost::estimation
