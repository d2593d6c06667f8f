// SPDX-License-Identifier: Apache-2.0
// Adapters on frozen matrices: low-rank pairs on every matrix, or two bottlenecks per layer.
#include "catch.h"
#include "performance/training/layer_shape.h"
#include "planner/scenarios.h"
#include "workload/trainable.h"

using namespace trcost;

namespace {

Workload tuned(const char* model, Training training, double rank) {
  Workload workload;
  workload.language = test_catalog().model(model).language;
  workload.language_training = training;
  workload.lora_rank = rank;
  workload.seq_length = workload.attention_length = 4096;
  return workload;
}

double seconds(const Workload& workload, const Platform& platform) {
  return StepModel(workload, platform).step(Layout{}).seconds;
}

}  // namespace

// 2 FLOP per weight and token: the parameters of arXiv:1902.00751, section 2.1, without their
// biases.
TEST_CASE("a bottleneck computes on its own matrices, not on the layer's", "[adapters]") {
  for (const char* model : {"llama-2-7b", "mixtral-8x7b"}) {
    const double rank = 64;
    const Workload workload = tuned(model, Training::adapter, rank);
    const double hidden = workload.language.hidden;
    const double weights = adapter_parameters(1, hidden, rank) - 2 * (rank + hidden);
    const LayerShape shape =
        decoder_layer_shape(workload, blocks_of(workload.language).begin()->block);
    CHECK_THAT(shape.adapter_flops, WithinRel(2 * weights, 1e-12));
    CHECK(shape.expert_adapter_flops == 0);
    CHECK(shape.expert_adapter_traffic == 0);
  }
}

TEST_CASE("bottlenecks take less time than low-rank pairs on every matrix", "[adapters]") {
  for (const char* stack : {"hf-trainer", "typical", "maxtext"}) {
    const Platform platform = planning::platform("h100-sxm", stack);
    const double adapter = seconds(tuned("llama-2-7b", Training::adapter, 64), platform);
    const double lora = seconds(tuned("llama-2-7b", Training::lora, 64), platform);
    const double frozen = seconds(tuned("llama-2-7b", Training::lora, 1e-9), platform);
    CHECK(adapter < lora);
    // Seven matrices are read and written, the widest four times as wide as the layer.
    if (stack == std::string("maxtext")) CHECK(adapter < 0.95 * lora);
    CHECK(adapter > 0.5 * frozen);
  }
}

TEST_CASE("a stack's element-wise work is not that of the adapters", "[adapters]") {
  Platform platform = planning::platform("h100-sxm", "typical");
  Stack stack = *platform.stack;
  stack.block_seconds = stack.expert_block_seconds = 0;
  stack.collective_dispatch_seconds = stack.micro_batch_seconds = 0;
  platform.stack = &stack;
  for (const char* model : {"llama-2-7b", "mixtral-8x7b"}) {
    const auto of_adapters = [&](double elementwise) {
      stack.elementwise = elementwise;
      stack.lora_traffic = 2;
      const double with = seconds(tuned(model, Training::lora, 16), platform);
      stack.lora_traffic = 0;
      return with - seconds(tuned(model, Training::lora, 16), platform);
    };
    const double once = of_adapters(1);
    CHECK(once > 0);
    CHECK_THAT(of_adapters(4), WithinRel(once, 1e-6));
  }
}

// Unsloth on one H100, two packed samples of 2,048 tokens: 8,900 tokens/s with 16-bit weights,
// 8,200 with NF4 (invergent-ai/surogate, docs/reference/benchmarks.md).
TEST_CASE("4-bit weights cost fused kernels a tenth, others more", "[adapters]") {
  Platform platform = planning::platform("h100-sxm", "hf-trainer");
  const auto slowdown = [&](Kernels kernels) {
    platform.kernels = kernels;
    Layout layout;
    layout.micro_batch = 2;
    layout.global_batch = 8;
    layout.recompute = Recompute::full;
    Workload workload = tuned("qwen3-8b", Training::lora, 16);
    workload.seq_length = workload.attention_length = 2048;
    const double lora = StepModel(workload, platform).step(layout).seconds;
    workload.language_training = Training::qlora;
    return StepModel(workload, platform).step(layout).seconds / lora;
  };
  CHECK_THAT(slowdown(Kernels::fused), WithinRel(8900.0 / 8200, 0.08));
  CHECK(slowdown(Kernels::plain) > slowdown(Kernels::fused));
}
