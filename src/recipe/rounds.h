// SPDX-License-Identifier: Apache-2.0
// Rounds of reinforcement learning.
#pragma once

#include "quantity/layers.h"
#include "recipe/workings.h"

namespace trcost::recipe {

/// Prompts of a round, batch of a step and number of rounds, by what the framework's keys count:
/// prompts or answers.
void find_rounds(Workings& workings);

}  // namespace trcost::recipe
