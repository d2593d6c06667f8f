// SPDX-License-Identifier: Apache-2.0
// Quantiles of an estimate by drawing its uncertain inputs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/range/range.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Logarithms of the factors by which drivers change.
class DriverLogs {
 public:
  void add(const Exponents& exponents, double log_factor) {
    for (std::size_t i = 0; i < kDriverCount; ++i) {
      logs_[i] += exponents[static_cast<Driver>(i)] * log_factor;
    }
  }
  /// ln of the factor of a product of their powers.
  [[nodiscard]] double of(const Exponents& moves) const {
    double sum = 0;
    for (std::size_t i = 0; i < kDriverCount; ++i) sum += moves[static_cast<Driver>(i)] * logs_[i];
    return sum;
  }
  double operator[](Driver driver) const { return logs_[static_cast<std::size_t>(driver)]; }

 private:
  std::array<double, kDriverCount> logs_{};
};

/// Dollars after each driver has changed.
double changed_total(const Dollars& usd, const DriverLogs& at);

/// P10, P50, P90 of values, which are reordered. Linear between the two nearest order statistics
/// (type 7 of Hyndman and Fan 1996).
Quantiles compute_quantiles(std::vector<double>& values);

/// Points of the lattice that ranges are drawn from by default.
inline constexpr std::uint64_t kLatticePoints = 4093;

/// An input of the rounds of a job, null in rounds without it.
struct SharedInput {
  std::vector<const UncertainInput*> in_round;
};
std::vector<SharedInput> shared_inputs(std::span<const RangeInputs> rounds);

/// Fills the quantiles of the sum over the rounds of a job, drawing a shared input once. With
/// `draws` of the first round, draw k of input i depends on seed, i and k alone. Without, points
/// come from a lattice, where all lognormals with the same effect are one dimension and each
/// dimension is evenly stratified.
void draw_rounds(std::span<const RangeInputs> rounds, RangeResult& out);

}  // namespace trcost::estimation
