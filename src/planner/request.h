// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "performance/training/step_model.h"
#include "quantity/layers.h"
#include "trcost/layout.h"

namespace trcost::planner {

/// Request to a search, which chooses every degree that is empty.
struct PlanRequest : Degrees {
  double gpus = 1;
  /// Sequences per step. Empty: about `batch_hint`, weighed against the cost of another batch in
  /// tokens (batch_cost). A given batch is rounded if no good layout divides it: compare
  /// Layout::global_batch.
  std::optional<double> global_batch;
  double batch_hint = 1;
  /// critical_batch_tokens() of the training in sequences. Empty if its tokens are unknown: 8 times
  /// `batch_hint`, the ratio of published batches.
  std::optional<double> critical_batch;
  /// Largest deviation from `batch_hint` as a share, if no batch is given.
  std::optional<double> batch_range;
  std::optional<double> micro_batch;
  std::optional<Sharding> sharding;
  std::optional<Recompute> recompute;
  std::optional<ContextKind> context_kind;  ///< the stack's if empty
  std::optional<int> recompute_layers;      ///< see Layout::recompute_layers
  bool sequence_parallel = true;
  /// Share of the capacity that a plan leaves free if possible.
  std::optional<double> memory_margin;  ///< empty: a chance of 0.8 to fit
  /// Take the layout with the least memory if none fits, instead of throwing Error.
  bool allow_too_large = false;

  /// Whether every degree is given (ep and one of the others may follow from the rest). Then the
  /// layout is computed even if it does not fit, and the search only looks for one that does.
  /// Degrees that multiply to fewer than the GPUs (Dimension::of_gpus) leave the rest idle.
  [[nodiscard]] bool complete() const;
  /// GPUs at work under the given degrees.
  [[nodiscard]] double gpus_at_work() const;
  bool operator==(const PlanRequest&) const = default;
};

/// Requested features that the stack lacks, as `pp 2, sharding optimizer`. Empty if none.
std::string beyond_stack(const PlanRequest& request, const Stack& stack);

/// Sets vp to 1 if tp, pp and dp are given without it, as published layouts mean it.
void assume_no_virtual_stages(PlanRequest& request);

/// Whether the given degrees and batches split evenly over the GPUs.
bool splits_over_gpus(const PlanRequest& request);

/// Throws Error (usage) if the given degrees contradict the GPUs, the model, or each other.
void check_request(const StepModel& model, const PlanRequest& request);

}  // namespace trcost::planner
