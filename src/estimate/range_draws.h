// SPDX-License-Identifier: Apache-2.0
// Quantiles of an estimate by drawing its uncertain inputs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trcost/uncertainty.h"

namespace trcost {

/// ln of the factor by which each driver changes.
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

/// The dollars where each driver has changed.
double total_of(const Dollars& usd, const DriverLogs& at);

/// P10, P50, P90 of values, whose order is lost. Linear between the two nearest order statistics
/// (type 7 of Hyndman and Fan 1996).
Quantiles quantiles_of(std::vector<double>& values);

/// The standard normal at the middles of kLatticePoints equal strata.
const std::vector<double>& normal_strata();
/// The next dimension's stratum of a point whose stratum in this one is `place`.
std::uint64_t next_place(std::uint64_t place);

/// Points of the lattice of quasi_random_range.
inline constexpr std::uint64_t kLatticePoints = 4093;

/// Fills the quantiles from `inputs.draws` draws; draw k of input i depends on seed, i and k alone.
void draw_range(const RangeInputs& inputs, RangeResult& out);

/// Fills the quantiles from a lattice: all lognormals that act alike are one dimension, the points
/// of each dimension are evenly stratified.
void quasi_random_range(const RangeInputs& inputs, RangeResult& out);

/// An input as the rounds of a job have it: null in a round that does not.
struct SharedInput {
  std::vector<const UncertainInput*> in_round;
};
std::vector<SharedInput> shared_inputs(const std::vector<RangeInputs>& rounds);

/// Fills the quantiles of the sum over the rounds: `draws` of the first round, else the lattice.
void draw_rounds(const std::vector<RangeInputs>& rounds, RangeResult& out);

}  // namespace trcost
