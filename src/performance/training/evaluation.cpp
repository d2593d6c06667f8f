// SPDX-License-Identifier: Apache-2.0
#include "performance/training/evaluation.h"

#include <algorithm>

#include "performance/memory/memory.h"

namespace trcost::performance {

Evaluation make_evaluation(const StepCosts& costs, const Workload& workload,
                           const Platform& platform, const Layout& layout) noexcept {
  const double t = layout.tp, c = layout.cp, e = layout.ep, d = layout.dp;
  const double shared = expert_tensor_parallel(layout);
  const double expert_replicas = std::max(1.0, d * c * t / (e * shared));
  const bool hybrid = layout.sharding == Sharding::hybrid;
  const double domain = platform.system->usable_per_domain;
  return {.costs = costs,
          .platform = platform,
          .layout = layout,
          .stack = *platform.stack,
          .tokens = layout.micro_batch * workload.seq_length / c,
          .tensor = t,
          .pipeline = static_cast<double>(layout.pp),
          .context = c,
          .expert = e,
          .data = d,
          .sequence = layout.sequence_parallel ? t : 1.0,
          .replicas = d * c,
          .expert_replicas = expert_replicas,
          .expert_tensor = shared,
          .shards = hybrid ? hybrid_shards(d * c, t, domain) : d * c,
          .expert_shards =
              hybrid ? hybrid_shards(expert_replicas, e * shared, domain) : expert_replicas,
          .recomputed = recomputed_share(layout, costs.pipeline_layers.count())};
}

LayerSplit layer_split(const Evaluation& at) noexcept {
  return {.tokens = at.tokens,
          .tensor = at.tensor,
          .sequence = at.sequence,
          .expert = at.expert,
          .expert_tensor = at.expert_tensor,
          .materialised = at.costs.materialised,
          .accumulate_bytes = 2 * at.costs.gradient_width,
          .dequantise = at.costs.dequantise};
}

}  // namespace trcost::performance
