// SPDX-License-Identifier: Apache-2.0
// How far predictions of steps like one's own lie from published rows.
#pragma once

#include <string_view>

#include "catalog/hardware/efficiency.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// The published rows nearest to a training: same architecture and stack where there are enough
/// experiments, else wider families. The spread of a family counts by its number of experiments
/// against that of the wider one; a chip without measurements of its own adds the spread of the
/// rule. Strings live as long as `efficiency`.
MethodQuality nearest_quality(const Efficiency& efficiency, std::string_view stack, bool mixture,
                              bool fine_tuning);

/// The same of a training that sees images, from vision-language runs, or of two contrastive
/// towers.
MethodQuality vision_quality(const Efficiency& efficiency, bool contrastive);

}  // namespace trcost::performance
