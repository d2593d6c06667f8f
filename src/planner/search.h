// SPDX-License-Identifier: Apache-2.0
// Best-first search: layouts in the order of a lower bound of their time, until the bound passes
// the best found.
#pragma once

#include <vector>

#include "planner/bounds.h"
#include "planner/contenders.h"
#include "planner/space.h"
#include "quantity/layers.h"

namespace trcost::planner {

class LayoutSearch {
 public:
  /// `margin`: share of the capacity that a layout leaves free.
  LayoutSearch(const StepModel& model, const PlanRequest& request, Idle idle, double margin);

  /// The best layout with its time, memory and runner-up; false where none leaves the margin.
  bool run(Plan& plan);
  /// Whether run() met a layout that fits without the margin.
  [[nodiscard]] bool any_fits() const { return any_fits_; }
  /// The layout that comes closest to fitting; false where no layout exists at all.
  bool least_memory(Plan& plan);

 private:
  /// A structure that is still to be looked at or split into batches, or one way to run it.
  static constexpr int kUnseen = -1, kFits = 0;  ///< in the place of vp
  struct Candidate {
    double bound;  ///< seconds per sequence, no layout of this kind is faster
    double work;   ///< the same without recomputation
    double again;  ///< seconds that full recomputation adds at least
    int structure;
    int vp;
    BatchChoice batch;
  };

  static bool later(const Candidate& a, const Candidate& b);
  void push(const Candidate& candidate);
  Candidate pop();
  void enumerate();
  [[nodiscard]] double structure_bound(const Structure& structure);
  /// The same, of the batches in batches_, with the share of the layers that recompute at least.
  [[nodiscard]] double bound_of_batches(const Structure& structure, double repeated);
  /// What the least of the layers that recompute take at least, or that nothing fits.
  struct Repeated {
    bool fits = false;
    double share = 1;  ///< of the layers
  };

  [[nodiscard]] const Structure& structure_of(const Candidate& candidate) const {
    return structures_[static_cast<std::size_t>(candidate.structure)];
  }
  /// Leaves out structures that do not fit; the others are expanded when what they recompute at
  /// least is counted.
  void check_memory(const Candidate& candidate);
  void find_shardings(int structure, const BatchChoice& smallest);
  /// Whether a sharding fits with the smallest batch of a structure.
  [[nodiscard]] bool fits(int structure, Sharding sharding) const;
  void expand(int structure);
  void add_stages(int structure, const BatchChoice& batch, double repeated);
  /// Of all shardings of a structure at a batch.
  [[nodiscard]] Repeated repeated(int structure, const BatchChoice& batch);
  [[nodiscard]] double repeated_at(const Structure& structure, const BatchChoice& batch,
                                   Sharding sharding, const MemoryUse& least);
  void visit(const Candidate& candidate);
  /// Evaluates a sharding with the lightest recomputation that fits; false where none does.
  bool try_sharding(const Candidate& candidate, const Structure& structure, Sharding sharding);
  [[nodiscard]] bool holds(const Structure& structure, const BatchChoice& batch, int vp);
  [[nodiscard]] MemoryUse memory(const Layout& layout);
  /// Whether the margin is left free.
  [[nodiscard]] bool holds(const MemoryUse& use) const {
    return use.total <= use.capacity * filled_;
  }
  /// As few recomputed layers as fit between what a layout takes and the least that it can, where
  /// the stack chooses single layers and the request leaves it open; unchanged where that does not
  /// help.
  [[nodiscard]] Layout with_recomputed_layers(const Layout& layout, const MemoryUse& most,
                                              const MemoryUse& least) const;
  void take(const Layout& layout, double penalty);
  void consider_memory(const Structure& structure, const BatchChoice& batch, double& least,
                       Plan& plan) const;
  [[nodiscard]] double layers() const { return model_.pipeline_layers().count(); }

  const StepModel& model_;
  const PlanRequest& request_;
  double filled_;  ///< share of the capacity that a layout may take
  SearchSpace space_;
  Bounds bounds_;
  Contenders contenders_;
  std::vector<Structure> structures_;
  std::vector<double> too_large_;    ///< by structure: the least micro-batch that fits nowhere
  std::vector<unsigned> shardings_;  ///< by structure: a bit for each that fits
  std::vector<Candidate> queue_;     ///< a heap, the least bound first
  std::vector<BatchChoice> batches_;
  std::vector<int> stages_;
  std::vector<double> micros_;
  bool any_fits_ = false;
  double evaluated_ = 0, considered_ = 0;
};

}  // namespace trcost::planner
