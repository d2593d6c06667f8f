// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "trcost/performance.h"

namespace trcost {

/// What a search may choose: every degree that is empty. Those given are honoured.
struct PlanRequest {
  double gpus = 1;
  std::optional<double> global_batch;  ///< sequences; empty: `batch_hint`, rounded to what divides
  double batch_hint = 1;
  std::optional<int> tp, pp, vp, cp, ep, dp;
  std::optional<double> micro_batch;
  std::optional<Sharding> sharding;
  std::optional<Recompute> recompute;
  bool sequence_parallel = true;

  /// Whether nothing is left to choose: then the layout is computed even where it does not fit.
  [[nodiscard]] bool complete() const;
};

/// A chosen layout with what the performance floor says of it.
struct Plan {
  Layout layout;
  StepTime time;
  MemoryUse memory;
  std::optional<Layout> runner_up;   ///< best layout with another (tp, pp, cp, ep, sharding, recompute)
  double runner_up_seconds = 0;
  double evaluated = 0;              ///< layouts looked at
};

/// The layout with the most tokens per second that fits (model.md 5.4): every (tp, pp, vp, cp, ep,
/// micro-batch, sharding, recompute) that divides the model and the cluster. Ties go to the simpler
/// layout, so the result is deterministic. Throws Error (usage) where the given degrees do not
/// multiply to the GPUs or do not divide model or batch, naming which; Error (no_answer) where
/// nothing fits, with the smallest number of GPUs that would.
Plan plan(const StepModel& model, const PlanRequest& request);

/// The smallest number of GPUs, in whole nodes beyond one node, for which a layout fits; 0 if none
/// up to `most`.
double smallest_cluster(const StepModel& model, const PlanRequest& request, double most);

}  // namespace trcost
