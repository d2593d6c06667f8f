// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/solve.h"

namespace trcost::report {

/// What `trcost solve` shows.
struct SolveReport {
  SolveTarget target;
  std::string target_words;          ///< `cost.total at most $1.00M`
  std::string unknown_words;         ///< `data.tokens`
  std::vector<Solution> solutions;   ///< one per platform
  std::vector<ClusterRun> clusters;  ///< of a cluster for a time, one per platform; else empty
  std::string price_data_date;
  std::string scenario = "{}";  ///< JSON: what was asked beside the unknown and the target
};

/// `cost.total at most $1.00M`.
std::string target_words(const SolveTarget& target);

}  // namespace trcost::report
