// SPDX-License-Identifier: Apache-2.0
// What is run in a study: the final run, and one attempt of an experiment.
#pragma once

#include <string_view>

#include "study/experiments.h"
#include "trcost/estimate.h"

namespace trcost {

/// The size of the final run: what the fractions are of.
struct FinalRun {
  double params = 0;
  double tokens = 0;  ///< of one epoch
  double rule = 0;    ///< 6 N D
  double flops = 0;
  bool vision = false;
};
FinalRun final_run(const Scenario& base, std::string_view accelerator, Estimator& estimator);

/// The scenario of one attempt, without hardware.
Scenario attempt_scenario(const Scenario& base, const Experiment& experiment,
                          const FinalRun& whole);

}  // namespace trcost
