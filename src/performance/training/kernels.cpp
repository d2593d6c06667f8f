// SPDX-License-Identifier: Apache-2.0
#include "performance/training/kernels.h"

#include <algorithm>

namespace trcost::performance {
namespace {

// Flash attention recomputes scores in its backward pass: five matmuls for the forward's two
// (Dao, arXiv:2307.08691).
constexpr double kFlashBackwardFlops = 2.5;
// Backward element-wise traffic relative to forward (model.md 5.1).
constexpr double kElementwiseBackward = 1.8;
// Bytes per logit of the loss: 16-bit logits written, read, softmax in 32 bit, gradient written
// [D].
constexpr double kLogitBytes = 8;
constexpr double kLossKernels = 4;
// A backward pass issues two matmuls for each one forward, and twice the element-wise kernels.
constexpr double kHostBackward = 2;

// Adds kernels to the seconds of their layer.
struct KernelSum {
  LayerTime& time;

  void operator()(const MatmulTime& matmul) const {
    time.matmul_forward += matmul.forward;
    time.matmul_dgrad += matmul.forward;
    time.matmul_wgrad += matmul.weight_gradient;
  }
  void operator()(const AdapterTime& adapters) const {
    time.matmul_forward += adapters.seconds;
    time.matmul_dgrad += adapters.seconds;
    time.matmul_wgrad += adapters.seconds;
  }
  void operator()(const AttentionTime& attention) const {
    time.attention_forward = attention.forward;
    time.attention_backward = attention.backward;
  }
  void operator()(const ElementwiseTime& elementwise) const {
    time.elementwise_forward = elementwise.forward;
    time.elementwise_backward = elementwise.backward_factor * elementwise.forward;
  }
};

// Sets the seconds of a matmul whose sizes and traffic are known.
void set_matmul_seconds(const DeviceCosts& device, bool learns, MatmulTime& matmul) {
  const auto longer = [&](double bytes) {
    return std::max(matmul.compute_seconds, bytes * device.seconds_per_byte.memory) +
           device.matmul_start_seconds;
  };
  matmul.forward = longer(matmul.operand_bytes);
  matmul.weight_gradient = learns ? longer(matmul.gradient_bytes) : 0;
}

}  // namespace

MatmulTime linear_matmul(const LinearShape& linear, const LayerSplit& split,
                         double seconds_per_flop, double operand_bytes,
                         const DeviceCosts& device) noexcept {
  const double m = split.tokens * linear.tokens;
  const double n = linear.split == Split::output ? linear.n / split.tensor : linear.n;
  const double k = linear.split == Split::input ? linear.k / split.tensor : linear.k;
  MatmulTime out{.m = m, .n = n, .k = k};
  out.compute_seconds = 2 * m * n * k * seconds_per_flop;
  out.operand_bytes = operand_bytes * (m * k + n * k) + 2 * m * n;
  out.gradient_bytes = operand_bytes * (m * k + m * n) + split.accumulate_bytes * n * k;
  set_matmul_seconds(device, split.wgrad, out);
  return out;
}

MatmulTime expert_matmul(const LinearShape& linear, const LayerShape& shape,
                         const LayerSplit& split, const DeviceCosts& device, double half) noexcept {
  const double local = shape.experts / split.expert;
  const double tensor = split.expert_tensor;
  // Tokens are spread over the tensor ranks. Ranks that share an expert's matrices compute all of
  // theirs.
  const double routed = split.tokens * (tensor / split.tensor) * shape.experts_per_token;
  const double each = routed / local;
  const double n = linear.split == Split::output ? linear.n / tensor : linear.n;
  const double k = linear.split == Split::input ? linear.k / tensor : linear.k;
  const double weights = std::min(local, routed) * n * k;
  const double element = device.operand_bytes;
  MatmulTime out{.grouped = true, .m = routed, .n = n, .k = k};
  out.compute_seconds = 2 * routed * n * k * device.seconds_per_flop.matmul * (1 + half / each);
  out.operand_bytes = element * (routed * k + weights) + 2 * routed * n;
  out.gradient_bytes = element * routed * (k + n) + split.accumulate_bytes * local * n * k;
  set_matmul_seconds(device, split.wgrad, out);
  return out;
}

AttentionTime attention_time(const LayerShape& shape, const LayerSplit& split,
                             const DeviceCosts& device, const Efficiency& efficiency) noexcept {
  const double share = split.tokens / split.tensor;
  const double start = device.matmul_start_seconds;
  AttentionTime out;
  if (split.materialised) {
    const double batched = device.seconds_per_flop.batched_matmul;
    out.flops = shape.attention_full_flops * share;
    out.bytes = shape.score_entries * share * shape.score_bytes;
    out.backward_flops = 2 * out.flops;
    out.backward_bytes = shape.score_backward * out.bytes;
    out.seconds_per_flop = out.backward_seconds_per_flop = batched;
    out.starts = 2;
    out.backward_starts = 4;
    const double products = out.flops * batched;
    const double scores = out.bytes * device.seconds_per_byte.memory;
    out.forward = products + scores + 2 * start;
    out.backward = 2 * products + shape.score_backward * scores + 4 * start;
    return out;
  }
  const double dim = shape.head_dim, length = shape.attention_length;
  const double half = efficiency.flash_head_half;
  out.flops = shape.attention_flops * share;
  out.backward_flops = kFlashBackwardFlops * out.flops;
  out.head_factor = (dim + half) / dim * 128 / (128 + half);
  out.length_factor = (length + efficiency.flash_length_half) / length;
  out.seconds_per_flop = device.seconds_per_flop.flash_forward;
  out.backward_seconds_per_flop = device.seconds_per_flop.flash_backward;
  out.starts = out.backward_starts = 1;
  const double slowed = out.flops * out.head_factor * out.length_factor;
  out.forward = slowed * out.seconds_per_flop + start;
  out.backward = kFlashBackwardFlops * slowed * out.backward_seconds_per_flop + start;
  return out;
}

// Tokens are permuted and gathered back, each with a read and a write of two bytes.
double routing_traffic(const LayerShape& shape, const LayerSplit& split,
                       const DeviceCosts& device) noexcept {
  const double routed = split.tokens / split.tensor * shape.experts_per_token;
  return routed * 8 * shape.expert_in.k * device.expert_traffic;
}

ElementwiseTime elementwise_time(const LayerShape& shape, const LayerSplit& split,
                                 const DeviceCosts& device, const Stack& stack) noexcept {
  const double quantise = device.operand_bytes < 2 ? shape.quantise_traffic / split.sequence : 0;
  const double legacy = split.materialised ? stack.legacy_elementwise : 1;
  ElementwiseTime out;
  out.bytes =
      legacy * split.tokens *
      (shape.hidden_traffic / split.sequence + shape.split_traffic / split.tensor + quantise);
  out.kernels = shape.layer_share * stack.kernels;
  out.backward_factor = kElementwiseBackward;
  if (shape.adapter_flops > 0) {
    // Plain sums and copies, whatever the stack makes of the layers' own element-wise work.
    out.plain_bytes = split.tokens * shape.adapter_traffic / split.tensor * device.lora_traffic;
    out.kernels += shape.adapter_kernels * device.lora_traffic;
  }
  if (split.dequantise > 0) {
    const double packed = shape.parameters / split.tensor +
                          shape.expert_parameters / (split.expert * split.expert_tensor);
    out.plain_bytes += packed * split.dequantise;
  }
  if (shape.experts > 0) {
    const double routed = split.tokens / split.tensor * shape.experts_per_token;
    out.bytes += routing_traffic(shape, split, device) +
                 routed * (6 * shape.expert_out.k + shape.expert_bias_traffic);
    out.kernels += stack.expert_kernels;
    if (shape.expert_adapter_flops > 0) {
      out.plain_bytes += routed * shape.expert_adapter_traffic * device.lora_traffic;
    }
  }
  out.forward = out.bytes * device.seconds_per_byte.elementwise +
                out.plain_bytes * device.seconds_per_byte.memory +
                out.kernels * device.kernel_gap_seconds;
  return out;
}

ElementwiseTime loss_time(double vocab, const LayerSplit& split,
                          const DeviceCosts& device) noexcept {
  ElementwiseTime out;
  out.bytes = kLogitBytes * split.tokens * vocab / split.tensor;
  out.kernels = kLossKernels;
  out.forward =
      out.bytes * device.seconds_per_byte.elementwise + out.kernels * device.kernel_gap_seconds;
  return out;
}

LayerTime layer_kernels(const LayerShape& shape, const LayerSplit& split, const DeviceCosts& device,
                        const Efficiency& efficiency, const Stack& stack) noexcept {
  LayerTime time;
  visit_layer_kernels(shape, split, device, efficiency, stack, KernelSum{time});
  time.host_forward = shape.layer_share * device.block_seconds;
  if (shape.experts > 0) {
    time.host_forward +=
        device.expert_block_seconds + shape.experts / split.expert * device.expert_loop_seconds;
  }
  time.host_backward = kHostBackward * time.host_forward;
  return time;
}

LayerTime head_kernels(double hidden, double vocab, const LayerSplit& split,
                       const DeviceCosts& device) noexcept {
  LayerTime time;
  visit_head_kernels(hidden, vocab, split, device, KernelSum{time});
  time.host_forward = device.block_seconds;  // norm, matmul and loss, kernel by kernel
  time.host_backward = kHostBackward * time.host_forward;
  return time;
}

}  // namespace trcost::performance
