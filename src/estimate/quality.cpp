// SPDX-License-Identifier: Apache-2.0
#include "estimate/quality.h"

#include <fmt/format.h>

#include <cmath>

#include "estimate/round.h"
#include "trcost/performance.h"

namespace trcost {

namespace {

// What an estimate of layers that no published row has is further off, as that of a chip whose
// constants come by rule (model.md 5.2) [D].
constexpr double kUnheldSigma = 0.2;

}  // namespace

MethodQuality method_quality(const Catalog&, const Workload& workload, const Platform& platform) {
  MethodQuality quality =
      workload.vision()
          ? vision_quality(*platform.efficiency, workload.contrastive_batch > 0)
          : nearest_quality(*platform.efficiency, platform.stack->name,
                            workload.language.moe.has_value(),
                            workload.language_training != Training::full);
  if (workload.language.pattern_parts > 0) {
    quality.sigma = std::sqrt(quality.sigma * quality.sigma + kUnheldSigma * kUnheldSigma);
    quality.rows = 0;
    quality.family = "hybrid or sparse layers";
  }
  return quality;
}

MethodQuality round_quality(const RoundWork& round) {
  MethodQuality quality;
  quality.name = "phases of a round";
  const RoundFramework& f = round.framework;
  quality.sigma = f.sigma;
  quality.median_error = f.median_error;
  quality.rows = static_cast<int>(f.rows);
  quality.family = "rounds with rollouts";
  return quality;
}

std::string method_text(const MethodQuality& quality) {
  if (quality.rows == 0) {
    return fmt::format("{}: not held against published rows ({})", quality.name, quality.family);
  }
  return fmt::format("{}: median error {:.0f} % on {} published rows ({})", quality.name,
                     100 * quality.median_error, quality.rows, quality.family);
}

}  // namespace trcost
