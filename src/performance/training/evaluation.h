// SPDX-License-Identifier: Apache-2.0
// Sizes of a layout from which every part of a step's time is computed.
#pragma once

#include "catalog/software/stacks.h"
#include "performance/training/kernels.h"
#include "performance/training/step_model.h"
#include "quantity/layers.h"
#include "trcost/layout.h"

namespace trcost::performance {

/// A layout of a workload on a platform, with the sizes that follow from it.
struct Evaluation {
  const StepCosts& costs;
  const Platform& platform;
  const Layout& layout;
  const Stack& stack;
  double tokens;  ///< of a rank's micro-batch
  double tensor, pipeline, context, expert, data;
  double sequence;  ///< ranks that share activations outside the matrices
  double replicas;  ///< ranks with the same dense weights: data x context
  double expert_replicas;
  double expert_tensor;  ///< ranks that share one expert's matrices
  double shards;         ///< replicas among which sharded state is spread
  double expert_shards;
  double recomputed;  ///< share of the layers that recompute in full in addition to `recompute`
};

Evaluation make_evaluation(const StepCosts& costs, const Workload& workload,
                           const Platform& platform, const Layout& layout) noexcept;

/// Partition of a language layer in this layout.
LayerSplit layer_split(const Evaluation& at) noexcept;

}  // namespace trcost::performance
