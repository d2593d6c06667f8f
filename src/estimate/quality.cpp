// SPDX-License-Identifier: Apache-2.0
#include "estimate/quality.h"

#include <fmt/format.h>

#include "trcost/efficiency.h"

namespace trcost {

MethodQuality method_quality(const Catalog&, const Workload& workload, const Platform& platform) {
  return nearest_quality(*platform.efficiency, platform.stack->name,
                         workload.language.moe.has_value(),
                         workload.language_training != Training::full);
}

std::string method_text(const MethodQuality& quality) {
  return fmt::format("{}: median error {:.0f} % on {} published rows ({})", quality.name,
                     100 * quality.median_error, quality.rows, quality.family);
}

}  // namespace trcost
