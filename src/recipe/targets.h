// SPDX-License-Identifier: Apache-2.0
// Matrices with adapters.
#pragma once

#include "recipe/workings.h"

namespace trcost::recipe {

/// Sets train.lora_targets from the names in `lora_modules` and the parts that switches turn on
/// (`lora_on.NAME`). Names that are no matrix of a layer are reported.
void find_targets(Workings& work);

}  // namespace trcost::recipe
