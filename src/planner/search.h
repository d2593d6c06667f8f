// SPDX-License-Identifier: Apache-2.0
// Best-first search: visits layouts in the order of a lower bound of their time, until the bound
// exceeds the best found.
#pragma once

#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "catalog/layout/layout.h"
#include "performance/training/data_exchange.h"
#include "planner/bounds.h"
#include "planner/contenders.h"
#include "planner/space.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Search for the layout with the least time per sequence, weighed by its penalties.
class LayoutSearch {
 public:
  /// `margin`: share of the capacity that a layout leaves free. `may_use_margin`: whether it may
  /// leave less, at a risk that counts as time. `bounds`: of the model.
  LayoutSearch(Bounds& bounds, const PlanRequest& request, Idle idle, double margin,
               bool may_use_margin);

  /// Finds the best layout with its time, memory and runner-up. Returns false if none fits.
  bool run(Plan& plan);
  /// As run() without a runner-up.
  bool run_best_only(Plan& plan);
  /// As run_best_only(), among layouts that may take less than `limit`.
  bool run_below(const TimeLimit& limit, Plan& plan);
  /// Whether a layout that was looked at leaves the margin.
  [[nodiscard]] bool any_leaves_margin() const { return any_leaves_margin_; }
  /// Whether a layout that was looked at fits without the margin.
  [[nodiscard]] bool any_fits() const { return any_fits_; }
  /// Whether run() might find another layout than run_below(), since it looks at more of them.
  [[nodiscard]] bool may_miss_best() const;
  /// Finds the layout with the least memory. Returns false if no layout divides the model.
  bool least_memory(Plan& plan);

 private:
  /// Values of Candidate::vp for a structure whose bound is rough, for one that is not expanded,
  /// and for batches of one micro-batch whose memory is not checked.
  static constexpr int kRough = -2, kUnexpanded = -1, kUnchecked = 0;
  /// A structure, or one way to run it.
  struct Candidate {
    double bound;      ///< least seconds per sequence, weighed
    double work;       ///< `bound` without recomputation, waiting and exchange between replicas
    double recompute;  ///< least addition of full recomputation
    int structure;
    int vp;
    BatchChoice batch;
    Sharding sharding;
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
  [[nodiscard]] const Structure& structure_at(int index) const {
    return structures_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] performance::PayloadSeconds& payloads(int structure) {
    return payloads_[static_cast<std::size_t>(structure)];
  }
  /// Least micro-batch so far that does not fit.
  [[nodiscard]] double& too_large_micro_batch(int structure, Sharding sharding) {
    return too_large_[static_cast<std::size_t>(structure) * std::size(catalog::kShardings) +
                      static_cast<std::size_t>(sharding)];
  }
  /// Work of a structure's replicas at a micro-batch.
  [[nodiscard]] const ReplicaWork::Pass& pass(const Structure& structure, double micro_batch) {
    return bounds_.replica(structure, context_kind_, request_.sequence_parallel).at(micro_batch);
  }
  /// Bounds::exchange() of a layout.
  [[nodiscard]] double exchange(int structure, const BatchChoice& batch, int vp, Sharding sharding);
  /// Least weighed seconds of batches of one micro-batch, with the exchange() of a sharding or
  /// without any.
  [[nodiscard]] double batches_bound(int structure, std::span<const BatchChoice> batches,
                                     std::optional<Sharding> sharding);
  /// Price of fitting: the least share of the layers that recompute in full to leave the margin,
  /// and risk() without recomputation, infinite if that is not accepted or has no risk.
  struct MemoryCost {
    double recomputed, risk_without;
  };
  /// Finds it for the layouts of one sharding. Returns an empty optional if none is accepted.
  [[nodiscard]] std::optional<MemoryCost> memory_cost(const Structure& structure,
                                                      const BatchChoice& batch, Sharding sharding);
  /// The adjacent batches of one micro-batch.
  static std::span<const BatchChoice> batches_of_size(std::span<const BatchChoice> batches,
                                                      double micro_batch);
  /// Queues every micro-batch and sharding of a structure.
  void expand(int structure);
  /// Queues every batch and number of stages per rank of a micro-batch and sharding, if the
  /// smallest fits, with the recomputation that it needs.
  void check_memory(const Candidate& candidate);
  void add_stages(int structure, const BatchChoice& batch, Sharding sharding,
                  const MemoryCost& cost);
  /// Evaluates a candidate with as little recomputation as is accepted. Skips one that is too slow
  /// without any recomputation, whose memory is not checked.
  void visit(const Candidate& candidate);
  [[nodiscard]] MemoryUse memory(const Layout& layout);
  [[nodiscard]] bool accepts(const MemoryUse& use) const {
    return may_use_margin_ ? use.fits : leaves_margin(use);
  }
  [[nodiscard]] bool leaves_margin(const MemoryUse& use) const {
    return use.total <= use.capacity * filled_;
  }
  /// Factor on the time of a layout that fits without the margin: how much less likely than with
  /// it.
  [[nodiscard]] double risk(const MemoryUse& use) const;
  /// A layout with as few recomputed layers as leave the margin, between its memory and the least
  /// that it can take. Unchanged if that does not help, if the stack cannot choose single layers,
  /// or if they are given.
  [[nodiscard]] Layout with_recomputed_layers(const Layout& layout, const MemoryUse& most,
                                              const MemoryUse& least) const;
  [[nodiscard]] StepTime step(int structure, const Layout& layout);
  /// Factor on a layout's time per sequence.
  [[nodiscard]] double penalty(const Layout& layout, const BatchChoice& batch) const;
  [[nodiscard]] double layers() const { return model_.pipeline_layers().count(); }

  const StepModel& model_;
  const PlanRequest& request_;
  double filled_;  ///< share of the capacity that a layout takes without risk
  bool may_use_margin_;
  SearchSpace space_;
  Bounds& bounds_;
  ContextKind context_kind_;
  bool offloads_activations_;
  bool best_only_ = false;
  bool any_fits_ = false, any_leaves_margin_ = false;
  bool alone_ = false;  ///< a single structure, and once it is expanded a single layout
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  const TimeLimit* limit_ = nullptr;                     ///< null if there is none
  double limited_gpus_ = 0, most_seconds_ = kUnlimited;  ///< last value of limit_
  double dropped_ = kUnlimited;  ///< least bound of those dropped beyond limit_
  Contenders contenders_;
  std::vector<Structure> structures_;
  std::vector<double> too_large_;                      ///< too_large_micro_batch()
  std::vector<performance::PayloadSeconds> payloads_;  ///< by structure
  std::vector<Candidate> queue_;                       ///< a heap, the least bound first
  std::vector<Candidate> first_;                       ///< candidates until a layout is found
  std::map<int, std::vector<BatchChoice>> batches_;    ///< of expanded structures
  std::vector<int> stages_;
  std::vector<double> micros_;
  double evaluated_ = 0, considered_ = 0;
};

}  // namespace trcost::planner
