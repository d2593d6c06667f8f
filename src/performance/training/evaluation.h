// SPDX-License-Identifier: Apache-2.0
// A layout put to a workload on a platform: the sizes that every part of a step's time starts from.
#pragma once

#include "catalog/hardware/efficiency.h"
#include "performance/training/kernels.h"
#include "performance/training/step_model.h"
#include "quantity/layers.h"
#include "trcost/layout.h"

namespace trcost::performance {

/// One evaluation: the layout with what follows from it.
struct Evaluation {
  const StepCosts& costs;
  const Platform& platform;
  const Layout& layout;
  const Stack& stack;
  double tokens;  // of a rank's micro-batch
  double tensor, pipeline, context, expert, data;
  double sequence;  // ranks that share what tensor parallelism leaves whole
  double replicas;  // ranks that hold the same dense weights: data x context
  double expert_replicas;
  double expert_tensor;  // ranks that share one expert's matrices
  double shards;         // of the replicas, those that share out what is sharded
  double expert_shards;
  double recomputed;  // share of the layers that recompute in full beside `recompute`
};

Evaluation evaluation_of(const StepCosts& costs, const Workload& workload, const Platform& platform,
                         const Layout& layout) noexcept;

/// How a language layer is cut in this layout.
LayerSplit layer_split(const Evaluation& at) noexcept;

}  // namespace trcost::performance
