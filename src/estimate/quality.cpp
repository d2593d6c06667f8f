// SPDX-License-Identifier: Apache-2.0
#include "estimate/quality.h"

#include <fmt/format.h>

namespace trcost {

MethodQuality method_quality(const Catalog&, const Workload&, const Platform&) {
  return {"analytic step model", 0.2, 0.14, 0, "published rows"};
}

std::string method_text(const MethodQuality& quality) {
  return fmt::format("{}: median error {:.0f} % on {} published rows ({})", quality.name,
                     100 * quality.median_error, quality.rows, quality.family);
}

}  // namespace trcost
