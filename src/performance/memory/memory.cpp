// SPDX-License-Identifier: Apache-2.0
#include "performance/memory/memory.h"

#include <algorithm>
#include <cmath>

#include "workload/blocks/block.h"
#include "workload/workload.h"

namespace trcost::performance {

double hybrid_shards(double ranks, double stride, double domain) noexcept {
  double shards = std::min(ranks, std::max(1.0, std::floor(domain / stride)));
  while (shards > 1 && std::fmod(ranks, shards) != 0) --shards;
  return shards;
}

LayerWidths layer_widths(const Block& block, double image_share) noexcept {
  const Core& core = block.core;
  LayerWidths w;
  w.hidden = block.hidden;
  w.statistics = core.heads;
  w.gated = block.mlp == Mlp::gated;
  w.ffn = block.inner + block.experts.per_token * block.experts.ffn;
  w.routed = block.experts.per_token * block.experts.width / block.hidden;
  w.mixer = core.kept + core.kept_of_image * image_share;
  w.branches = block.branches + block.joined;
  return w;
}

ActivationBytes activation_bytes(const LayerWidths& layer, Recompute recompute) noexcept {
  constexpr double kScoreBytes = 5;
  if (recompute == Recompute::full) return {2 * layer.hidden, 0};
  const bool materialised = layer.scores > 0, all = recompute == Recompute::none;
  const bool inputs = !layer.frozen && (all || materialised);
  const double fused = materialised ? 0 : 4 * layer.statistics;
  const double scores = all ? kScoreBytes * layer.scores : 0;
  const double input = inputs ? layer.input_bytes : 0;
  return {layer.branches * (2 + input + (layer.dropout ? 1 : 0)) * layer.hidden,
          2 * layer.mixer + fused + scores + ((layer.gated ? 4 : 2) + input) * layer.ffn +
              4 * layer.routed * layer.hidden};
}

StateBytes state_bytes(Optimizer optimizer, const StateBytes& of_stack, double width) noexcept {
  constexpr double kMoments = 2;
  if (optimizer == Optimizer::adamw) return of_stack;
  return {width, width, kMoments * (optimizer == Optimizer::adamw_8bit ? 1 : width)};
}

double update_traffic(Optimizer optimizer, double of_stack, double width) noexcept {
  if (optimizer == Optimizer::adamw) return of_stack;
  const StateBytes bytes = state_bytes(optimizer, {}, width);
  return of_stack / kAdamwTraffic * (bytes.gradients + 2 * (bytes.optimizer + bytes.weights));
}

bool materialised_encoder(const Workload& workload, const Stack& stack) noexcept {
  return workload.attention == Attention::standard ||
         (stack.eager_encoders && !workload.fused_encoder);
}

double bytes_per_logit(Loss loss, double vocab, double hidden) noexcept {
  constexpr double kEager = 14, kFused = 6;
  if (loss == Loss::chunked) return kEager / std::ceil(vocab / hidden);
  return loss == Loss::fused ? kFused : kEager;
}

}  // namespace trcost::performance
