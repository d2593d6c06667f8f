// SPDX-License-Identifier: Apache-2.0
// Range of an estimate from the spread of its inputs.
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

/// Quantiles of an uncertain amount.
struct Quantiles {
  double p10 = 0;
  double p50 = 0;
  double p90 = 0;
};

/// Share of the spread that an uncertain input causes.
struct Contribution {
  std::string input;
  double share = 0;  ///< of the variance of ln(total), to first order, in sum 1
  double sigma = 0;  ///< standard deviation of ln(input)
  std::string source;
  double mean = 0;  ///< of ln(input / its value in the estimate)
  Exponents exponents;
  /// 80% range of the total, or of the GPU-hours if dollars are unknown, if only this input is
  /// uncertain.
  double low = 0, high = 0;
};

/// An uncertain factor: the value of an input over the value that the estimate used. Rounds of a
/// job share the inputs of equal cause and field.
struct UncertainInput {
  Cause cause = Cause::price;
  std::optional<Field> field;  ///< empty if no field holds the value
  Distribution factor;         ///< of the factor, e.g. lognormal with median 1
  Exponents exponents;
  double most = std::numeric_limits<double>::infinity();  ///< upper limit of draws
  std::string_view source;                                ///< of the spread, with static lifetime
  bool given = false;                                     ///< given by the user
  /// The field's path if the range was given, else a name in words.
  [[nodiscard]] std::string_view name() const;
};

/// Range of an estimate.
struct RangeResult {
  Quantiles gpu_hours;
  Quantiles wall_clock_seconds;
  std::optional<Quantiles> total_usd;
  std::vector<Contribution> contributions;  ///< largest first
  std::string method;                       ///< closed form, or Monte Carlo with draws and seed
  std::vector<UncertainInput> inputs;       ///< of a single round
};

}  // namespace trcost
