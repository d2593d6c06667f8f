// SPDX-License-Identifier: Apache-2.0
// The host that issues kernels, and the generation of fused attention.
#include <algorithm>
#include <array>
#include <string>

#include "catalog/software/stacks.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "performance/training/kernels.h"
#include "performance/training/step_model.h"

using namespace trcost;
using Catch::Matchers::WithinRel;

namespace {

struct RunIssue {
  Stack stack;
  Workload workload;
  Platform platform;
  Layout layout;

  RunIssue(const std::string& accelerator, const std::string& software, const std::string& model)
      : stack(test_catalog().stack(software)) {
    workload.language = test_catalog().model(model).language;
    workload.seq_length = workload.attention_length = 2048;
    platform.accelerator = &test_catalog().accelerator(accelerator);
    platform.system = &test_catalog().system(platform.accelerator->system);
    platform.efficiency = &test_catalog().efficiency(*platform.accelerator);
    platform.stack = &stack;
  }

  [[nodiscard]] double seconds() const {
    return StepModel(workload, platform).step(layout).seconds;
  }
  [[nodiscard]] double attention(Attention kernels) {
    workload.attention = kernels;
    return seconds();
  }
};

}  // namespace

// 135M parameters at 110,000 tokens/s on each H100 (huggingface/smollm; two independent
// statements): 16,384 tokens a micro-batch then take 150 ms, far more than their kernels.
TEST_CASE("a small model is as slow as its host", "[step][host]") {
  RunIssue run("h100-sxm", "fsdp", "smollm2-135m");
  run.layout.micro_batch = run.layout.global_batch = 8;
  const double issued = 16384 / run.seconds();
  run.stack.block_seconds = run.stack.micro_batch_seconds = 0;
  const double free = 16384 / run.seconds();
  CHECK_THAT(issued, WithinRel(110e3, 0.35));
  CHECK(free > 1.5 * issued);
}

TEST_CASE("no micro-batch passes its blocks faster than the host issues them", "[step][host]") {
  for (const char* software : {"fsdp", "hf-trainer", "typical", "megatron"}) {
    for (const double micro : {1.0, 8.0}) {
      for (const Recompute recompute : {Recompute::none, Recompute::full}) {
        RunIssue run("h100-sxm", software, "smollm2-135m");
        run.layout.micro_batch = micro;
        run.layout.global_batch = 4 * micro;
        run.layout.recompute = recompute;
        const double passes = recompute == Recompute::full ? 4 : 3;
        INFO(software << ", micro-batch " << micro);
        CHECK(run.seconds() >= 4 * passes * run.workload.language.layers * run.stack.block_seconds);
      }
    }
  }
}

TEST_CASE("a larger micro-batch never takes longer per token", "[step][host][property]") {
  for (const std::string& software : test_catalog().names(CatalogKind::stacks)) {
    for (const char* model : {"smollm2-135m", "llama-3.1-8b", "qwen3-30b-a3b"}) {
      double before = 1e300;
      for (const double micro : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        RunIssue run("h100-sxm", software, model);
        run.layout.dp = 8;
        run.layout.sharding = Sharding::parameters;
        run.layout.micro_batch = micro;
        run.layout.global_batch = 8 * 16;
        INFO(software << ", " << model << ", micro-batch " << micro);
        CHECK(run.seconds() <= before * (1 + 1e-9));
        before = run.seconds();
      }
    }
  }
}

TEST_CASE("a showcase's host issues no more than a usual run's", "[step][host]") {
  for (const std::string& software : test_catalog().names(CatalogKind::stacks)) {
    RunIssue run("h100-sxm", software, "qwen3-30b-a3b");
    run.layout.dp = run.layout.ep = 8;
    run.layout.global_batch = 64;
    set_tuning(run.platform, Tuning::showcase);
    CHECK(run.platform.issued <= 1);
    const double shown = run.seconds();
    run.platform.issued = 0;
    INFO(software);
    CHECK(run.seconds() <= shown);
    // Software that CUDA graphs or a compiler issue has nothing to wait for.
    if (run.stack.block_seconds == 0) CHECK_THAT(run.seconds(), WithinRel(shown, 0.02));
  }
}

// FlashAttention-2 (arXiv:2307.08691, figure 4): 189 TFLOP/s after 110 on A100, causal, 128 wide.
// FlashAttention-3 (arXiv:2407.08608, section 4): 1.5 to 2 times forward, 1.5 to 1.75 backward of
// version 2 on H100.
TEST_CASE("attention is as fast as its generation", "[step][attention]") {
  const auto both = [](const DeviceCosts& device) {  // a backward pass has 2.5 times the products
    return device.seconds_per_flop.flash_forward + 2.5 * device.seconds_per_flop.flash_backward;
  };
  for (const char* chip : {"a100-sxm-80gb", "h100-sxm"}) {
    RunIssue run(chip, "typical", "llama-3.1-8b");
    const auto seconds = [&](Attention kernels) {
      return both(prepare_device_costs(run.platform, kernels));
    };
    INFO(chip);
    CHECK_THAT(seconds(Attention::flash1) / seconds(Attention::flash2),
               WithinRel(189.0 / 110, 0.05));
    const double gain = seconds(Attention::flash2) / seconds(Attention::fastest);
    if (chip == std::string("h100-sxm")) {
      CHECK(gain > 1.4);
      CHECK(gain < 2);
    } else {
      CHECK(gain == 1);
    }
    run.workload.seq_length = run.workload.attention_length = 32768;
    CHECK(run.attention(Attention::flash1) > run.attention(Attention::flash2));
    CHECK(run.attention(Attention::flash2) >= run.attention(Attention::fastest));
  }
}

TEST_CASE("fused attention is what the software runs on the chip", "[step][attention]") {
  for (const std::string& software : test_catalog().names(CatalogKind::stacks)) {
    for (const char* chip : {"a100-sxm-80gb", "h100-sxm", "b200"}) {
      RunIssue run(chip, software, "llama-3.1-8b");
      run.workload.seq_length = run.workload.attention_length = 32768;
      const Attention own = run.stack.attention_kernels.on(run.platform.accelerator->architecture);
      INFO(software << " on " << chip);
      CHECK(run.attention(Attention::flash) == run.attention(own));
    }
  }
  // Transformer Engine runs cuDNN's on Hopper; PyTorch's is FlashAttention 2.
  CHECK(test_catalog().stack("megatron").attention_kernels.on("hopper") == Attention::fastest);
  CHECK(test_catalog().stack("fsdp").attention_kernels.on("hopper") == Attention::flash2);
}
