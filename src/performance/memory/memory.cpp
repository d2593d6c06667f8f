// SPDX-License-Identifier: Apache-2.0
#include "performance/memory/memory.h"

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"
#include "quantity/statistics.h"
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
  const double gate = layer.gated ? 2 + (all ? layer.gate_bytes : 0) : 0;
  return {layer.branches * (2 + input + (layer.dropout ? 1 : 0)) * layer.hidden,
          2 * layer.mixer + fused + scores + (2 + gate + input) * layer.ffn +
              4 * layer.routed * layer.hidden};
}

StateBytes state_bytes(const StateFormats& formats, const StateBytes& of_stack,
                       double width) noexcept {
  constexpr double kMomentWidth = 4, kMomentsOfAdam = 2;
  const Optimizer optimizer = formats.optimizer;
  StateBytes out = of_stack;
  double moment = kMomentWidth;
  double master = std::max(0.0, of_stack.optimizer - kMomentsOfAdam * kMomentWidth);
  if (lacks_master(optimizer)) {
    out.weights = out.gradients = width;
    moment = optimizer == Optimizer::adamw_bf16 ? width : 1;
    master = 0;
  }
  out.gradients = formats.gradient_width.value_or(out.gradients);
  out.optimizer = master + optimizer_moments(optimizer) * formats.moment_width.value_or(moment);
  return out;
}

double update_traffic(const StateFormats& formats, double of_stack, double width) noexcept {
  constexpr StateBytes kReference{2, 4, 12};  // of kAdamwTraffic
  const StateBytes bytes = state_bytes(formats, kReference, width);
  const double weights = (lacks_master(formats.optimizer) ? 2 : 1) * bytes.weights;
  return of_stack / kAdamwTraffic * (bytes.gradients + weights + 2 * bytes.optimizer);
}

UpdateFlops muon_flops(const Block& block) noexcept {
  constexpr double kRounds = 5;
  UpdateFlops out;
  for (const Matrix& matrix : block.matrices) {
    const double m = std::min(matrix.in, matrix.out), n = std::max(matrix.in, matrix.out);
    (matrix.routed ? out.routed : out.own) += matrix.count * kRounds * m * m * (4 * n + 2 * m);
  }
  return out;
}

double fits_probability(const MemoryUse& use) noexcept {
  if (use.total <= 0) return 1;
  if (use.capacity <= 0) return 0;
  return normal_above(portable_log(use.total / use.capacity) / use.spread);
}

double peak_quantile(const MemoryUse& use, double z) noexcept {
  return use.total * portable_exp(z * use.spread);
}

bool may_fit(const MemoryUse& use) noexcept {
  return use.fits || fits_probability(use) >= 0.1;
}

std::string_view fit_word(const MemoryUse& use) noexcept {
  if (use.fits) return fits_probability(use) >= 0.9 ? "yes" : "likely";
  return may_fit(use) ? "unlikely" : "no";
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
