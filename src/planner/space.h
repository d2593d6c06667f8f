// SPDX-License-Identifier: Apache-2.0
// Layouts that a search considers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "performance/training/step_model.h"
#include "planner/plan.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Whether `part` divides `whole`.
bool divides(double whole, double part);

/// Whether a whole number is a power of two. std::has_single_bit is slower: it counts all bits.
constexpr bool is_power_of_two(std::uint64_t whole) {
  return whole != 0 && (whole & (whole - 1)) == 0;
}

/// Whether tensor ranks get whole heads. Fewer key heads than ranks are copied.
bool tensor_divides(const LanguageModel& model, double tp);

/// Most stages of a pipeline. The longest in published runs have 64 (arXiv:2205.05198, table 3).
inline constexpr int kMostStages = 128;

/// Degrees that decide where weights are, whatever `vp` is. They multiply to the GPUs at work.
/// Degrees that are not searched are as given, or 1.
using Structure = LayoutDegrees;

/// Sequences of one step as a layout partitions them.
struct BatchChoice {
  double micro_batch = 1;
  double global_batch = 1;
  double penalty = 1;  ///< factor on the time per sequence for its cost in tokens
};

/// Factor on the time of a structure for its complexity, at most 1.018. The step model misses
/// measured steps by 5 to 9 % (data/efficiency/residuals.csv), so that among layouts within 1 % the
/// simpler one is taken.
double complexity_penalty(const Structure& structure, int vp, double gpus);

/// complexity_penalty() of a layout, which counts parameters that are gathered over the network,
/// from beyond the `domain` of the innermost tier, without a pipeline. At most 1.018.
double layout_penalty(const Layout& layout, double gpus, double domain);

/// Values of every degree that a request, a model, a system and a stack allow.
class SearchSpace {
 public:
  SearchSpace(const StepModel& model, const PlanRequest& request, Idle idle = Idle::none);

  /// All structures, small degrees first. If some GPUs may stay idle, also those with as many whole
  /// replicas as there are GPUs for, and with as many as share the batch evenly.
  [[nodiscard]] std::vector<Structure> structures() const;
  /// Structures of one replica each, small degrees first.
  [[nodiscard]] std::vector<Structure> partitions() const;
  /// Largest number of replicas of a partition up to `most` whose groups of experts are whole and
  /// whose stages stay within domains. 0 if there is none.
  [[nodiscard]] int whole_replicas(const Structure& partition, double most) const;
  /// Partitions of the batch over the replicas of a structure, into `out`. A batch that is not
  /// given is also tried smaller and larger, so that micro-batches come in whole groups and fill a
  /// pipeline.
  void batches(const Structure& structure, std::vector<BatchChoice>& out) const;
  /// Micro-batch sizes in batches() of a structure, into `out`.
  void micro_batches(const Structure& structure, std::vector<double>& out) const;
  /// Upper bound of the sizes in micro_batches().
  [[nodiscard]] double largest_micro_batch(const Structure& structure) const;
  /// Lower bound of the pipeline's bubble over its work in batches() at this size and larger ones.
  /// Batches above the largest are left out unless a single micro-batch per replica is one.
  [[nodiscard]] double least_bubble(const Structure& structure, double micro_batch) const;
  /// Lower bound of the penalties in batches().
  [[nodiscard]] double least_penalty(const Structure& structure) const;
  /// Lower bound of (1 + waiting) x penalty from that of the penalty and of the time for which
  /// stages wait, over their work.
  [[nodiscard]] double least_stretch(double waiting, double penalty) const;
  /// Upper bound of virtual_stages() for up to so many micro-batches.
  [[nodiscard]] double most_virtual_stages(const Structure& structure, double micro_batches) const;
  /// Factor on the time per sequence for a batch other than the given or usual one.
  [[nodiscard]] double batch_penalty(double global_batch) const;
  /// Largest batch that is considered if none is given and something fits below it: the usual one,
  /// or as many sequences as fill the pipelines of every GPU. It grows with the cluster.
  [[nodiscard]] double largest_batch() const;
  /// Stages per rank that leave the fullest rank no more layers than without interleaving, if there
  /// are enough micro-batches.
  void virtual_stages(const Structure& structure, double micro_batches,
                      std::vector<int>& out) const;
  /// Shardings in the order of complexity_penalty.
  [[nodiscard]] const std::vector<Sharding>& shardings() const { return shardings_; }
  [[nodiscard]] const std::vector<Recompute>& recomputes() const { return recomputes_; }
  [[nodiscard]] ContextKind context_kind() const;

  [[nodiscard]] Layout layout(const Structure& structure, const BatchChoice& batch, int vp,
                              Sharding sharding, Recompute recompute) const;

 private:
  [[nodiscard]] std::vector<int> tensor_degrees() const;
  [[nodiscard]] std::vector<int> context_degrees() const;
  [[nodiscard]] bool pipeline_divides(int pp) const;
  [[nodiscard]] bool stage_divides(std::int64_t ranks, int pp) const;
  /// Adds a partition with replicas on all GPUs, if they divide.
  void add_full(std::vector<Structure>& out, Structure s) const;
  /// Adds a partition with fewer replicas.
  void add_partial(std::vector<Structure>& out, Structure s) const;
  /// Numbers of replicas, up to `most`, for which GPUs may stay idle.
  void partial_replicas(int pp, double most, std::vector<double>& out) const;
  /// Numbers of micro-batches of one replica, into `out`. `share` of them make the usual batch,
  /// `most` the largest.
  void micro_batch_counts(double share, double most, const Structure& structure,
                          std::vector<double>& out) const;

  const StepModel& model_;
  PlanRequest request_;  ///< with degree 1 for what the stack lacks
  const LanguageModel& language_;
  double layers_;  ///< that a pipeline partitions
  const Stack& stack_;
  Idle idle_;
  std::int64_t gpus_;
  double wanted_ = 1;             ///< sequences per step, given or usual
  double largest_ = 1;            ///< largest_batch()
  double critical_ = 1;           ///< critical batch of batch_cost()
  std::vector<double> divisors_;  ///< of a given batch in micro-batches, if GPUs may stay idle
  std::vector<Sharding> shardings_;
  std::vector<Recompute> recomputes_;
};

}  // namespace trcost::planner
