// SPDX-License-Identifier: Apache-2.0
// Time and memory of a round of several phases on a cluster.
#pragma once

#include <optional>
#include <vector>

#include "estimate/cluster/execution.h"
#include "estimate/question/round_work.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Candidate numbers of accelerators that generate while the rest learn, 0 if all do both.
std::vector<double> generation_splits(const RoundWork& round, double gpus, double node);

/// Memory of the fastest engines on `gpus` accelerators for a round with a rollout. Empty if no
/// engine holds the policy and one sequence.
std::optional<EngineMemory> engine_memory(const RoundWork& round, double gpus);

/// Memory of the fullest pool at its fullest moment: the learner, whose fullest device is
/// `learning`, or an engine. If both share accelerators, the learner waits in the host's memory
/// while responses are written (data/phases.md, A.2).
MemoryUse fullest_moment(const RoundWork& round, const MemoryUse& learning,
                         const EngineMemory& engine);

/// Adds phases and time of a round to `execution`, whose plan is the optimizer step on all
/// accelerators but `generation_gpus`. False if the responses fit no engine.
bool add_phases(const RoundWork& round, double generation_gpus, Execution& execution);

}  // namespace trcost::estimation
