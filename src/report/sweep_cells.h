// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trcost/sweep.h"

namespace trcost {

// Rows of a table on their way to it, which needs them all; no cell holds control characters.
inline constexpr char kSweepCellEnd = '\x1f';
inline constexpr char kSweepRowEnd = '\x1e';

/// The columns that a table shows after the axes.
std::vector<const EstimateColumn*> sweep_table_columns(const SweepPlan& plan);

}  // namespace trcost
