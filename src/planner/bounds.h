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
/// Pipelines and the exchange of gradients only add to it. It does not depend on the cluster, so
/// that searches for several sizes share it.
class Bounds {
 public:
  struct Work {
    double seconds = 0;    ///< per sequence
    double recompute = 0;  ///< least addition of full recomputation
  };

  explicit Bounds(const StepModel& model) : model_(model) {}

  [[nodiscard]] const StepModel& model() const { return model_; }
  /// Work on the GPUs that a structure uses.
  Work work(const Structure& structure, ContextKind context_kind, double micro_batch);

 private:
  /// Degrees that decide the work of a layer.
  struct Partition {
    LayoutDegrees degrees;  ///< with one stage and one replica
    ContextKind context_kind = ContextKind::ring;
    auto operator<=>(const Partition&) const = default;
  };
  /// Work on one GPU of a replica, before StepModel::lengthening(), by the logarithm of the
  /// micro-batch and by other micro-batches.
  struct Known {
    std::vector<std::optional<Work>> powers;
    std::map<double, Work> others;
  };

  Known& cached_work(const Structure& structure, ContextKind context_kind);
  [[nodiscard]] Work replica_work(const Partition& partition, double micro_batch);
  double recompute_share();

  const StepModel& model_;
  std::optional<double> recompute_share_;  ///< computed when first needed
  std::map<Partition, Known> known_;
  Partition last_;
  Known* last_known_ = nullptr;  ///< of last_, which consecutive structures share
  double last_gpus_ = 0, last_lengthening_ = 1;
};

}  // namespace trcost::planner
