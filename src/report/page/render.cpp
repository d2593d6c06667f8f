// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "trcost/report.h"

namespace trcost {

std::size_t cheapest_index(std::span<const Estimate> estimates) {
  const auto rank = [](const Estimate& e) {
    return std::tuple(!e.memory.fits, !e.cost.total.has_value(),
                      e.cost.total.value_or(e.gpu_hours));
  };
  const auto best =
      std::min_element(estimates.begin(), estimates.end(),
                       [&](const Estimate& a, const Estimate& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(best - estimates.begin());
}

}  // namespace trcost
