// SPDX-License-Identifier: Apache-2.0
#include "performance/training/recompute.h"

#include <algorithm>

#include "performance/training/layers.h"
#include "performance/training/step_account.h"

namespace trcost {
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

double recomputed_seconds(const Evaluation& at, const LayerTime& layers, double routing,
                          RepeatedAccount* note) noexcept {
  const double whole = device_forward(layers);
  if (at.layout.recompute == Recompute::full) {
    if (note != nullptr) *note = {.seconds = whole, .share = 1, .forward = whole};
    return whole;
  }
  double selective = 0;
  if (at.layout.recompute == Recompute::selective) {
    const double own_work = std::max(0.0, layers.elementwise_forward - routing);
    selective = at.costs.materialised ? layers.attention_forward
                                      : kSelectiveElementwise * own_work +
                                            at.stack.selective_matmul * layers.matmul_forward;
  }
  const double kept = std::min(routing, layers.elementwise_forward) + layers.expert_forward;
  const double seconds = selective + at.recomputed * std::max(0.0, whole - kept - selective);
  if (note != nullptr) {
    const bool some = at.layout.recompute == Recompute::selective;
    const bool core = some && at.costs.materialised, rest = some && !core;
    *note = {seconds,
             at.recomputed,
             whole,
             layers.elementwise_forward,
             layers.matmul_forward,
             layers.attention_forward,
             std::min(routing, layers.elementwise_forward),
             kept,
             rest ? kSelectiveElementwise : 0,
             rest ? at.stack.selective_matmul : 0,
             core ? 1.0 : 0};
  }
  return seconds;
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

}  // namespace trcost
