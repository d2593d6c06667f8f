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

/// How much of the spread an uncertain input brings, and what it moves.
struct Contribution {
  std::string input;
  double share = 0;  ///< of the variance of ln(total), to first order; shares sum to 1
  double sigma = 0;  ///< standard deviation of ln(input)
  std::string source;
  double mean = 0;  ///< of ln(input / its value in the estimate)
  Exponents exponents;
  /// Of the total, or of the GPU-hours where dollars are not known: four chances in five where this
  /// input alone is uncertain and all else at its median.
  double low = 0, high = 0;
};

/// An uncertain factor: its value over the value that the estimate used. Cause and field say which
/// one it is: rounds of a job that have it share it.
struct UncertainInput {
  Cause cause = Cause::price;
  std::optional<Field> field;  ///< whose value it is; empty where no field holds it
  Distribution factor;         ///< of the factor itself, e.g. lognormal with median 1
  Exponents exponents;
  double most = std::numeric_limits<double>::infinity();  ///< no draw is above it
  std::string_view source;  ///< where the spread comes from; lives for ever
  bool given = false;       ///< a range that the user gave
  /// For people: the field's path where the range was given, else in words.
  [[nodiscard]] std::string_view name() const;
};

struct RangeResult {
  Quantiles gpu_hours;
  Quantiles wall_clock_seconds;
  std::optional<Quantiles> total_usd;
  std::vector<Contribution> contributions;  ///< largest first
  std::string method;                       ///< closed form, or Monte Carlo with draws and seed
  std::vector<UncertainInput> inputs;       ///< what it was made of, for a range with fewer or more
};

}  // namespace trcost
