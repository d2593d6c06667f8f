// SPDX-License-Identifier: Apache-2.0
// What is run in a study: the final run, and one attempt of an experiment on each of its sizes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "study/experiments/experiments.h"
#include "trcost/estimate.h"

namespace trcost::study {

/// The size of the final run: what the fractions are of.
struct FinalRun {
  double params = 0;  ///< of a mixture of experts those that a token uses
  double params_total = 0;
  double tokens = 0;  ///< of one epoch
  double rule = 0;    ///< 6 N D
  double flops = 0;
  bool vision = false;
};
FinalRun final_run(const Scenario& base, std::string_view accelerator, Estimator& estimator);

/// The scenario of one attempt, without hardware. A smaller model is a dense one: of a mixture of
/// experts, whose work goes with what a token uses, so large as that share of its active
/// parameters.
Scenario attempt_scenario(const Scenario& base, const Experiment& experiment,
                          const FinalRun& whole);

/// What the attempt's smaller model is, where it stands for a mixture of experts.
std::optional<Assumption> smaller_model(const Scenario& attempt, const Experiment& experiment,
                                        const FinalRun& whole);

/// Seconds of an attempt, early stopping included.
double shortened_seconds(const Estimate& run, const Experiment& experiment);

/// What bounds the size of a run.
struct RunBounds {
  double node = 1;                ///< accelerators that are rented together
  std::optional<double> cluster;  ///< accelerators that all runs share
  double seconds = 0;             ///< that a run may take
};
/// The run on the fewest accelerators that finish it in time, then on more, up to a node: powers of
/// two, the node; where no part of a node does, on the nodes that a deadline gets; where none does,
/// on the fastest size. Whole nodes idle in nothing, so that more of them save nothing.
std::vector<Estimate> run_sizes(const Scenario& attempt, const Experiment& experiment,
                                const RunBounds& bounds, std::string_view accelerator,
                                Estimator& estimator);

}  // namespace trcost::study
