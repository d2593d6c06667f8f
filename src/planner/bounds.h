// SPDX-License-Identifier: Apache-2.0
// Lower bounds of step time, before memory decides which layers recompute.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "planner/space.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Work of one replica by micro-batch: its kernels and exchange within layers. Pipelines and the
/// exchange between replicas only add to it. It does not depend on the cluster, so that searches
/// for several sizes share it.
class ReplicaWork {
 public:
  struct Pass {
    performance::ReplicaKernels kernels;
    double seconds = 0;             ///< GPU-seconds per sequence, before StepModel::lengthening()
    double recompute = 0;           ///< least addition of full recomputation
    performance::StageParts parts;  ///< of a micro-batch, without recomputation
    double forward = 0, backward = 0;  ///< seconds of a micro-batch's passes, which hide exchange
    /// Least seconds of a micro-batch that full recomputation adds.
    [[nodiscard]] double repeated(const Structure& s, double micro_batch) const {
      return recompute * micro_batch / (static_cast<double>(s.tp) * s.cp);
    }
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
  /// the slowest. `pass`: of the replica at `micro_batch`. `recomputed`: least share of the layers.
  [[nodiscard]] double uneven(const Structure& structure, const ReplicaWork::Pass& pass,
                              double micro_batch, double recomputed) const;
  /// GPU-seconds per sequence, before StepModel::lengthening(), of exposed transfers between
  /// stages.
  [[nodiscard]] double transfers(const Layout& layout) const;
  /// GPU-seconds per sequence, before StepModel::lengthening(), of the update and of the exchange
  /// between replicas that the passes leave exposed. `pass`: of the replica. `repeats`: whether
  /// layers may recompute, which hides exchange too. `payloads`: of these degrees.
  [[nodiscard]] double exchange(const Layout& layout, const ReplicaWork::Pass& pass, bool repeats,
                                performance::PayloadSeconds& payloads) const;
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
