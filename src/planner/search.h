// SPDX-License-Identifier: Apache-2.0
// Best-first search: layouts in the order of a lower bound of their time, until the bound passes
// the best found.
#pragma once

#include <vector>

#include "planner/bounds.h"
#include "planner/contenders.h"
#include "planner/space.h"

namespace trcost {

class Search {
 public:
  /// `margin`: share of the capacity that a layout leaves free.
  Search(const StepModel& model, const PlanRequest& request, Idle idle, double margin);

  /// The best layout with its time, memory and runner-up; false where none leaves the margin.
  bool run(Plan& plan);
  /// Whether run() met a layout that fits without the margin.
  [[nodiscard]] bool any_fits() const { return any_fits_; }
  /// The layout that comes closest to fitting; false where no layout exists at all.
  bool least_memory(Plan& plan);

 private:
  /// A structure that is still to be split into batches, where vp is 0, or one way to run it.
  struct Candidate {
    double bound;  ///< seconds per sequence, no layout of this kind is faster
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
  void expand(int structure);
  /// Whether a structure fits with the least of its batches, which are in batches_.
  [[nodiscard]] bool holds_anything(const Structure& structure);
  void visit(const Candidate& candidate);
  /// Evaluates a sharding with the lightest recomputation that fits; false where none does.
  bool try_sharding(const Candidate& candidate, const Structure& structure, Sharding sharding);
  [[nodiscard]] bool holds(const Structure& structure, const BatchChoice& batch, int vp);
  /// Whether a layout leaves the margin free.
  [[nodiscard]] bool holds(const Layout& layout);
  /// As few recomputed layers as fit, where the stack chooses single layers and the request leaves
  /// it open; unchanged where that does not help.
  [[nodiscard]] Layout with_recomputed_layers(const Layout& layout) const;
  void take(const Layout& layout, double penalty);
  void consider_memory(const Structure& structure, const BatchChoice& batch, double& least,
                       Plan& plan) const;
  [[nodiscard]] double layers() const { return model_.workload().language.layers; }

  const StepModel& model_;
  const PlanRequest& request_;
  double filled_;  ///< share of the capacity that a layout may take
  SearchSpace space_;
  Bounds bounds_;
  Contenders contenders_;
  std::vector<Structure> structures_;
  std::vector<double> too_large_;  ///< by structure: the least micro-batch that fits nowhere
  std::vector<Candidate> queue_;   ///< a heap, the least bound first
  std::vector<BatchChoice> batches_;
  std::vector<int> stages_;
  std::vector<double> micros_;
  bool any_fits_ = false;
  double evaluated_ = 0, considered_ = 0;
};

}  // namespace trcost
