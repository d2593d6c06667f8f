// SPDX-License-Identifier: Apache-2.0
// Properties of the step-time model that hold whatever the constants.
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>

#include "catalog/hardware/efficiency.h"
#include "catalog/hardware/hardware.h"
#include "catalog/software/stacks.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "performance/training/step_account.h"
#include "performance/training/step_model.h"

namespace {

using namespace trcost;

Workload dense_workload(double layers = 32) {
  Workload workload;
  LanguageModel& model = workload.language;
  model.layers = layers;
  model.hidden = 4096;
  model.heads = 32;
  model.kv_heads = 8;
  model.head_dim = 128;
  model.ffn = 14336;
  model.vocab = 128256;
  workload.seq_length = 8192;
  workload.attention_length = 8192;
  return workload;
}

Workload expert_workload() {
  Workload workload = dense_workload();
  MixtureOfExperts moe;
  moe.experts = 64;
  moe.experts_per_token = 8;
  moe.expert_ffn = 1536;
  workload.language.moe = moe;
  return workload;
}

Workload vision_workload() {
  Workload workload = dense_workload();
  Encoder encoder;
  encoder.layers = 24;
  encoder.hidden = 1024;
  encoder.heads = 16;
  encoder.ffn = 4096;
  encoder.patch = 14;
  workload.encoder = encoder;
  Connector connector;
  workload.connector = connector;
  workload.images_per_sequence = 8;
  workload.encoder_tokens_per_image = 577;
  workload.vision_tokens_per_image = 576;
  return workload;
}

/// A platform whose parts can be changed one at a time.
struct Bench {
  Accelerator chip;
  System system;
  Efficiency efficiency;
  Stack stack;
  Precision precision = Precision::bf16;

  explicit Bench(const char* accelerator = "h100-sxm", const char* software = "megatron")
      : chip(test_catalog().accelerator(accelerator)),
        system(test_catalog().system(chip.system)),
        efficiency(test_catalog().efficiency(chip)),
        stack(test_catalog().stack(software)) {}

  [[nodiscard]] StepModel model(const Workload& workload) const {
    return StepModel(workload, {&chip, &system, &efficiency, &stack, precision});
  }
  [[nodiscard]] StepTime step(const Workload& workload, const Layout& layout) const {
    return model(workload).step(layout);
  }
};

double sum_of(const StepTime& time, std::initializer_list<StepTerm> terms) {
  double sum = 0;
  for (const StepTerm term : terms) sum += time.terms[static_cast<std::size_t>(term)];
  return sum;
}

Layout step_layout(int tp, int pp, int vp, int cp, int ep, int dp, double micro_batch, double batch,
                   Sharding sharding = Sharding::optimizer, Recompute recompute = Recompute::none) {
  Layout layout;
  layout.tp = tp;
  layout.pp = pp;
  layout.vp = vp;
  layout.cp = cp;
  layout.ep = ep;
  layout.dp = dp;
  layout.micro_batch = micro_batch;
  layout.global_batch = batch;
  layout.sharding = sharding;
  layout.recompute = recompute;
  return layout;
}

std::vector<Layout> many_layouts() {
  return {step_layout(1, 1, 1, 1, 1, 8, 1, 128),
          step_layout(1, 1, 1, 1, 1, 64, 2, 256, Sharding::parameters, Recompute::full),
          step_layout(1, 1, 1, 1, 1, 64, 2, 256, Sharding::gradients),
          step_layout(1, 1, 1, 1, 1, 16, 1, 32, Sharding::none, Recompute::selective),
          step_layout(4, 4, 2, 1, 1, 8, 1, 256),
          step_layout(8, 2, 4, 2, 1, 4, 1, 64),
          step_layout(2, 8, 1, 4, 8, 16, 1, 512, Sharding::optimizer, Recompute::full)};
}

double sum_of_terms(const StepTime& time) {
  return std::accumulate(time.terms.begin(), time.terms.end(), 0.0);
}

double utilisation(const StepTime& time, const Layout& layout, const Accelerator& chip) {
  return time.model_flops / (time.seconds * layout.gpus() * *peak_flops(chip, Precision::bf16));
}

}  // namespace

