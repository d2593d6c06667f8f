// SPDX-License-Identifier: Apache-2.0
// Lower bounds of step time, before the pipeline and the exchange of gradients are known.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "planner/space.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Work of one replica by micro-batch: its kernels and exchange within layers. Pipelines and the
/// exchange of gradients only add to it. It does not depend on the cluster, so that searches for
/// several sizes share it.
class ReplicaWork {
 public:
  struct Pass {
    performance::ReplicaKernels kernels;
    double seconds = 0;             ///< GPU-seconds per sequence, before StepModel::lengthening()
    double recompute = 0;           ///< least addition of full recomputation
    performance::StageParts parts;  ///< of a micro-batch, without recomputation
  };

  /// `layout`: the degrees and kinds that decide the work of a layer.
  ReplicaWork(const StepModel& model, const Layout& layout, double recompute_share)
      : model_(model), layout_(layout), recompute_share_(recompute_share) {}

  const Pass& at(double micro_batch);
  /// GPU-seconds per sequence that no micro-batch up to `most` goes below. Larger ones never take
  /// longer per sequence.
  double least_seconds(double most);

 private:
  [[nodiscard]] Pass compute(double micro_batch) const;

  const StepModel& model_;
  Layout layout_;
  double recompute_share_;                     ///< of full recomputation over the matmuls
  std::vector<std::unique_ptr<Pass>> powers_;  ///< by the logarithm of the micro-batch
  std::map<double, Pass> others_;
};

/// Work of every replica of a model, and the factor on it for a number of GPUs.
class Bounds {
 public:
  explicit Bounds(const StepModel& model);

  [[nodiscard]] const StepModel& model() const { return model_; }
  /// Work of the replicas of a structure. Stays valid.
  ReplicaWork& replica(const Structure& structure, ContextKind context_kind,
                       bool sequence_parallel);
  /// GPU-seconds per sequence, before StepModel::lengthening(), for which the other stages wait for
  /// the slowest if layers do not divide evenly. `pass`: of the replica at `micro_batch`.
  [[nodiscard]] double uneven(const Structure& structure, const ReplicaWork::Pass& pass,
                              double micro_batch) const;
  /// GPU-seconds per sequence, before StepModel::lengthening(), of exposed transfers between
  /// stages.
  [[nodiscard]] double transfers(const Layout& layout) const;
  /// Seconds per GPU-second of work: lengthening over GPUs.
  double share(double gpus);

 private:
  struct Key {
    LayoutDegrees degrees;  ///< with one stage and one replica
    ContextKind context_kind = ContextKind::ring;
    bool sequence_parallel = true;
    auto operator<=>(const Key&) const = default;
  };

  const StepModel& model_;
  double recompute_share_;
  std::map<Key, ReplicaWork> known_;
  Key last_;
  ReplicaWork* last_work_ = nullptr;  ///< of last_, which consecutive structures share
  double last_gpus_ = 0, last_share_ = 0;
};

}  // namespace trcost::planner
