// SPDX-License-Identifier: Apache-2.0
#include "performance/training/platform.h"

#include <algorithm>

#include "catalog/hardware/hardware.h"
#include "catalog/models/weight_formats.h"
#include "quantity/portable_math.h"

namespace trcost::performance {
namespace {

// Rates of FlashAttention 1 over those of FlashAttention 2: up to 50 % of A100's peak forward and
// 35 % backward, against 73 and 63 % (arXiv:2307.08691, sections 1 and 3). Both passes together
// give 0.58, and its figure 4 has 110 to 189 TFLOP/s.
constexpr double kFlash1Forward = 0.50 / 0.73;
constexpr double kFlash1Backward = 0.35 / 0.63;

// Rates of PyTorch's memory-efficient kernel under a dense mask over those of FlashAttention 2:
// what full fine-tuning of Llama 3.1 8B and Phi-3 mini at 2 x 8,192 tokens leaves for attention
// beside its products, 0.20 of an A100's and 0.11 of an H100's peak (rows N4-0001 to N4-0032 of
// data/runs/throughput.csv).
constexpr double kMasked = 0.4;

// ln of a step's time over that of a showcase, for the stack alone.
double tuning_gap(const Stack& stack, Tuning tuning) {
  switch (tuning) {
    case Tuning::showcase:
      return 0;
    case Tuning::usual:
      return stack.usual_gap;
    case Tuning::first_run:
      return stack.usual_gap + stack.first_run_gap;
  }
  return 0;
}

// Shares of the 16-bit peak.
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
  if (attention == Attention::masked) return {kMasked * second.forward, kMasked * second.backward};
  return {kFlash1Forward * second.forward, kFlash1Backward * second.backward};
}

}  // namespace

MemoryRecipe memory_recipe(const Platform& platform) {
  MemoryRecipe out = platform.stack->memory;
  if (platform.kernels == Kernels::plain) {
    out.activation_share = out.plain_share;
    out.logits_bytes = out.plain_logits;
    out.adapter_input_bytes *= 2;  // in 32 bits
  }
  if (platform.kernels == Kernels::fused) {
    out.activation_share = out.fused_share;
    out.adapter_input_bytes = 0;  // one kernel for a matrix and its adapter
  }
  return out;
}

void set_tuning(Platform& platform, Tuning tuning) {
  const Stack& stack = *platform.stack;
  const bool shown = tuning == Tuning::showcase;
  // A chip's own constants are those of its showcases, whatever the stack's describe.
  const double young = shown ? 0 : platform.efficiency->usual_gap;
  platform.slowdown =
      portable_exp(tuning_gap(stack, tuning) - tuning_gap(stack, stack.described) + young);
  const bool as_described = shown || stack.described != Tuning::showcase;
  platform.issued = shown ? stack.showcase_issued : 1;
  platform.overlap.tensor = platform.overlap.expert = as_described ? 1 : stack.usual_overlap;
}

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
  const bool plain = platform.kernels == Kernels::plain;
  const bool fused_kernels = platform.kernels == Kernels::fused;
  const double elementwise = stack.elementwise * (plain           ? stack.plain_elementwise
                                                  : fused_kernels ? stack.fused_elementwise
                                                                  : 1);
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
  device.seconds_per_byte.elementwise = device.seconds_per_byte.memory * elementwise / gain;
  device.lora_traffic = stack.lora_traffic * (plain ? stack.plain_lora : 1);
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

}  // namespace trcost::performance
