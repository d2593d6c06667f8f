// SPDX-License-Identifier: Apache-2.0
// The spread of an estimate from the spread of its inputs.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/bill.h"
#include "trcost/scenario.h"

namespace trcost {

struct Quantiles {
  double p10 = 0;
  double p50 = 0;
  double p90 = 0;
};

/// Contribution of an uncertain input to the spread.
struct Contribution {
  std::string input;
  double share = 0;  ///< of the variance of ln(total), to first order. Shares sum to 1
  double sigma = 0;  ///< standard deviation of ln(input)
  std::string source;
  double mean = 0;  ///< of ln(input / its value in the estimate)
  Exponents exponents;
  /// P10 and P90 of the total, or of the GPU-hours if dollars are unknown, with this input alone
  /// uncertain and all others at their median.
  double low = 0, high = 0;
};

/// An uncertain factor: value / value in the estimate. It is identified by cause and field, and
/// shared by the rounds of a job that have it.
struct UncertainInput {
  Cause cause = Cause::price;
  std::optional<Field> field;  ///< the uncertain field, if it is one
  Distribution factor;         ///< of the factor itself, e.g. lognormal with median 1
  Exponents exponents;
  double most = std::numeric_limits<double>::infinity();  ///< upper bound of draws
  std::string_view source;                                ///< of the spread. Static storage
  bool given = false;                                     ///< a range that the user set
  /// Name for people: the field's path if the user set the range, else words.
  [[nodiscard]] std::string_view name() const;
};

struct RangeResult {
  Quantiles gpu_hours;
  Quantiles wall_clock_seconds;
  std::optional<Quantiles> total_usd;
  std::vector<Contribution> contributions;  ///< largest first
  std::string method;                       ///< closed form, or Monte Carlo with draws and seed
  std::vector<UncertainInput> inputs;       ///< all inputs, to compute a range with fewer or more
};

}  // namespace trcost
