// SPDX-License-Identifier: Apache-2.0
#include "performance/evaluation.h"

#include <algorithm>

namespace trcost {

Evaluation evaluation_of(const StepCosts& costs, const Workload& workload, const Platform& platform,
                         const Layout& layout) noexcept {
  const double t = layout.tp, c = layout.cp, e = layout.ep, d = layout.dp;
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
          e > 1 ? std::max(1.0, d * c * t / e) : d * c,
          e > 1 ? 1.0 : t};
}

LayerSplit layer_split(const Evaluation& at) noexcept {
  LayerSplit split;
  split.tokens = at.tokens;
  split.tensor = at.tensor;
  split.sequence = at.sequence;
  split.expert = at.expert;
  split.materialised = at.costs.materialised;
  split.wgrad = at.costs.language_wgrad;
  split.accumulate_bytes = 2 * at.stack.gradient_bytes;
  split.dequantise = at.costs.dequantise;
  return split;
}

}  // namespace trcost
