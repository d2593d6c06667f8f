// SPDX-License-Identifier: Apache-2.0
// Statistics that are the same bytes on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "quantity/layers.h"
#include "quantity/portable_math.h"

namespace trcost::quantity {

/// The middle value, or the mean of the two middle ones. `values` must not be empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// Sample standard deviation of ln(value); 0 for fewer than two. All values have to be above 0.
inline double log_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const double value : values) mean += portable_log(value);
  mean /= static_cast<double>(values.size());
  for (const double value : values) squares += square(portable_log(value) - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// The inverse of the standard normal distribution function, p in (0, 1); Wichura's algorithm AS
/// 241 (1988, doi:10.2307/2347330), about 16 digits. Uses +, -, x, / and square roots only.
double inverse_normal(double p);
/// Share of the standard normal distribution above x, relative error below 1.2e-7 (Numerical
/// Recipes, 2nd edition, section 6.2, erfcc).
double normal_above(double x);

}  // namespace trcost::quantity
