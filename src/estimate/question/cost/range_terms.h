// SPDX-License-Identifier: Apache-2.0
// What is asked of a range, and what of the question makes it narrower.
#pragma once

#include <optional>
#include <vector>

#include "cost/uncertain_inputs.h"
#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// A field that is asked as a distribution around its value.
struct RangedField {
  Field field;
  double value;
  Distribution distribution;
};

struct RangeTerms {
  UncertaintyContext said;      ///< what decides the default spreads, as far as it was said
  RolloutUncertainty rollouts;  ///< the same of rollouts, where there are any
  bool samples_given = false;
  bool budget_given = false;        ///< a number of tokens, in whatever way
  bool amount_given = false;        ///< tokens, in whatever way, or samples
  bool goodput_ranged = false;      ///< or production overhead
  bool tokens_by_params = false;    ///< tokens per parameter were said
  std::vector<RangedField> ranged;  ///< in the order of the question
  std::optional<double> draws;      ///< full Monte Carlo when given
  double seed = 1;
};

}  // namespace trcost::estimation
