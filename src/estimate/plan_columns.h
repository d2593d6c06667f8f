// SPDX-License-Identifier: Apache-2.0
// The columns of what a plan consists of, which estimates, memory reports and validation share.
#pragma once

#include <cstdint>

#include "text/column.h"
#include "trcost/estimate.h"
#include "trcost/layout.h"

namespace trcost {

/// A layout on the accelerators that it was made for, and the layers that it splits.
struct PlacedLayout {
  const Layout* layout = nullptr;
  double gpus = 0;
  double layers = 0;
};

const Columns<PlacedLayout>& layout_columns();   ///< `tp`, ..., `idle_gpus`
const Columns<MemoryUse>& memory_use_columns();  ///< `weights_bytes`, ..., `fits`, `tight`
const Columns<Assumption>& assumption_columns();
const Columns<Estimator::Failure>& failure_columns();

enum class QuantilesOf : std::uint8_t { gpu_hours, seconds, usd };
template <QuantilesOf Of>
const Columns<Quantiles>& quantile_columns();    ///< `p10`, `p50`, `p90`

}  // namespace trcost
