// SPDX-License-Identifier: Apache-2.0
#include "performance/training/recompute.h"

#include <algorithm>

#include "performance/training/layers.h"

namespace trcost::performance {
namespace {

// Share of the element-wise work of a forward pass that norms and activation functions are [D].
constexpr double kSelectiveElementwise = 0.6;

}  // namespace

double routing_seconds(const Evaluation& at) noexcept {
  const DeviceCosts& device = at.costs.device;
  double seconds = 0;
  for (const LayerShape& shape : at.costs.own) {
    if (shape.experts <= 0) continue;
    seconds += shape.count * (routing_traffic(shape, layer_split(at), device) *
                                  device.seconds_per_byte.elementwise +
                              at.stack.expert_kernels * device.kernel_gap_seconds);
  }
  return seconds;
}

RepeatedTime repeated_time(const Evaluation& at, const LayerTime& layers, double routing) noexcept {
  RepeatedTime out;
  out.forward = device_forward(layers);
  if (at.layout.recompute == Recompute::full) {
    out.seconds = out.forward;
    out.share = 1;
    return out;
  }
  out.elementwise = layers.elementwise_forward;
  out.matmul = layers.matmul_forward;
  out.attention = layers.attention_forward;
  out.routing = std::min(routing, layers.elementwise_forward);
  out.kept = out.routing + layers.expert_forward;
  out.share = at.recomputed;
  if (at.layout.recompute == Recompute::selective) {
    if (at.costs.materialised) {
      out.attention_share = 1;
    } else {
      out.elementwise_share = kSelectiveElementwise;
      out.matmul_share = at.stack.selective_matmul;
    }
  }
  const double selective = out.elementwise_share * (out.elementwise - out.routing) +
                           out.matmul_share * out.matmul + out.attention_share * out.attention;
  out.seconds = selective + out.share * std::max(0.0, out.forward - out.kept - selective);
  return out;
}

double recomputed_flops(const Evaluation& at) noexcept {
  const StepCosts& costs = at.costs;
  if (!costs.language_backward) return 0;
  const double layers = repeated_layers(at) * costs.forward_flops;
  if (at.layout.recompute != Recompute::selective) return layers;
  const double selective =
      costs.materialised ? costs.core_flops
                         : at.stack.selective_matmul * (costs.forward_flops - costs.core_flops);
  return layers + (1 - at.recomputed) * selective;
}

double repeated_layers(const Evaluation& at) noexcept {
  return at.layout.recompute == Recompute::full ? 1 : at.recomputed;
}

}  // namespace trcost::performance
