// SPDX-License-Identifier: Apache-2.0
// Spread of predictions around published rows of similar runs.
#pragma once

#include <string_view>

#include "catalog/hardware/efficiency.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::performance {

/// Spread of the published rows nearest to a training: same architecture and stack if there are
/// enough experiments, else wider families. A family's spread is weighed by its number of
/// experiments against that of the wider one. A chip without measurements of its own adds the
/// spread of the rule. Strings live as long as `efficiency`.
MethodQuality nearest_quality(const Efficiency& efficiency, std::string_view stack, bool mixture,
                              bool fine_tuning);

/// Spread for vision-language training with a stack, or for two contrastive towers, drawn towards
/// that of all stacks where few sources tell.
MethodQuality vision_quality(const Efficiency& efficiency, std::string_view stack,
                             bool contrastive);

}  // namespace trcost::performance
