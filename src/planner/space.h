// SPDX-License-Identifier: Apache-2.0
// Which layouts a search looks at.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "performance/training/step_model.h"
#include "planner/planner.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Whether `whole` is a multiple of `part`.
bool divides(double whole, double part);

// Longest pipelines in published runs have 64 stages (arXiv:2205.05198, table 3).
inline constexpr int kMostStages = 128;

/// Degrees that decide where weights live, whatever `vp` is; they multiply to the GPUs that work.
/// What the search has no rule for is as the request gives it, or one.
using Structure = LayoutDegrees;

/// Whether a structure has to take every GPU of the request.
enum class Idle { none, some };

/// Number of sequences of one step as a layout splits them.
struct BatchChoice {
  double micro_batch = 1;
  double global_batch = 1;
  double penalty = 1;  ///< factor on the time per sequence: what it costs in tokens
};

/// Factor on the time of a layout for what it asks of those who run it, at most 1.015. The step
/// model misses measured steps by 5 to 9 % (data/efficiency/residuals.csv), so that a difference of
/// 1 % decides nothing: among such layouts the simpler one is taken.
double complexity_penalty(const Structure& structure, int vp, double gpus);

/// The same of the weights' shards, where no pipeline already asks as much: 1 unless parameters are
/// gathered over the network, from beyond the `domain` of the innermost tier.
double wide_sharding_penalty(const Layout& layout, double domain);

/// The values that a request, a model, a system and a stack leave for every degree.
class SearchSpace {
 public:
  SearchSpace(const StepModel& model, const PlanRequest& request, Idle idle = Idle::none);

  /// All structures, small degrees first. Where some GPUs may stay idle also those of as many
  /// whole replicas as there are GPUs for, and of as many as share the batch evenly; never of half
  /// the GPUs or fewer, unless the batch is given.
  [[nodiscard]] std::vector<Structure> structures() const;
  /// Splits of the batch over the replicas of a structure, into `out`. A batch that nobody gave is
  /// also taken smaller or larger, so that micro-batches come in whole groups and fill a pipeline.
  void batches(const Structure& structure, std::vector<BatchChoice>& out) const;
  /// Micro-batches that batches() has for a structure, into `out`.
  void micro_batches(const Structure& structure, std::vector<double>& out) const;
  /// No fewer than any of batches() has at this micro-batch.
  [[nodiscard]] double most_micro_batches(const Structure& structure, double micro_batch) const;
  /// No more than the penalty of any of batches().
  [[nodiscard]] double least_penalty(const Structure& structure) const;
  /// No fewer than any of virtual_stages().
  [[nodiscard]] double most_virtual_stages(const Structure& structure) const;
  /// Factor on the time per sequence for a batch beside the one that was asked for or is usual.
  [[nodiscard]] double batch_penalty(double global_batch) const;
  /// The largest batch that is looked at where nobody gave one and something fits below it: the
  /// usual one, or as many sequences as fill the pipelines of every GPU. Grows with the cluster.
  [[nodiscard]] double largest_batch() const;
  /// Stages per rank that leave the fullest rank no more layers than without interleaving, where
  /// there are enough micro-batches for it.
  void virtual_stages(const Structure& structure, double micro_batches,
                      std::vector<int>& out) const;
  /// Shardings in the order of complexity_penalty.
  [[nodiscard]] const std::vector<Sharding>& shardings() const { return shardings_; }
  [[nodiscard]] const std::vector<Recompute>& recomputes() const { return recomputes_; }

  [[nodiscard]] Layout layout(const Structure& structure, const BatchChoice& batch, int vp,
                              Sharding sharding, Recompute recompute) const;

 private:
  [[nodiscard]] std::vector<int> tensor_degrees() const;
  [[nodiscard]] std::vector<int> context_degrees() const;
  [[nodiscard]] ContextKind context_kind() const;
  [[nodiscard]] bool pipeline_divides(int pp) const;
  [[nodiscard]] bool stage_divides(std::int64_t ranks, int pp) const;
  void add_structures(std::vector<Structure>& out, Structure s) const;
  /// Those of every number of stages; `s` has one stage and one replica.
  void add_pipelines(std::vector<Structure>& out, Structure s) const;
  void add_partial(std::vector<Structure>& out, Structure s) const;
  /// Replicas that some GPUs may stay idle for, as far as `most` of them.
  void partial_replicas(int pp, double most, std::vector<double>& out) const;
  /// Micro-batches of one replica, into `out`: `share` of them make the usual batch, `most` the
  /// largest.
  void micro_batch_counts(double share, double most, const Structure& structure,
                          std::vector<double>& out) const;

  const StepModel& model_;
  PlanRequest request_;  ///< with degree one where the stack can do no other
  const LanguageModel& language_;
  double layers_;  ///< that a pipeline deals
  const Stack& stack_;
  Idle idle_;
  std::int64_t gpus_;
  double wanted_ = 1;             ///< sequences per step, given or usual
  double largest_ = 1;            ///< largest_batch()
  double critical_ = 1;           ///< batch_cost's
  std::vector<double> divisors_;  ///< of a given batch, in micro-batches, where GPUs may stay idle
  std::vector<Sharding> shardings_;
  std::vector<Recompute> recomputes_;
};

/// Throws Error (usage) where the given degrees contradict the GPUs, the model, or each other.
void check_request(const StepModel& model, const PlanRequest& request);

}  // namespace trcost::planner
