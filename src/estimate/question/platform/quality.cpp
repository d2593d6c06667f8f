// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/platform/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog/software/engine.h"
#include "performance/training/method_quality.h"

namespace trcost::estimation {
namespace {

// Extra spread for layers that no published row has, as for a chip whose constants come by rule
// (model.md 5.2) [D].
constexpr double kUntestedSigma = 0.2;

// Median absolute value of a normal distribution, in standard deviations.
constexpr double kNormalMedianSize = 0.6745;

bool ran_on(const MeasuredSteps& measured, const Accelerator& chip) {
  return std::ranges::find(measured.accelerators, chip.name) != measured.accelerators.end();
}

// Quality of a stack calibrated to a user's own steps. On another chip it is at best that of the
// published rows of its base stack.
MethodQuality own_quality(const MeasuredSteps& measured, const Platform& platform,
                          MethodQuality published) {
  MethodQuality quality = published;
  const bool here = ran_on(measured, *platform.accelerator);
  quality.own = true;
  quality.sigma = here ? measured.sigma : std::min(measured.sigma_elsewhere, published.sigma);
  quality.median_error = kNormalMedianSize * quality.sigma;
  quality.rows = measured.rows;
  quality.family = here ? "your own steps" : "your own steps on another chip";
  return quality;
}

}  // namespace

MethodQuality method_quality(const Workload& workload, const Platform& platform, bool on_samples) {
  const MeasuredSteps& measured = platform.stack->measured;
  const std::string& stack = measured.rows > 0 ? measured.base : platform.stack->name;
  MethodQuality quality =
      workload.vision()
          ? vision_quality(*platform.efficiency, stack, workload.contrastive_batch > 0)
          : nearest_quality(*platform.efficiency, stack, workload.language.moe.has_value(),
                            on_samples || workload.language_training != Training::full);
  if (measured.rows > 0) return own_quality(measured, platform, quality);
  if (workload.language.pattern_parts > 0) {
    quality.sigma = std::sqrt(quality.sigma * quality.sigma + kUntestedSigma * kUntestedSigma);
    quality.rows = 0;
    quality.family = "hybrid or sparse layers";
  }
  return quality;
}

MethodQuality round_quality(const RoundFramework& f) {
  MethodQuality quality;
  quality.name = "phases of a round";
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
  if (quality.own) {
    return fmt::format("{}, calibrated to {} of {}: typical error {:.0f}%", quality.name,
                       quality.rows, quality.family, 100 * quality.median_error);
  }
  return fmt::format("{}: median error {:.0f}% on {} published rows ({})", quality.name,
                     100 * quality.median_error, quality.rows, quality.family);
}

}  // namespace trcost::estimation