TEST_CASE("the terms of a step add up and the MFU stays within (0, 1]") {
  for (const char* accelerator : {"a100-sxm-80gb", "h100-sxm", "gb200-nvl72", "rtx-4090"}) {
    for (const char* software : {"megatron", "fsdp", "hf-trainer", "maxtext", "typical"}) {
      const Bench bench(accelerator, software);
      for (const Workload& workload : {dense_workload(), expert_workload(), vision_workload()}) {
        for (const Layout& layout : many_layouts()) {
          const StepTime time = bench.step(workload, layout);
          REQUIRE(std::isfinite(time.seconds));
          CHECK_THAT(sum_of_terms(time), WithinRel(time.seconds, 1e-12));
          const double mfu = utilisation(time, layout, bench.chip);
          CHECK(mfu > 0);
          CHECK(mfu <= 1);
          CHECK(time.hardware_flops >= time.model_flops);
        }
      }
    }
  }
}

TEST_CASE("model FLOPs of a step are those of the workload floor") {
  const Bench bench;
  const Workload workload = vision_workload();
  const Layout layout = step_layout(2, 2, 1, 1, 1, 4, 1, 64);
  const double expected = training_flops(workload).total() * workload.seq_length * 64;
  CHECK_THAT(bench.step(workload, layout).model_flops, WithinRel(expected, 1e-12));
}

TEST_CASE("a faster link, chip or memory never slows a step down") {
  for (const Workload& workload : {dense_workload(), expert_workload(), vision_workload()}) {
    for (const Layout& layout : many_layouts()) {
      const Bench base;
      const double before = base.step(workload, layout).seconds;
      Bench chip = base;
      for (auto& peak : chip.chip.peak_flops) peak = peak ? std::optional(*peak * 1.3) : peak;
      CHECK(chip.step(workload, layout).seconds <= before);
      Bench memory = base;
      memory.chip.memory_bandwidth *= 1.3;
      CHECK(memory.step(workload, layout).seconds <= before);
      for (std::size_t tier = 0; tier < base.system.tiers.size(); ++tier) {
        Bench link = base;
        link.system.tiers[tier].bandwidth *= 1.3;
        link.system.tiers[tier].latency_seconds *= 0.9;
        CHECK(link.step(workload, layout).seconds <= before);
      }
    }
  }
}

TEST_CASE("no more exchange is hidden than there is work to hide it") {
  const Workload small = dense_workload(16), experts = expert_workload();
  for (const char* chip : {"rtx-4090", "h100-sxm"}) {
    for (const auto& [workload, layout] : {std::pair{&small, step_layout(8, 1, 1, 1, 1, 8, 1, 64)},
                                           {&small, step_layout(32, 1, 1, 1, 1, 2, 1, 64)},
                                           {&experts, step_layout(1, 1, 1, 1, 64, 64, 1, 64)},
                                           {&experts, step_layout(8, 1, 1, 1, 64, 8, 1, 64)}}) {
      Bench hiding(chip);
      hiding.stack.straggler = 0;
      hiding.stack.tensor_overlap = hiding.stack.expert_overlap = 1;
      Bench open = hiding;
      open.stack.tensor_overlap = open.stack.expert_overlap = 0;
      const StepTime hidden = hiding.step(*workload, layout), all = open.step(*workload, layout);
      const double kernels = sum_of(all, {StepTerm::matmul_peak, StepTerm::kernel,
                                          StepTerm::attention, StepTerm::elementwise});
      CHECK(all.seconds - hidden.seconds <= kernels * (1 + 1e-9));
    }
  }
}

TEST_CASE("waiting for the host is a term of its own, apart from element-wise work", "[step]") {
  const Workload workload = dense_workload();
  for (const Layout& layout : many_layouts()) {
    Bench prompt;
    prompt.stack.block_seconds = prompt.stack.micro_batch_seconds = 0;
    prompt.stack.collective_dispatch_seconds = 0;
    Bench slow = prompt;
    slow.stack.block_seconds = 0.02;
    const StepTime without = prompt.step(workload, layout);
    const StepTime with = slow.step(workload, layout);
    const StepAccount account = slow.model(workload).account(layout);
    CHECK(sum_of(without, {StepTerm::host}) < 1e-9 * without.seconds);
    CHECK_THAT(sum_of(with, {StepTerm::host}),
               WithinRel(layout.micro_batches() / layout.pp * account.step.work.waiting(), 1e-12));
    CHECK(sum_of(with, {StepTerm::elementwise}) == sum_of(without, {StepTerm::elementwise}));
    CHECK_THAT(sum_of_terms(with), WithinRel(with.seconds, 1e-12));
  }
}

