// SPDX-License-Identifier: Apache-2.0
// How much of the wall-clock time is steps.
#pragma once

#include <optional>

#include "cost/goodput.h"
#include "estimate/platform.h"
#include "trcost/estimate.h"

namespace trcost {

/// What is asked of failures and overhead; the cluster and its hours are not known yet.
struct UsefulTerms {
  FailureInputs failures;
  std::optional<double> goodput;  ///< given
  double production_overhead = 1;
  bool overhead_given = false;
  bool tuning_given = false;  ///< how well the software is tuned, which moves the overhead
};
UsefulTerms resolve_useful_terms(const Scenario& scenario, const ResolvedWork& work,
                                 const Amounts& amounts, const System& system);

/// What of the wall-clock time is steps.
struct UsefulTime {
  FailureInputs failures;
  GoodputResult goodput;
  bool goodput_given = false;
  double goodput_share = 1;
  double production_overhead = 1;
  [[nodiscard]] double share() const { return goodput_share * production_overhead; }
};
/// `busy_seconds`: all steps, without interruption.
UsefulTime useful_time(const UsefulTerms& terms, double gpus, double busy_seconds);
void note_useful_time(const UsefulTerms& terms, const UsefulTime& useful, Notes& notes);

}  // namespace trcost
