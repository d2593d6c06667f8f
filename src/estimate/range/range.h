// SPDX-License-Identifier: Apache-2.0
// The range of an estimate or of a job, from the spread of its inputs.
#pragma once

#include <optional>
#include <vector>

#include "quantity/layers.h"
#include "trcost/uncertainty.h"

namespace trcost::estimation {

struct RangeInputs {
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  std::optional<Dollars> usd;  ///< empty where a price is not known
  std::vector<UncertainInput> inputs;
  std::optional<double> draws;  ///< full Monte Carlo when given
  double seed = 1;
};

/// P10, P50, P90. Products of lognormals in closed form: P = P50 exp(+-1.2816 sigma), with
/// sigma^2 the sum of (exponent x sigma)^2. Sums of several parts, and other distributions, by
/// quasi-random draws, each the sum of its parts; with `draws`, Monte Carlo. The same bytes on
/// every machine with IEEE 754 doubles.
RangeResult compute_range(RangeInputs inputs);

/// Of a job of several rounds, one after another: hours, days and dollars are summed in each draw.
/// An input of the same cause and field is one for all rounds, as stack and price are, and is drawn
/// once; ranges that the user gave to single rounds are inputs of their own.
RangeResult compute_range(std::vector<RangeInputs> rounds);

/// The method, and for each input its spread and where that comes from.
std::vector<Derivation> derive_range(const RangeResult& result);

}  // namespace trcost::estimation
