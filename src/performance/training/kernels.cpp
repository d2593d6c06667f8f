// SPDX-License-Identifier: Apache-2.0
#include "performance/training/kernels.h"

#include <algorithm>

#include "catalog/hardware/peak.h"
#include "catalog/software/engine.h"
#include "performance/training/ledger.h"
#include "quantity/portable_math.h"

namespace trcost {
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

struct MatmulTime {
  double forward = 0;
  double wgrad = 0;
};

struct MatmulSize {
  KernelKind kind;
  double m, n, k;  ///< of one rank
};

// What a matmul and that of its weights' gradient read and write, and the seconds of its FLOPs.
struct MatmulWork {
  double computed = 0;
  double operands = 0, gradient = 0;  ///< bytes
};

void note_matmul(const LayerSplit& split, const MatmulSize& of, const MatmulWork& work,
                 const MatmulTime& time) {
  if (split.ledger == nullptr) return;
  const double flops = 2 * of.m * of.n * of.k;
  KernelAccount entry{{},
                      of.kind,
                      0,
                      of.m,
                      of.n,
                      of.k,
                      flops,
                      work.operands,
                      time.forward,
                      time.forward,
                      split.wgrad ? time.wgrad : 0};
  entry.rate = flops / work.computed;
  entry.gradient_bytes = work.gradient;
  split.ledger->kernel(entry);
}

// 2 M N K / (peak e) or the operands' bytes, whichever is longer, and the ramp (model.md 5.1).
MatmulTime matmul_time(const MatmulWork& work, const DeviceCosts& device) {
  const auto longer = [&](double bytes) {
    return std::max(work.computed, bytes * device.seconds_per_byte.memory) +
           device.matmul_start_seconds;
  };
  return {longer(work.operands), longer(work.gradient)};
}

MatmulTime linear_time(const LinearShape& linear, const LayerSplit& split, double per_flop,
                       const DeviceCosts& device) {
  const double m = split.tokens * linear.tokens;
  const double n = linear.split == Split::output ? linear.n / split.tensor : linear.n;
  const double k = linear.split == Split::input ? linear.k / split.tensor : linear.k;
  const double operands = device.operand_bytes * (m * k + n * k) + 2 * m * n;
  const double gradient = device.operand_bytes * (m * k + m * n) + split.accumulate_bytes * n * k;
  const MatmulWork work = {2 * m * n * k * per_flop, operands, gradient};
  const MatmulTime time = matmul_time(work, device);
  note_matmul(split, {KernelKind::matmul, m, n, k}, work, time);
  return time;
}

// The experts' matmuls of one rank as one grouped kernel; few tokens per expert waste tiles:
// M/(M + half) (model.md 5.1).
MatmulTime expert_time(const LinearShape& linear, const LayerShape& shape, const LayerSplit& split,
                       const DeviceCosts& device, double half) {
  const double local = shape.experts / split.expert;
  const double tensor = split.expert_tensor;
  // Tokens spread over the tensor ranks; those that share an expert's matrices see each other's.
  const double routed = split.tokens * (tensor / split.tensor) * shape.experts_per_token;
  const double each = routed / local;
  const double n = linear.split == Split::output ? linear.n / tensor : linear.n;
  const double k = linear.split == Split::input ? linear.k / tensor : linear.k;
  const double computed = 2 * routed * n * k * device.seconds_per_flop.matmul * (1 + half / each);
  const double weights = std::min(local, routed) * n * k;
  const double operands = device.operand_bytes * (routed * k + weights) + 2 * routed * n;
  const double gradient =
      device.operand_bytes * routed * (k + n) + split.accumulate_bytes * local * n * k;
  const MatmulWork work = {computed, operands, gradient};
  const MatmulTime time = matmul_time(work, device);
  note_matmul(split, {KernelKind::grouped_matmul, routed, n, k}, work, time);
  return time;
}

// Multiplications with low-rank adapters, whose shapes are not told apart.
void note_adapters(const LayerSplit& split, double flops, double seconds) {
  if (split.ledger == nullptr) return;
  KernelAccount entry{{}, KernelKind::adapters, 0, 0, 0, 0, flops, 0, seconds, seconds, seconds};
  entry.rate = flops / seconds;
  split.ledger->kernel(entry);
}

void note_attention(const LayerSplit& split, double flops, double bytes,
                    const AttentionAccount& parts, const LayerTime& time) {
  if (split.ledger == nullptr) return;
  split.ledger->kernel({{},
                        KernelKind::attention,
                        0,
                        0,
                        0,
                        0,
                        flops,
                        bytes,
                        time.attention_forward,
                        time.attention_backward,
                        0,
                        parts});
}

void note_elementwise(const LayerSplit& split, const ElementwiseAccount& parts,
                      const LayerTime& time) {
  if (split.ledger == nullptr) return;
  split.ledger->kernel({{},
                        KernelKind::elementwise,
                        0,
                        0,
                        0,
                        0,
                        0,
                        parts.bytes + parts.plain_bytes,
                        time.elementwise_forward,
                        time.elementwise_backward,
                        0,
                        {},
                        parts});
}

void attention_time(const LayerShape& shape, const LayerSplit& split, const DeviceCosts& device,
                    const Efficiency& efficiency, LayerTime& time) {
  if (shape.attention_flops <= 0) return;
  const double share = split.tokens / split.tensor;
  if (split.materialised) {
    const double work = shape.attention_full_flops * share;
    const double bytes = shape.score_entries * share * shape.score_bytes;
    const double flops = work * device.seconds_per_flop.batched_matmul;
    const double scores = bytes * device.seconds_per_byte.memory;
    time.attention_forward = flops + scores + 2 * device.matmul_start_seconds;
    time.attention_backward =
        2 * flops + shape.score_backward * scores + 4 * device.matmul_start_seconds;
    note_attention(
        split, work, bytes,
        {1 / device.seconds_per_flop.batched_matmul, 1 / device.seconds_per_flop.batched_matmul, 1,
         1, 2 * work, shape.score_backward * bytes, 2, 4},
        time);
    return;
  }
  const double dim = shape.head_dim;
  const double length = shape.attention_length;
  // Relative to head dim 128 and to a long sequence.
  const double of_head =
      (dim + efficiency.flash_head_half) / dim * 128 / (128 + efficiency.flash_head_half);
  const double of_length = (length + efficiency.flash_length_half) / length;
  const double work = shape.attention_flops * share;
  const double flops = work * of_head * of_length;
  time.attention_forward =
      flops * device.seconds_per_flop.flash_forward + device.matmul_start_seconds;
  time.attention_backward = kFlashBackwardFlops * flops * device.seconds_per_flop.flash_backward +
                            device.matmul_start_seconds;
  note_attention(
      split, work, 0,
      {1 / device.seconds_per_flop.flash_forward, 1 / device.seconds_per_flop.flash_backward,
       of_head, of_length, kFlashBackwardFlops * work, 0, 1, 1},
      time);
}

// Adds the element-wise work to `parts` too.
void expert_kernels(const LayerShape& shape, const LayerSplit& split, const DeviceCosts& device,
                    const Stack& stack, LayerTime& time, ElementwiseAccount& parts) {
  const MatmulTime in = expert_time(shape.expert_in, shape, split, device, stack.grouped_half);
  const MatmulTime out = expert_time(shape.expert_out, shape, split, device, stack.grouped_half);
  time.matmul_forward += in.forward + out.forward;
  time.matmul_dgrad += in.forward + out.forward;
  if (split.wgrad) time.matmul_wgrad += in.wgrad + out.wgrad;
  const double routed = split.tokens / split.tensor * shape.experts_per_token;
  const double bytes = routing_traffic(shape, split, device) +
                       routed * (6 * shape.expert_out.k + shape.expert_bias_traffic);
  time.elementwise_forward += bytes * device.seconds_per_byte.elementwise +
                              stack.expert_kernels * device.kernel_gap_seconds;
  parts.bytes += bytes;
  parts.kernels += stack.expert_kernels;
  if (shape.expert_adapter_flops <= 0) return;
  time.elementwise_forward +=
      routed * shape.expert_adapter_traffic * stack.lora_traffic * device.seconds_per_byte.memory;
  const double adapters = routed * shape.expert_adapter_flops * device.seconds_per_flop.half_matmul;
  time.matmul_forward += adapters;
  time.matmul_dgrad += adapters;
  time.matmul_wgrad += adapters;
  note_adapters(split, routed * shape.expert_adapter_flops, adapters);
  parts.plain_bytes += routed * shape.expert_adapter_traffic * stack.lora_traffic;
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

// Permuted and gathered back: a read and a write each of two bytes.
double routing_traffic(const LayerShape& shape, const LayerSplit& split,
                       const DeviceCosts& device) noexcept {
  const double routed = split.tokens / split.tensor * shape.experts_per_token;
  return routed * 8 * shape.hidden * device.expert_traffic;
}

LayerTime layer_kernels(const LayerShape& shape, const LayerSplit& split, const DeviceCosts& device,
                        const Efficiency& efficiency, const Stack& stack) noexcept {
  LayerTime time;
  for (int i = 0; i < shape.linears; ++i) {
    const MatmulTime linear = linear_time(shape.linear[static_cast<std::size_t>(i)], split,
                                          device.seconds_per_flop.matmul, device);
    time.matmul_forward += linear.forward;
    time.matmul_dgrad += linear.forward;
    time.matmul_wgrad += linear.wgrad;
  }
  if (!split.wgrad) time.matmul_wgrad = 0;
  attention_time(shape, split, device, efficiency, time);
  const double quantise = device.operand_bytes < 2 ? shape.quantise_traffic / split.sequence : 0;
  const double bytes = split.tokens * (shape.hidden_traffic / split.sequence +
                                       shape.split_traffic / split.tensor + quantise);
  double kernels = shape.layer_share * stack.kernels;
  double adapters = 0;
  ElementwiseAccount parts;
  if (shape.adapter_flops > 0) {
    // Plain sums and copies, whatever the stack makes of the layers' own element-wise work.
    adapters = split.tokens * shape.adapter_traffic / split.tensor * stack.lora_traffic *
               device.seconds_per_byte.memory;
    parts.plain_bytes += split.tokens * shape.adapter_traffic / split.tensor * stack.lora_traffic;
    kernels += shape.adapter_kernels * stack.lora_traffic;
    const double flops =
        split.tokens * shape.adapter_flops / split.tensor * device.seconds_per_flop.half_matmul;
    time.matmul_forward += flops;
    time.matmul_dgrad += flops;
    time.matmul_wgrad += flops;
    note_adapters(split, split.tokens * shape.adapter_flops / split.tensor, flops);
  }
  const double legacy = split.materialised ? stack.legacy_elementwise : 1;
  time.elementwise_forward = legacy * bytes * device.seconds_per_byte.elementwise + adapters +
                             kernels * device.kernel_gap_seconds;
  parts.bytes = legacy * bytes;
  parts.kernels = kernels;
  if (split.dequantise > 0) {
    const double packed = shape.parameters / split.tensor +
                          shape.expert_parameters / (split.expert * split.expert_tensor);
    time.elementwise_forward += packed * split.dequantise * device.seconds_per_byte.memory;
    parts.plain_bytes += packed * split.dequantise;
  }
  if (shape.experts > 0) {
    expert_kernels(shape, split, device, stack, time, parts);
  }
  time.elementwise_backward = kElementwiseBackward * time.elementwise_forward;
  parts.backward = kElementwiseBackward;
  note_elementwise(split, parts, time);
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
  DeviceCosts half = device;
  half.operand_bytes = std::max(device.operand_bytes, 2.0);
  const MatmulTime linear =
      linear_time({vocab, hidden, Split::output}, split, device.seconds_per_flop.half_matmul, half);
  LayerTime time;
  time.matmul_forward = linear.forward;
  time.matmul_dgrad = linear.forward;
  time.matmul_wgrad = split.wgrad ? linear.wgrad : 0;
  const double logits = split.tokens * vocab / split.tensor;
  time.elementwise_forward = kLogitBytes * logits * device.seconds_per_byte.elementwise +
                             kLossKernels * device.kernel_gap_seconds;
  time.elementwise_backward = time.elementwise_forward;
  note_elementwise(split, {kLogitBytes * logits, 0, kLossKernels, 1}, time);
  time.host_forward = device.block_seconds;  // norm, matmul and loss, kernel by kernel
  time.host_backward = kHostBackward * time.host_forward;
  return time;
}

}  // namespace trcost
