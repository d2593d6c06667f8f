// SPDX-License-Identifier: Apache-2.0
// Best-first search: visits layouts in the order of a lower bound of their time, until the bound
// exceeds the best found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "planner/bounds.h"
#include "planner/contenders.h"
#include "planner/space.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Search for the layout with the least time per sequence, weighed by its penalties.
class LayoutSearch {
 public:
  /// `margin`: share of the capacity that a layout leaves free. `bounds`: of the model.
  LayoutSearch(Bounds& bounds, const PlanRequest& request, Idle idle, double margin);

  /// Finds the best layout with its time, memory and runner-up. Returns false if none leaves the
  /// margin.
  bool run(Plan& plan);
  /// As run() without a runner-up.
  bool run_best_only(Plan& plan);
  /// As run_best_only(), among layouts that may take less than `limit`.
  bool run_below(const TimeLimit& limit, Plan& plan);
  /// Whether a layout that was looked at leaves the margin.
  [[nodiscard]] bool any_leaves_margin() const { return any_leaves_margin_; }
  /// Whether run() might find another layout than run_below(), since it looks at more of them.
  [[nodiscard]] bool may_miss_best() const;
  /// Whether run() found a layout that fits without the margin.
  [[nodiscard]] bool any_fits() const { return any_fits_; }
  /// Finds the layout with the least memory. Returns false if no layout divides the model.
  bool least_memory(Plan& plan);

 private:
  /// Values of Candidate::vp for a structure whose bound is rough, whose memory is not checked, or
  /// that is not expanded.
  static constexpr int kRough = -2, kUnchecked = -1, kUnexpanded = 0;
  /// A structure, or one way to run it.
  struct Candidate {
    double bound;      ///< least seconds per sequence, weighed
    double work;       ///< `bound` without recomputation
    double recompute;  ///< least addition of full recomputation
    int structure;
    int vp;
    BatchChoice batch;
  };

  bool search(Plan& plan);
  /// Weighed seconds per sequence beyond which no layout is of interest.
  [[nodiscard]] double limit() const {
    return best_only_ ? contenders_.best_limit() : contenders_.limit();
  }
  /// Weighed seconds per sequence beyond which no layout will be of interest.
  [[nodiscard]] double reach() const {
    return best_only_ ? contenders_.best_limit() : contenders_.reach();
  }
  /// Whether at least `seconds` per sequence are more than limit_ on a structure's GPUs. `weighed`
  /// as Candidate::bound.
  bool drop(const Structure& structure, double seconds, double weighed);
  static bool later(const Candidate& a, const Candidate& b);
  void push(const Candidate& candidate);
  Candidate pop();
  void enumerate();
  /// Least weighed seconds per sequence of any layout of a structure, at the speed of its largest
  /// micro-batch.
  [[nodiscard]] double rough_bound(int structure);
  /// Queues a structure with the least weighed seconds of its micro-batches.
  void refine(const Candidate& candidate);
  /// Least weighed seconds of some batches, with at least a share of the layers recomputed.
  [[nodiscard]] double batches_bound(int structure, std::span<const BatchChoice> batches,
                                     double recomputed);
  [[nodiscard]] const Structure& structure_at(int index) const {
    return structures_[static_cast<std::size_t>(index)];
  }
  /// Work of a structure's replicas at a micro-batch.
  [[nodiscard]] const ReplicaWork::Pass& pass(const Structure& structure, double micro_batch) {
    return bounds_.replica(structure, context_kind_, request_.sequence_parallel).at(micro_batch);
  }
  /// Batches of one micro-batch that fit, and the least share of the layers that recompute in full.
  struct FittingBatches {
    std::vector<BatchChoice> batches;
    double recomputed;
  };
  /// Finds the shardings of a structure that fit its smallest batch, and the batches that fit.
  /// Drops the structure if there are none, else queues it with the recomputation that it needs.
  void check_memory(const Candidate& candidate);
  /// Whether a sharding fits the smallest batch of a structure.
  [[nodiscard]] bool sharding_fits(int structure, Sharding sharding) const;
  /// Queues every batch and number of stages per rank of a structure.
  void expand(int structure);
  void add_stages(int structure, const BatchChoice& batch, double recomputed);
  /// Least share of the layers that recompute in full among the layouts that fit. Empty if none
  /// does.
  [[nodiscard]] std::optional<double> least_recompute(int structure, const BatchChoice& batch);
  /// As least_recompute(), of one sharding. If the least share so far, `known`, is 0, it is only
  /// checked whether a layout fits.
  [[nodiscard]] std::optional<double> least_recompute_with(const Structure& structure,
                                                           const BatchChoice& batch,
                                                           Sharding sharding, double known);
  /// Evaluates every sharding of a candidate.
  void visit(const Candidate& candidate);
  /// How a sharding of a candidate fits.
  enum class Fit : std::uint8_t { none, recomputing, without_recomputing };
  /// Evaluates a sharding with the least recomputation that fits. Skips one that is too slow
  /// without any recomputation, whose memory is not checked.
  Fit try_sharding(const Candidate& candidate, const Structure& structure, Sharding sharding);
  [[nodiscard]] bool any_sharding_fits(const Structure& structure, const BatchChoice& batch,
                                       int vp);
  [[nodiscard]] MemoryUse memory(const Layout& layout);
  [[nodiscard]] bool leaves_margin(const MemoryUse& use) const {
    return use.total <= use.capacity * filled_;
  }
  /// A layout with as few recomputed layers as fit, between its memory and the least that it can
  /// take. Unchanged if that does not help, if the stack cannot choose single layers, or if they
  /// are given.
  [[nodiscard]] Layout with_recomputed_layers(const Layout& layout, const MemoryUse& most,
                                              const MemoryUse& least) const;
  [[nodiscard]] StepTime step(const Layout& layout);
  /// Factor on a layout's time per sequence.
  [[nodiscard]] double penalty(const Layout& layout, const BatchChoice& batch) const;
  [[nodiscard]] double layers() const { return model_.pipeline_layers().count(); }

  const StepModel& model_;
  const PlanRequest& request_;
  double filled_;  ///< share of the capacity that a layout may take
  SearchSpace space_;
  Bounds& bounds_;
  ContextKind context_kind_;
  bool offloads_activations_;
  bool best_only_ = false;
  bool any_leaves_margin_ = false;
  bool alone_ = false;  ///< a single structure, which needs no bound
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  const TimeLimit* limit_ = nullptr;                     ///< null if there is none
  double limited_gpus_ = 0, most_seconds_ = kUnlimited;  ///< last value of limit_
  double dropped_ = kUnlimited;  ///< least bound of those dropped beyond limit_
  Contenders contenders_;
  std::vector<Structure> structures_;
  std::vector<double> too_large_;     ///< by structure: least micro-batch that does not fit
  std::vector<unsigned> shardings_;   ///< by structure: a bit per sharding that fits
  std::vector<Candidate> queue_;      ///< a heap, the least bound first
  std::vector<Candidate> first_;      ///< of the structure in hand, until a layout is found
  std::vector<BatchChoice> batches_;  ///< of the structure in hand
  std::map<int, std::vector<FittingBatches>> fitting_;  ///< of structures to expand
  std::vector<int> stages_;
  std::vector<double> micros_;
  bool any_fits_ = false;
  double evaluated_ = 0, considered_ = 0;
};

}  // namespace trcost::planner
