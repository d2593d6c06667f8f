// SPDX-License-Identifier: Apache-2.0
// What a layout takes at least, before its pipeline and its exchange of gradients are known.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "planner/space.h"

namespace trcost {

/// Time per sequence that splitting the layers and exchanging gradients only add to: the work of
/// one tensor, context and expert degree at one micro-batch, seen without a pipeline.
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
  /// Work of equal degrees, by the logarithm of the micro-batch; other micro-batches apart.
  struct Degrees {
    std::vector<std::optional<Work>> powers;
    std::map<double, Work> others;
  };

  Degrees& degrees_of(const Structure& structure);
  /// Were as many replicas as there are GPUs for, whole or not.
  [[nodiscard]] Work on_all(const Structure& structure, double micro_batch);
  double again_share();

  const StepModel& model_;
  double gpus_;
  int etp_;
  ContextKind context_kind_;
  std::optional<double> again_share_;  ///< computed when first needed
  std::map<std::tuple<int, int, int>, Degrees> known_;
  std::tuple<int, int, int> last_{0, 0, 0};
  Degrees* last_degrees_ = nullptr;  ///< of last_, which structures share with their neighbours
};

}  // namespace trcost
