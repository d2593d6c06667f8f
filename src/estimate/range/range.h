// SPDX-License-Identifier: Apache-2.0
// The range of an estimate or of a job, from the spread of its inputs.
#pragma once

#include <optional>
#include <vector>

#include "quantity/layers.h"
#include "trcost/uncertainty.h"

namespace trcost::estimation {

/// Amounts of a round and their uncertain inputs.
struct RangeInputs {
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  std::optional<Dollars> usd;  ///< empty if a price is unknown
  std::vector<UncertainInput> inputs;
  std::optional<double> draws;  ///< of a full Monte Carlo, if given
  double seed = 1;
};

/// Computes P10, P50 and P90. Products of lognormals have a closed form: P = P50 exp(+-1.2816
/// sigma), with sigma^2 the sum of (exponent x sigma)^2. Sums of several parts and other
/// distributions take quasi-random draws, and with `draws` Monte Carlo. The bytes are equal on
/// every machine with IEEE 754 doubles.
RangeResult compute_range(RangeInputs inputs);

/// Computes the range of a job of rounds that run one after another. Hours, days and dollars are
/// summed in each draw. An input of the same cause and field, such as stack or price, is drawn once
/// for all rounds. Ranges given for single rounds are separate inputs.
RangeResult compute_range(std::vector<RangeInputs> rounds);

/// Derives the method, and the spread of each input with its source.
std::vector<Derivation> derive_range(const RangeResult& result);

}  // namespace trcost::estimation
