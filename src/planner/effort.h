// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"

namespace trcost::planner {

/// An estimate of one platform ranks no more layouts than this in all its searches: sizes for a
/// deadline, layouts near a given batch, the smallest cluster where nothing fits.
inline constexpr double kMostLayoutsOfEstimate = 1'000'000;
/// How many this thread has ranked so far, for who bounds or measures the work.
double layouts_considered();

}  // namespace trcost::planner
