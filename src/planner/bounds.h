// SPDX-License-Identifier: Apache-2.0
// Lower bounds of step time, before the pipeline and the exchange of gradients are known.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "planner/space.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Least time per sequence of a structure at a micro-batch: its kernels and exchange within layers.
/// Pipelines and the exchange of gradients only add to it.
class Bounds {
 public:
  struct Work {
    double seconds = 0;    ///< per sequence
    double recompute = 0;  ///< least addition of full recomputation
  };

  Bounds(const StepModel& model, const PlanRequest& request);

  /// Work on the GPUs that a structure uses.
  Work work(const Structure& structure, double micro_batch);

 private:
  /// Work of one partition of a layer, by the logarithm of the micro-batch and by other
  /// micro-batches.
  struct Known {
    std::vector<std::optional<Work>> powers;
    std::map<double, Work> others;
  };

  Known& cached_work(const Structure& structure);
  /// Work with as many replicas as there are GPUs for, whole or not.
  [[nodiscard]] Work full_cluster_work(const Structure& structure, double micro_batch);
  double recompute_share();

  const StepModel& model_;
  double gpus_;
  ContextKind context_kind_;
  std::optional<double> recompute_share_;  ///< computed when first needed
  std::map<LayoutDegrees, Known> known_;   ///< with one stage and one replica
  LayoutDegrees last_;
  Known* last_known_ = nullptr;  ///< of last_, which consecutive structures share
};

}  // namespace trcost::planner
