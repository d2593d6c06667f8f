// SPDX-License-Identifier: Apache-2.0
#include "performance/memory.h"
#include "performance/performance.h"

namespace trcost {

MemoryRecipe memory_recipe(const Stack* stack) { return stack ? stack->memory : MemoryRecipe{}; }

}  // namespace trcost
