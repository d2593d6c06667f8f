// SPDX-License-Identifier: Apache-2.0
// The columns of what a plan consists of, which estimates, memory reports and validation share.
#pragma once

#include <cstdint>

#include "quantity/layers.h"
#include "quantity/quantity.h"
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
/// Cells of a platform line that a narrow page leaves out.
inline constexpr std::uint8_t kMayGo = Beside::kGroup;
}  // namespace beside

/// A layout on the accelerators that it was made for, and the layers that its pipeline partitions.
struct PlacedLayout {
  const Layout* layout = nullptr;
  double gpus = 0;
  double layers = 0;
};
/// The layout of a row with its own accelerators and layers.
template <class Row>
PlacedLayout placed(const Row& row) {
  return {&row.layout, row.gpus, row.layers};
}

/// Seconds that a reserved price binds for.
inline double commitment_seconds(const Obligation& obligation) {
  return obligation.hours * kSecondsPerHour;
}

const Columns<PlacedLayout>& layout_columns();   ///< `tp`, ..., `idle_gpus`
const Columns<MemoryUse>& memory_use_columns();  ///< `weights_bytes`, ..., `fits`, `tight`
const Columns<Assumption>& assumption_columns();

/// The two lists that an answer ends with.
template <class T>
constexpr Column<T> open_points() {
  using namespace column;
  Column<T> out;
  out.expand = [](Columns<T>& table, const Column<T>&) {
    table.add({list<assumption_columns>("assumptions", member<&T::assumptions>,
                                        "defaults of fields that were not set"),
               list<text_columns>("warnings", member<&T::warnings>, "what to know")});
  };
  return out;
}
const Columns<Estimator::Failure>& failure_columns();

enum class QuantilesOf : std::uint8_t { gpu_hours, seconds, usd };
template <QuantilesOf Of>
const Columns<Quantiles>& quantile_columns();  ///< `p10`, `p50`, `p90`

}  // namespace trcost::estimation
