// SPDX-License-Identifier: Apache-2.0
// The columns of what a plan consists of, which estimates, memory reports and validation share.
#pragma once

#include <array>
#include <cstdint>

#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/estimate.h"
#include "trcost/layout.h"

namespace trcost::estimation {

/// Groups of lines where people see platforms side by side (Beside::line).
namespace beside {
inline constexpr std::uint8_t kCluster = 1 * Beside::kGroup;
inline constexpr std::uint8_t kSpeed = 2 * Beside::kGroup;
inline constexpr std::uint8_t kPower = 3 * Beside::kGroup;
inline constexpr std::uint8_t kMoney = 4 * Beside::kGroup;
/// Of a line per platform, what a narrow page can do without.
inline constexpr std::uint8_t kMayGo = Beside::kGroup;
}  // namespace beside

/// A layout on the accelerators that it was made for, and the layers that its pipeline deals.
struct PlacedLayout {
  const Layout* layout = nullptr;
  double gpus = 0;
  double layers = 0;
};

const Columns<PlacedLayout>& layout_columns();   ///< `tp`, ..., `idle_gpus`
const Columns<MemoryUse>& memory_use_columns();  ///< `weights_bytes`, ..., `fits`, `tight`
const Columns<Assumption>& assumption_columns();

/// What an answer ends with: what its question left open, and what to know.
template <class T>
std::array<Column<T>, 2> open_points() {
  using column::list;
  return {
      list<assumption_columns>(
          "assumptions", [](const T& answer) -> auto& { return answer.assumptions; },
          "what the question left open"),
      list<text_columns>(
          "warnings", [](const T& answer) -> auto& { return answer.warnings; }, "what to know")};
}
const Columns<Estimator::Failure>& failure_columns();

enum class QuantilesOf : std::uint8_t { gpu_hours, seconds, usd };
template <QuantilesOf Of>
const Columns<Quantiles>& quantile_columns();  ///< `p10`, `p50`, `p90`

}  // namespace trcost::estimation
