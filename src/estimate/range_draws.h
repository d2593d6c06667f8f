// SPDX-License-Identifier: Apache-2.0
// Quantiles of an estimate by drawing its uncertain inputs.
#pragma once

#include <cstdint>

#include "trcost/uncertainty.h"

namespace trcost {

/// Points of the lattice of quasi_random_range.
inline constexpr std::uint64_t kLatticePoints = 4093;

/// Fills the quantiles from `inputs.draws` draws; draw k of input i depends on seed, i and k alone.
void draw_range(const RangeInputs& inputs, RangeResult& out);

/// Fills the quantiles from a lattice: all lognormals that act alike are one dimension, the points
/// of each dimension are evenly stratified.
void quasi_random_range(const RangeInputs& inputs, RangeResult& out);

}  // namespace trcost
