// SPDX-License-Identifier: Apache-2.0
// Distributions of inputs, and random numbers to draw from them that are the same on every machine.
#pragma once

#include <cstdint>

#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::cost {

/// Throws Error (usage) if the ends are swapped, the spread is negative, or the distribution
/// reaches 0 or below, which no input of a cost can.
void check_distribution(const Distribution& distribution);

/// ln of the quantile `p`, a probability.
double log_quantile(const Distribution& distribution, double p);

/// The distribution of x / value.
Distribution relative_to(const Distribution& distribution, double value);

/// Mean and standard deviation of ln(value).
struct LogMoments {
  double mean = 0;
  double sigma = 0;
};
/// Throws as check_distribution().
LogMoments log_moments(const Distribution& distribution);

/// A well-mixed 64-bit number from a counter: the output function of SplitMix64 (Steele, Lea and
/// Flood 2014, doi:10.1145/2660193.2660195).
constexpr std::uint64_t mix_counter(std::uint64_t key, std::uint64_t counter) {
  std::uint64_t z = key + (counter + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Maps 64 bits to a number in (0, 1), without the ends.
constexpr double to_unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace trcost::cost
