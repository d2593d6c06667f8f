// SPDX-License-Identifier: Apache-2.0
// Random numbers of a Monte Carlo, each from its place alone: the same on every machine.
#pragma once

#include <cstdint>

#include "quantity/layers.h"

namespace trcost::cost {

/// A well-mixed 64-bit number from a counter: the output function of SplitMix64 (Steele, Lea and
/// Flood 2014, doi:10.1145/2660193.2660195).
constexpr std::uint64_t mix_counter(std::uint64_t key, std::uint64_t counter) {
  std::uint64_t z = key + (counter + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// A number in (0, 1), never either end.
constexpr double to_unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace trcost::cost
