// SPDX-License-Identifier: Apache-2.0
// The formulas of memory, one function each; sources in performance/memory.h.
#include "performance/memory.h"

#include <algorithm>
#include <cmath>

#include "workload/block.h"

namespace trcost {

double hybrid_shards(double ranks, double stride, double domain) noexcept {
  double shards = std::min(ranks, std::max(1.0, std::floor(domain / stride)));
  while (shards > 1 && std::fmod(ranks, shards) != 0) --shards;
  return shards;
}

ActivationBytes classic_activation_bytes(double hidden, double heads, double seq_length,
                                         Recompute recompute) noexcept {
  switch (recompute) {
    case Recompute::none: return {10 * hidden, 24 * hidden + 5 * heads * seq_length};
    case Recompute::selective: return {10 * hidden, 24 * hidden};
    case Recompute::full: break;
  }
  return {2 * hidden, 0};
}

LayerWidths layer_widths(const Block& block) noexcept {
  const Core& core = block.core;
  LayerWidths w;
  w.hidden = block.hidden;
  w.statistics = core.heads;
  w.gated = block.mlp == Mlp::gated;
  w.ffn = block.inner + block.experts.per_token * block.experts.ffn;
  w.routed = block.experts.per_token;
  w.mixer = core.kept;
  w.branches = block.branches;
  return w;
}

ActivationBytes fused_activation_bytes(const LayerWidths& layer, Recompute recompute) noexcept {
  if (recompute == Recompute::full) return {2 * layer.hidden, 0};
  const bool all = recompute == Recompute::none;
  const double ffn = all ? (layer.gated ? 6 : 4) : (layer.gated ? 4 : 2);
  return {layer.branches * (all ? 4 : 2) * layer.hidden,
          2 * layer.mixer + 4 * layer.statistics + ffn * layer.ffn +
              4 * layer.routed * layer.hidden};
}

double micro_batches_in_flight(double pp, double vp, double micro_batches) noexcept {
  const double scheduled = vp > 1 && pp > 1 ? pp * (1 + (pp - 1) / (pp * vp)) : pp;
  return std::min(scheduled, std::max(1.0, micro_batches));
}

double encoder_activation_bytes(const Encoder& encoder, double tokens, bool trained,
                                Recompute recompute) noexcept {
  const double ffn = encoder.mlp == Mlp::gated ? 6 : 4;
  const double layer = tokens * (16 * encoder.hidden + ffn * encoder.ffn);
  if (!trained) return layer;
  if (recompute == Recompute::full) return tokens * encoder.layers * 2 * encoder.hidden + layer;
  return encoder.layers * layer;
}

double bytes_per_logit(Loss loss, double vocab, double hidden) noexcept {
  constexpr double kEager = 10, kFused = 6;
  if (loss == Loss::chunked) return kEager / std::ceil(vocab / hidden);
  return loss == Loss::fused ? kFused : kEager;
}

}  // namespace trcost
