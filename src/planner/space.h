// SPDX-License-Identifier: Apache-2.0
// Which layouts a search looks at.
#pragma once

#include <cstdint>
#include <vector>

#include "trcost/efficiency.h"
#include "trcost/planner.h"

namespace trcost {

/// Degrees that decide where weights live; they multiply to the GPUs.
struct Structure {
  int tp = 1, pp = 1, cp = 1, ep = 1, dp = 1;
};

/// Number of sequences of one step as a layout splits them.
struct BatchChoice {
  double micro_batch = 1;
  double global_batch = 1;
  double penalty = 1;  ///< factor on the time per sequence for leaving the batch that was asked for
};

/// The values that a request, a model, a system and a stack leave for every degree.
class SearchSpace {
 public:
  SearchSpace(const StepModel& model, const PlanRequest& request);

  /// All structures, small degrees first.
  [[nodiscard]] std::vector<Structure> structures() const;
  /// Splits of the batch over `dp` replicas, into `out`.
  void batches(double dp, std::vector<BatchChoice>& out) const;
  /// Stages per rank that divide the layers well and fit the micro-batches.
  void virtual_stages(const Structure& structure, double micro_batches, std::vector<int>& out) const;
  /// Shardings in the order of simplicity.
  [[nodiscard]] const std::vector<Sharding>& shardings() const { return shardings_; }
  [[nodiscard]] const std::vector<Recompute>& recomputes() const { return recomputes_; }

  [[nodiscard]] Layout layout(const Structure& structure, const BatchChoice& batch, int vp,
                              Sharding sharding, Recompute recompute) const;

 private:
  [[nodiscard]] std::vector<int> tensor_degrees() const;
  [[nodiscard]] std::vector<int> context_degrees() const;
  [[nodiscard]] bool pipeline_divides(int pp) const;
  void add_structures(std::vector<Structure>& out, int tp, int cp, int pp) const;

  const StepModel& model_;
  const PlanRequest& request_;
  const LanguageModel& language_;
  const Stack& stack_;
  std::int64_t gpus_;
  std::vector<Sharding> shardings_;
  std::vector<Recompute> recomputes_;
};

/// Throws Error (usage) where the given degrees contradict the GPUs, the model, or each other.
void check_request(const StepModel& model, const PlanRequest& request);

}  // namespace trcost
