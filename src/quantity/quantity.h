// SPDX-License-Identifier: Apache-2.0
// Units of time, and numbers in formulas.
#pragma once

#include <string>

#include "quantity/layers.h"

namespace trcost::quantity {

inline constexpr double kSecondsPerHour = 3600.0;
inline constexpr double kHoursPerMonth = 730.5;  ///< a twelfth of a year of 365.25 days
inline constexpr double kHoursPerYear = 8766.0;  ///< 365.25 days
inline constexpr double kHoursPerDay = 24.0;
inline constexpr double kSecondsPerDay = 86400.0;

/// Standard deviations from the mean of a normal distribution to its P10 and P90.
inline constexpr double kNormalP90 = 1.2815515655446004;
/// Standard deviations from the mean of a normal distribution to its P20 and P80.
inline constexpr double kNormalP80 = 0.8416212335729143;

/// Six significant digits, from which a reader or a test computes a formula again.
std::string digits(double value);
/// digits() with the unit s.
std::string in_seconds(double value);

}  // namespace trcost::quantity
