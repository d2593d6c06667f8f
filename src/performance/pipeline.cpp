// SPDX-License-Identifier: Apache-2.0
#include "performance/pipeline.h"

#include <algorithm>

#include "trcost/layout.h"

namespace trcost {

StageTimes stage_times(const StageParts& parts, double stages) noexcept {
  const double total = parts.layers * parts.layer + parts.head + parts.encoder;
  if (stages <= 1) return {total, total};
  const double mean = total / stages;
  if (parts.encoder > 0) {
    // Layers cannot be cut: beside an encoder a stage is off the mean by half a layer.
    constexpr double kUneven = 0.5;
    return {mean, std::max({mean + kUneven * parts.layer, parts.encoder, parts.head})};
  }
  const StageLayers dealt = stage_layers(parts.layers, stages, parts.head_layers);
  const double slowest =
      std::max(dealt.inner * parts.layer, dealt.last * parts.layer + parts.head);
  return {mean, std::max(mean, slowest)};
}

double bubble_stages(double stages, double virtual_stages) noexcept {
  return (stages - 1) / virtual_stages;
}

}  // namespace trcost
