// SPDX-License-Identifier: Apache-2.0
// Runs of a study: the final run, and an attempt of each experiment on several cluster sizes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "study/experiments/experiments.h"
#include "trcost/estimate.h"

namespace trcost::study {

/// Size of the final run, of which experiments take fractions.
struct FinalRun {
  double params = 0;  ///< active parameters
  double params_total = 0;
  double tokens = 0;  ///< of one epoch
  double rule = 0;    ///< 6 N D
  double flops = 0;
  bool vision = false;
};
FinalRun final_run(const Scenario& base, std::string_view accelerator, Estimator& estimator);

/// The scenario of one attempt, without hardware. A smaller model is dense, and has a fraction of
/// the final run's active parameters, since the work of a mixture of experts goes with those.
Scenario attempt_scenario(const Scenario& base, const Experiment& experiment,
                          const FinalRun& whole);

/// The assumption that a dense model replaces a smaller mixture of experts, if it does.
std::optional<Assumption> smaller_model(const Scenario& attempt, const Experiment& experiment,
                                        const FinalRun& whole);

/// Seconds of an attempt, early stopping included.
double shortened_seconds(const Estimate& run, const Experiment& experiment);

/// Bounds of the size of a run.
struct RunBounds {
  double node = 1;                ///< accelerators that are rented together
  std::optional<double> cluster;  ///< accelerators that all runs share
  double seconds = 0;             ///< that a run may take
};
/// The run on the fewest accelerators that finish it in time, then on more, up to a node: powers of
/// two, the node. If no part of a node is in time, the nodes that a deadline gets. If none are, the
/// fastest size. More than one node is never added, since whole nodes leave nothing idle.
std::vector<Estimate> run_sizes(const Scenario& attempt, const Experiment& experiment,
                                const RunBounds& bounds, std::string_view accelerator,
                                Estimator& estimator);

}  // namespace trcost::study
