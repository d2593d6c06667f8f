// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"
#include "recipe/workings.h"

namespace trcost::recipe {

/// Sets the degrees of parallelism, the sharding and the recomputation from what the keys say, and
/// from what the framework does where no key says it.
void find_layout(Workings& work);

}  // namespace trcost::recipe
