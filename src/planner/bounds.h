// SPDX-License-Identifier: Apache-2.0
// What a layout takes at least, before its pipeline and its exchange of gradients are known.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "planner/space.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Time per sequence that splitting the layers and exchanging gradients only add to: the work of
/// one split of the model at one micro-batch, seen without a pipeline.
class Bounds {
 public:
  struct Work {
    double seconds = 0;  ///< per sequence
    double again = 0;    ///< what full recomputation adds at least
  };

  Bounds(const StepModel& model, const PlanRequest& request);

  /// Of the GPUs that a structure has at work.
  Work work(const Structure& structure, double micro_batch);

 private:
  /// Work of equal splits, by the logarithm of the micro-batch; other micro-batches apart.
  struct Known {
    std::vector<std::optional<Work>> powers;
    std::map<double, Work> others;
  };

  Known& known_of(const Structure& structure);
  /// Were as many replicas as there are GPUs for, whole or not.
  [[nodiscard]] Work on_all(const Structure& structure, double micro_batch);
  double again_share();

  const StepModel& model_;
  double gpus_;
  ContextKind context_kind_;
  std::optional<double> again_share_;     ///< computed when first needed
  std::map<LayoutDegrees, Known> known_;  ///< in one stage and one replica
  LayoutDegrees last_;
  Known* last_known_ = nullptr;  ///< of last_, which structures share with their neighbours
};

}  // namespace trcost::planner
