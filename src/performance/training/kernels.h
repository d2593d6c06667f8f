// SPDX-License-Identifier: Apache-2.0
// Time of the kernels of one layer for one micro-batch. All pure arithmetic, no allocation.
#pragma once

#include <algorithm>
#include <cstddef>

#include "performance/training/layer_shape.h"
#include "performance/training/platform.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// Seconds of one layer and one micro-batch, by cause.
struct LayerTime {
  double matmul_forward = 0, matmul_dgrad = 0, matmul_wgrad = 0;
  double attention_forward = 0, attention_backward = 0;
  double elementwise_forward = 0, elementwise_backward = 0;
  double tensor_forward = 0, tensor_backward = 0;
  double context_forward = 0, context_backward = 0;
  double expert_forward = 0, expert_backward = 0;
  double host_forward = 0, host_backward = 0;
};

/// Partition of a layer for one rank and micro-batch.
struct LayerSplit {
  double tokens = 1;          ///< of the rank's micro-batch: b s / c
  double tensor = 1;          ///< ranks that share the matrices
  double sequence = 1;        ///< ranks that share the rest: tensor with sequence parallel, else 1
  double expert = 1;          ///< expert-parallel ranks
  double expert_tensor = 1;   ///< ranks that share one expert's matrices
  bool images = false;        ///< whole images, whose attention stays on a context rank
  bool materialised = false;  ///< standard attention
  bool wgrad = true;          ///< the matrices learn
  double accumulate_bytes = 8;  ///< traffic per weight to add a gradient to the buffer
  double dequantise = 0;        ///< bytes per weight and pass to unpack 4-bit weights
};

/// A matmul of one rank, m x k by k x n: the longer of its FLOPs and its memory traffic, and the
/// start (model.md 5.1).
struct MatmulTime {
  bool grouped = false;  ///< one kernel for the experts of a rank
  double m = 0, n = 0, k = 0;
  double compute_seconds = 0;  ///< of the FLOPs alone
  double operand_bytes = 0;    ///< memory traffic of the product
  double gradient_bytes = 0;   ///< memory traffic of the weights' gradient
  double forward = 0;          ///< seconds, also of the inputs' gradient
  double weight_gradient = 0;  ///< seconds, 0 for frozen weights
};

/// Low-rank adapters of a layer, as one multiplication.
struct AdapterTime {
  double flops = 0;
  double seconds = 0;  ///< of each of the three passes
};

/// Core of attention: flops x head_factor x length_factor x seconds per FLOP + bytes x seconds per
/// byte + starts x start of a matmul. The backward pass has its own figures.
struct AttentionTime {
  double flops = 0, backward_flops = 0;
  double bytes = 0, backward_bytes = 0;  ///< of materialised scores
  double seconds_per_flop = 0, backward_seconds_per_flop = 0;
  double head_factor = 1, length_factor = 1;  ///< relative to head dimension 128, long sequence
  double starts = 0, backward_starts = 0;
  double forward = 0, backward = 0;  ///< seconds
};

/// Element-wise work of a layer, forward: bytes at the element-wise rate, plain bytes at the
/// memory's rate, and a gap per kernel. Backward takes `backward_factor` times as long.
struct ElementwiseTime {
  double bytes = 0;        ///< of the layer itself
  double plain_bytes = 0;  ///< of adapters and packed weights
  double kernels = 0;
  double backward_factor = 1;
  double forward = 0;  ///< seconds
};

/// `operand_bytes`: size of an element of the inputs.
MatmulTime linear_matmul(const LinearShape& linear, const LayerSplit& split,
                         double seconds_per_flop, double operand_bytes,
                         const DeviceCosts& device) noexcept;
/// The experts' matmuls of one rank as one grouped kernel. Few tokens per expert waste tiles:
/// M/(M + half) for `half` tokens (model.md 5.1).
MatmulTime expert_matmul(const LinearShape& linear, const LayerShape& shape,
                         const LayerSplit& split, const DeviceCosts& device, double half) noexcept;
AttentionTime attention_time(const LayerShape& shape, const LayerSplit& split,
                             const DeviceCosts& device, const Efficiency& efficiency) noexcept;
ElementwiseTime elementwise_time(const LayerShape& shape, const LayerSplit& split,
                                 const DeviceCosts& device, const Stack& stack) noexcept;
/// Loss over the vocabulary.
ElementwiseTime loss_time(double vocab, const LayerSplit& split,
                          const DeviceCosts& device) noexcept;

/// Calls `visit` with each kernel of a layer, in the order in which they run.
template <class Visit>
void visit_layer_kernels(const LayerShape& shape, const LayerSplit& split,
                         const DeviceCosts& device, const Efficiency& efficiency,
                         const Stack& stack, const Visit& visit) {
  const auto adapters = [&](double flops) {
    visit(AdapterTime{flops, flops * device.seconds_per_flop.half_matmul});
  };
  for (int i = 0; i < shape.linears; ++i) {
    visit(linear_matmul(shape.linear[static_cast<std::size_t>(i)], split,
                        device.seconds_per_flop.matmul, device.operand_bytes, device));
  }
  if (shape.attention_flops > 0) visit(attention_time(shape, split, device, efficiency));
  if (shape.adapter_flops > 0) adapters(split.tokens * shape.adapter_flops / split.tensor);
  if (shape.experts > 0) {
    visit(expert_matmul(shape.expert_in, shape, split, device, stack.grouped_half));
    visit(expert_matmul(shape.expert_out, shape, split, device, stack.grouped_half));
    if (shape.expert_adapter_flops > 0) {
      adapters(split.tokens / split.tensor * shape.experts_per_token * shape.expert_adapter_flops);
    }
  }
  visit(elementwise_time(shape, split, device, stack));
}

/// Calls `visit` with the kernels of the output matrix and the loss over `vocab`, in 16 bit.
template <class Visit>
void visit_head_kernels(double hidden, double vocab, const LayerSplit& split,
                        const DeviceCosts& device, const Visit& visit) {
  visit(linear_matmul({vocab, hidden, Split::output}, split, device.seconds_per_flop.half_matmul,
                      std::max(device.operand_bytes, 2.0), device));
  visit(loss_time(vocab, split, device));
}

/// Sum of the kernels of a layer and its host time. Exchange is left at zero.
LayerTime layer_kernels(const LayerShape& shape, const LayerSplit& split, const DeviceCosts& device,
                        const Efficiency& efficiency, const Stack& stack) noexcept;

/// Sum of the kernels of the head and its host time.
LayerTime head_kernels(double hidden, double vocab, const LayerSplit& split,
                       const DeviceCosts& device) noexcept;

/// Bytes that a rank moves to sort its tokens' copies by expert and back.
double routing_traffic(const LayerShape& shape, const LayerSplit& split,
                       const DeviceCosts& device) noexcept;

}  // namespace trcost::performance