TEST_CASE("doubling the layers at fixed width doubles the layers' time") {
  Bench bench;
  bench.stack.micro_batch_seconds = 0;
  bench.stack.block_seconds = 0;
  bench.stack.collective_dispatch_seconds = 0;
  const Layout layout = step_layout(2, 1, 1, 1, 1, 1, 1, 4);
  // The head's time is what remains between twice one depth and the double depth.
  const double once = bench.step(dense_workload(16), layout).seconds;
  const double twice = bench.step(dense_workload(32), layout).seconds;
  const double four = bench.step(dense_workload(64), layout).seconds;
  CHECK_THAT(four - twice, WithinRel(2 * (twice - once), 1e-9));
}

TEST_CASE("more GPUs at a fixed batch never beat the bound without communication") {
  const Workload workload = dense_workload();
  Bench bench;
  Bench free = bench;
  for (NetworkTier& tier : free.system.tiers) {
    tier.bandwidth = 1e18;
    tier.latency_seconds = 1e-15;
  }
  free.stack.straggler = 0;
  for (int dp = 8; dp <= 512; dp *= 2) {
    const Layout layout = step_layout(1, 1, 1, 1, 1, dp, 1, 512);
    const double with = bench.step(workload, layout).seconds;
    const double without = free.step(workload, layout).seconds;
    CHECK(without <= with);
    const Layout one = step_layout(1, 1, 1, 1, 1, 8, 1, 512);
    CHECK(512.0 / (with * dp) <= 512.0 / (free.step(workload, one).seconds * 8) * (1 + 1e-9));
  }
}

TEST_CASE("recomputation costs time and hardware FLOPs in order") {
  const Bench bench;
  const Workload workload = dense_workload();
  Layout layout = step_layout(1, 1, 1, 1, 1, 8, 1, 128);
  const StepTime none = bench.step(workload, layout);
  layout.recompute_layers = 16;  // of 32
  const StepTime half = bench.step(workload, layout);
  layout.recompute_layers = 0;
  layout.recompute = Recompute::full;
  const StepTime full = bench.step(workload, layout);
  CHECK(none.seconds < half.seconds);
  CHECK(half.seconds < full.seconds);
  CHECK(none.hardware_flops == none.model_flops);
  // Full recomputation repeats the layers' forward pass: a third of their FLOPs.
  const ForwardFlops forward = forward_flops(workload);
  const double repeated =
      (forward.layers_gemm + forward.attention_core) * workload.seq_length * layout.global_batch;
  CHECK_THAT(full.hardware_flops - full.model_flops, WithinRel(repeated, 1e-12));
}

TEST_CASE("frozen parts cost less than trained ones") {
  const Bench bench;
  const Layout layout = step_layout(1, 1, 1, 1, 1, 8, 1, 64);
  Workload workload = vision_workload();
  const double full = bench.step(workload, layout).seconds;
  workload.encoder_training = Training::frozen;
  const double frozen_encoder = bench.step(workload, layout).seconds;
  workload.language_training = Training::lora;
  const double lora = bench.step(workload, layout).seconds;
  workload.cached_features = true;
  const double cached = bench.step(workload, layout).seconds;
  CHECK(frozen_encoder < full);
  CHECK(lora < frozen_encoder);
  CHECK(cached < lora);
}

TEST_CASE("a connector takes the passes that its recipe has") {
  const Bench bench;
  const Layout layout = step_layout(1, 1, 1, 1, 1, 8, 1, 8);
  Workload workload = vision_workload();
  const auto connector = [&] { return bench.model(workload).account(layout).step.work.connector; };
  const double learns = connector();
  REQUIRE(learns > 0);
  workload.connector_training = Training::frozen;  // passes gradients on to the encoder
  CHECK_THAT(connector(), WithinRel(learns * 2 / 3, 1e-9));
  workload.encoder_training = Training::frozen;
  CHECK_THAT(connector(), WithinRel(learns / 3, 1e-9));
}

TEST_CASE("an update hands out what it changed") {
  const Bench bench;
  Workload workload = dense_workload();
  const auto handed_out = [&](Sharding sharding) {
    const StepAccount account =
        bench.model(workload).account(step_layout(1, 1, 1, 1, 1, 64, 1, 256, sharding));
    for (const ExchangeAccount& each : account.exchanges) {
      if (each.name == "weights, gathered") return each.bytes;
    }
    return 0.0;
  };
  const double all = handed_out(Sharding::optimizer);
  CHECK_THAT(all, WithinRel(2 * count_parameters(workload.language).total, 1e-9));
  workload.language_training = Training::lora;
  for (const Sharding sharding : {Sharding::optimizer, Sharding::gradients}) {
    CHECK(handed_out(sharding) > 0);
    CHECK_THAT(handed_out(sharding), WithinRel(2 * count_trainable(workload).total, 1e-9));
  }
}

