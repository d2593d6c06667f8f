// SPDX-License-Identifier: Apache-2.0
#include "performance/training/kernels.h"

#include <algorithm>

#include "catalog/hardware/hardware.h"
#include "catalog/models/weight_formats.h"
#include "quantity/portable_math.h"

namespace trcost::performance {

namespace {

// Flash attention recomputes scores in its backward pass: five matmuls for the forward's two
// (Dao, arXiv:2307.08691).
constexpr double kFlashBackwardFlops = 2.5;
// Of FlashAttention 2's rates those of FlashAttention 1, whose warps share out the work of a block
// less well: up to 50 % of A100's peak forward and 35 % backward, where its successor reaches 73
// and 63 % (arXiv:2307.08691, sections 1 and 3). Both passes together are 0.58 then; its figure 4
// has 110 to 189 TFLOP/s.
constexpr double kFlash1Forward = 0.50 / 0.73;
constexpr double kFlash1Backward = 0.35 / 0.63;
// Backward element-wise traffic relative to forward (model.md 5.1).
constexpr double kElementwiseBackward = 1.8;
// Loss over the vocabulary: 16-bit logits written, read, softmax in 32 bit, gradient written [D].
constexpr double kLogitBytes = 8;
constexpr double kLossKernels = 4;
// A backward pass issues two matmuls for one, and its element-wise kernels likewise.
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

/// Shares of the 16-bit peak.
struct AttentionShares {
  double forward = 0, backward = 0;
};

AttentionShares attention_shares(const Platform& platform, Attention attention) {
  const Efficiency& chip = *platform.efficiency;
  if (attention == Attention::flash) {
    attention = platform.stack->attention_kernels.on(platform.accelerator->architecture);
  }
  const AttentionShares fastest = {chip.flash_forward, chip.flash_backward};
  if (attention == Attention::fastest) return fastest;
  const AttentionShares second = {std::min(chip.flash2_forward, fastest.forward),
                                  std::min(chip.flash2_backward, fastest.backward)};
  if (attention == Attention::flash2) return second;
  return {kFlash1Forward * second.forward, kFlash1Backward * second.backward};
}

}  // namespace

DeviceCosts prepare_device_costs(const Platform& platform, Attention attention) {
  const Accelerator& chip = *platform.accelerator;
  const Efficiency& efficiency = *platform.efficiency;
  const Stack& stack = *platform.stack;
  const auto at = [](Precision p) { return static_cast<std::size_t>(p); };
  Precision half = platform.precision == Precision::fp16 || !peak_flops(chip, Precision::bf16)
                       ? Precision::fp16
                       : Precision::bf16;
  if (platform.precision == Precision::tf32 || platform.precision == Precision::fp32) {
    half = platform.precision;
  }
  const double half_peak = peak_flops(chip, half).value_or(1);
  const double peak = peak_flops(chip, platform.precision).value_or(half_peak);
  const double slow = stack.kernel_time;
  // A kernel never beats its peak, whatever it was calibrated to.
  const auto share = [slow](double value) { return std::clamp(value / slow, 1e-3, 1.0); };
  const double gain = portable_exp(stack.release_gain * stack.release_years);
  const AttentionShares fused = attention_shares(platform, attention);
  DeviceCosts device;
  device.seconds_per_flop.peak = 1 / peak;
  device.seconds_per_flop.matmul =
      1 / (peak * share(efficiency.matmul[at(platform.precision)] * stack.matmul * gain));
  device.seconds_per_flop.half_matmul =
      1 / (half_peak * share(efficiency.matmul[at(half)] * stack.matmul * gain));
  device.seconds_per_flop.batched_matmul = 1 / (half_peak * share(efficiency.batched_matmul));
  device.seconds_per_flop.flash_forward =
      1 / (half_peak * share(fused.forward * stack.flash * gain));
  device.seconds_per_flop.flash_backward =
      1 / (half_peak * share(fused.backward * stack.flash * gain));
  device.seconds_per_byte.memory =
      1 / (std::max(chip.memory_bandwidth, 1.0) * share(efficiency.memory));
  device.seconds_per_byte.elementwise = device.seconds_per_byte.memory * stack.elementwise / gain;
  device.matmul_start_seconds = slow * efficiency.ramp_seconds;
  device.kernel_gap_seconds = slow * efficiency.kernel_gap_seconds;
  device.block_seconds = platform.issued * stack.block_seconds;
  device.expert_block_seconds = platform.issued * stack.expert_block_seconds;
  device.expert_loop_seconds = platform.issued * stack.expert_loop_seconds;
  const bool block_scaled =
      platform.precision == Precision::mxfp8 || platform.precision == Precision::nvfp4;
  device.expert_traffic = block_scaled ? stack.expert_traffic_block : stack.expert_traffic;
  switch (platform.precision) {
    case Precision::fp8:
    case Precision::mxfp8:
      device.operand_bytes = 1;
      break;
    case Precision::nvfp4:
      device.operand_bytes = weight_format(WeightFormat::nvfp4).attention_bytes;
      break;
    case Precision::tf32:
    case Precision::fp32:
      device.operand_bytes = 4;
      break;
    default:
      device.operand_bytes = 2;
  }
  return device;
}

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
  // Tokens spread over the tensor ranks; those that share an expert's matrices see each other's.
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

// Permuted and gathered back: a read and a write each of two bytes.
double routing_traffic(const LayerShape& shape, const LayerSplit& split,
                       const DeviceCosts& device) noexcept {
  const double routed = split.tokens / split.tensor * shape.experts_per_token;
  return routed * 8 * shape.hidden * device.expert_traffic;
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
    out.plain_bytes = split.tokens * shape.adapter_traffic / split.tensor * stack.lora_traffic;
    out.kernels += shape.adapter_kernels * stack.lora_traffic;
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
      out.plain_bytes += routed * shape.expert_adapter_traffic * stack.lora_traffic;
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
