// SPDX-License-Identifier: Apache-2.0
// One answer to a scenario, and what stands in it.
#pragma once

#include "catalog_fixture.h"
#include "contains.h"
#include "trcost/estimate.h"

#include <algorithm>
#include <string_view>

/// Estimate of the first platform of a scenario.
inline trcost::Estimate answer(const trcost::Scenario& scenario, bool derivations = false) {
  trcost::EstimateOptions options;
  options.derivations = derivations;
  return trcost::estimate(scenario, test_catalog(), options).front();
}

/// Assumption about a field's path, or null.
inline const trcost::Assumption* find_assumption(const trcost::Estimate& e, std::string_view path) {
  const auto found = std::ranges::find(e.assumptions, path, &trcost::Assumption::path);
  return found == e.assumptions.end() ? nullptr : &*found;
}

inline bool has_warning(const trcost::Estimate& e, std::string_view words) {
  return std::ranges::any_of(e.warnings,
                             [&](const std::string& warning) { return contains(warning, words); });
}