TEST_CASE("one NVLink domain of 72 exposes less exchange than nodes of 8") {
  const Workload workload = expert_workload();
  const Layout layout = step_layout(1, 1, 1, 1, 64, 64, 1, 512);
  const auto exchanged = [&](const char* chip) {
    const StepTime time = Bench(chip).step(workload, layout);
    return time.terms[static_cast<std::size_t>(StepTerm::expert_parallel)];
  };
  CHECK(exchanged("gb200-nvl72") < 0.5 * exchanged("b200"));
}

TEST_CASE("an image cut into tiles takes the time of as many images of a tile each") {
  const Bench bench("h100-sxm", "hf-trainer");
  Workload tiles = vision_workload();
  tiles.images_per_sequence = 1;
  tiles.encoder_tokens_per_image = 9 * 577;
  tiles.encoder_attention_tokens = 577;
  tiles.vision_tokens_per_image = 9 * 576;
  Workload images = vision_workload();
  images.images_per_sequence = 9;
  images.encoder_attention_tokens = 577;
  const Layout layout = step_layout(1, 1, 1, 1, 1, 8, 1, 128);
  CHECK_THAT(bench.step(tiles, layout).seconds,
             WithinRel(bench.step(images, layout).seconds, 1e-9));
  // Without the cut every token attends to nine times as many.
  tiles.encoder_attention_tokens = 0;
  tiles.encoder->tokens_per_image = 9 * 577;
  CHECK(bench.step(tiles, layout).seconds > 1.01 * bench.step(images, layout).seconds);
}

TEST_CASE("a chip of the same kind with more of everything is not slower") {
  const Layout layout = step_layout(1, 1, 1, 1, 1, 8, 1, 128);
  const auto rate = [&](const char* chip) {
    return 1 / Bench(chip).step(dense_workload(), layout).seconds;
  };
  CHECK(rate("b300") >= rate("b200"));
  CHECK(rate("h200") >= rate("h100-sxm"));
  CHECK(rate("h100-sxm") >= rate("h800"));
  CHECK(rate("h800") > 0.95 * rate("h100-sxm"));  // one node: only the links differ
  CHECK(rate("h100-sxm") > rate("h100-sxm-96gb"));
}

TEST_CASE("tokens limited to some nodes cross the network less") {
  const Bench bench;
  Workload workload = expert_workload();
  const Layout layout = step_layout(1, 1, 1, 1, 64, 64, 1, 256);
  const double free = bench.step(workload, layout).seconds;
  workload.language.moe->expert_groups = 8;
  workload.language.moe->groups_per_token = 4;
  CHECK(bench.step(workload, layout).seconds < free);
}

TEST_CASE("adapters on experts take time") {
  const Bench bench;
  Workload workload = expert_workload();
  workload.language_training = Training::lora;
  const Layout layout = step_layout(1, 1, 1, 1, 8, 8, 1, 64);
  workload.lora_rank = 8;
  const double small = bench.step(workload, layout).seconds;
  workload.lora_rank = 256;
  CHECK(bench.step(workload, layout).seconds > 1.02 * small);
}

TEST_CASE("a causal ring that is not balanced costs attention time") {
  Bench bench("h100-sxm", "fsdp-compiled");
  const Layout ring = step_layout(1, 1, 1, 4, 1, 2, 1, 16, Sharding::parameters, Recompute::full);
  Workload workload = dense_workload();
  workload.seq_length = workload.attention_length = 131072;
  bench.stack.context_imbalance = 0;
  const double even = bench.step(workload, ring).seconds;
  bench.stack.context_imbalance = 1;
  CHECK(bench.step(workload, ring).seconds > 1.1 * even);
}

TEST_CASE("padding is what the useful share of the tokens leaves") {
  const Bench bench;
  const Layout layout = step_layout(1, 1, 1, 1, 1, 8, 1, 128);
  Workload workload = vision_workload();
  workload.imbalance = 1.1;
  const StepTime packed = bench.step(workload, layout);
  workload.padding_efficiency = 0.8;
  const StepTime grouped = bench.step(workload, layout);
  const auto term = [](const StepTime& time, StepTerm name) {
    return time.terms[static_cast<std::size_t>(name)];
  };
  CHECK(term(packed, StepTerm::padding) == 0);
  CHECK_THAT(term(grouped, StepTerm::padding), WithinRel(0.2 * grouped.seconds, 1e-9));
  CHECK_THAT(term(grouped, StepTerm::imbalance),
             WithinRel(term(packed, StepTerm::imbalance), 1e-9));
}
