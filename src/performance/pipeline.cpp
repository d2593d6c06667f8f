// SPDX-License-Identifier: Apache-2.0
#include "performance/pipeline.h"

#include <algorithm>
#include <cmath>

namespace trcost {

StageTimes stage_times(const StageParts& parts, double stages) noexcept {
  const double total = parts.layers * parts.layer + parts.head + parts.encoder;
  if (stages <= 1) return {total, total};
  const double mean = total / stages;
  if (parts.encoder > 0) {
    return {mean, std::max({mean + 0.5 * parts.layer, parts.encoder, parts.head})};
  }
  const auto divides = [&](double extra) {
    return std::fmod(parts.layers + extra, stages) == 0;
  };
  double most = std::ceil(parts.layers / stages);
  double last = parts.layers - (stages - 1) * most;  // layers beside the head
  if (divides(0)) {
    last = most;
  } else if (divides(2) || divides(1)) {
    most = std::ceil((parts.layers + 1) / stages);
    last = most - 1;
  }
  const double slowest = std::max(most * parts.layer, std::max(last, 0.0) * parts.layer + parts.head);
  return {mean, std::max(mean, slowest)};
}

double bubble_stages(double stages, double virtual_stages) noexcept {
  return (stages - 1) / virtual_stages;
}

}  // namespace trcost
