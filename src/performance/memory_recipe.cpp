// SPDX-License-Identifier: Apache-2.0
#include "trcost/performance.h"
#include "trcost/memory.h"

namespace trcost {

MemoryRecipe memory_recipe(const Stack* stack) { return stack ? stack->memory : MemoryRecipe{}; }

}  // namespace trcost
