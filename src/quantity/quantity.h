// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"

namespace trcost::quantity {

inline constexpr double kSecondsPerHour = 3600.0;
inline constexpr double kHoursPerMonth = 730.5;  ///< a twelfth of a year of 365.25 days
inline constexpr double kHoursPerYear = 8766.0;  ///< 365.25 days
inline constexpr double kHoursPerDay = 24.0;
inline constexpr double kSecondsPerDay = 86400.0;

/// P10 and P90 of a normal distribution lie this many standard deviations from the mean.
inline constexpr double kNormalP90 = 1.2815515655446004;

}  // namespace trcost::quantity
