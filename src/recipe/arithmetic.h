// SPDX-License-Identifier: Apache-2.0
// Fields that follow from several keys.
#pragma once

#include "quantity/layers.h"
#include "recipe/workings.h"

namespace trcost::recipe {

/// Adds the fields that follow from the values by the arithmetic of the framework's group: model,
/// accelerators, layout, batches, amount of data or rounds. Asks for what the files do not tell.
void compute_fields(Workings& workings);

}  // namespace trcost::recipe
