// SPDX-License-Identifier: Apache-2.0
#include "performance/training/evaluation.h"

#include <algorithm>

#include "performance/memory/memory.h"

namespace trcost::performance {

Evaluation evaluation_of(const StepCosts& costs, const Workload& workload, const Platform& platform,
                         const Layout& layout) noexcept {
  const double t = layout.tp, c = layout.cp, e = layout.ep, d = layout.dp;
  const double shared = expert_tensor_parallel(layout);
  const double expert_replicas = std::max(1.0, d * c * t / (e * shared));
  const bool hybrid = layout.sharding == Sharding::hybrid;
  const double domain = platform.system->usable_per_domain;
  return {costs,
          platform,
          layout,
          *platform.stack,
          layout.micro_batch * workload.seq_length / c,
          t,
          static_cast<double>(layout.pp),
          c,
          e,
          d,
          layout.sequence_parallel ? t : 1.0,
          d * c,
          expert_replicas,
          shared,
          hybrid ? hybrid_shards(d * c, t, domain) : d * c,
          hybrid ? hybrid_shards(expert_replicas, e * shared, domain) : expert_replicas,
          recomputed_share(layout, costs.pipeline_layers.count())};
}

LayerSplit layer_split(const Evaluation& at) noexcept {
  LayerSplit split;
  split.tokens = at.tokens;
  split.tensor = at.tensor;
  split.sequence = at.sequence;
  split.expert = at.expert;
  split.expert_tensor = at.expert_tensor;
  split.materialised = at.costs.materialised;
  split.accumulate_bytes = 2 * at.stack.gradient_bytes;
  split.dequantise = at.costs.dequantise;
  return split;
}

}  // namespace trcost::performance
