// SPDX-License-Identifier: Apache-2.0
// Given ranges, and the fields of the scenario that make default spreads narrower.
#pragma once

#include <optional>
#include <vector>

#include "cost/uncertain_inputs.h"
#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// A field that is given as a distribution around its value.
struct RangedField {
  Field field;
  double value;
  Distribution distribution;
};

struct RangeTerms {
  UncertaintyContext given;     ///< the given fields that decide the default spreads
  RolloutUncertainty rollouts;  ///< the given fields of rollouts
  bool samples_given = false;
  bool budget_given = false;        ///< tokens, or tokens per parameter
  bool amount_given = false;        ///< tokens, tokens per parameter, or samples
  bool goodput_ranged = false;      ///< goodput or production overhead
  bool tokens_by_params = false;    ///< tokens per parameter
  std::vector<RangedField> ranged;  ///< in the order of the question
  std::optional<double> draws;      ///< of a full Monte Carlo, if given
  double seed = 1;
};

/// Terms of the range of a scenario as the user wrote it, before defaults are filled in.
RangeTerms resolve_range_terms(const Scenario& asked);

}  // namespace trcost::estimation
