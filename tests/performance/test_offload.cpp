// SPDX-License-Identifier: Apache-2.0
// Offloading to the host's memory: published capacities, the arithmetic of the exchange,
// properties.
#include <cmath>

#include "catch.h"
#include "performance/memory/memory_model.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Estimate answer(const Scenario& scenario) {
  static const Catalog catalog;
  return estimate(scenario, catalog).front();
}

// ZeRO-Offload's models: GPT-2's vocabulary, sequences of 1,024, mixed precision in 16 bits.
Scenario on_one_v100(double parameters, const char* offload) {
  Scenario s;
  s.set_number(Field::model_params, parameters);
  s.set_number(Field::model_vocab, 50257);
  s.set_number(Field::data_seq_length, 1024);
  s.set_number(Field::data_tokens, 1e8);
  s.set_text(Field::hardware_accelerator, "v100-sxm-32gb");
  s.set_number(Field::hardware_gpus, 1);
  s.set_text(Field::train_precision, "fp16");
  s.set_text(Field::train_offload, offload);
  return s;
}

Scenario eight_h100(const char* offload) {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.1-8b");
  s.set_number(Field::data_tokens, 1e9);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 8);
  s.set_text(Field::train_offload, offload);
  return s;
}

}  // namespace

TEST_CASE("the largest models of one V100 are those of ZeRO-Offload", "[offload][published]") {
  // arXiv:2101.06840, abstract: 1.4e9 parameters without, over 13e9 with the optimizer on the host.
  CHECK(answer(on_one_v100(1.4e9, "none")).memory.fits);
  CHECK_THROWS_AS(answer(on_one_v100(2.5e9, "none")), Error);
  CHECK(answer(on_one_v100(13e9, "optimizer")).memory.fits);
  CHECK_THROWS_AS(answer(on_one_v100(16e9, "optimizer")), Error);
}

TEST_CASE("10e9 parameters on one V100 train as fast as published", "[offload][published]") {
  // arXiv:2101.06840, abstract: 40 TFLOP/s, software of 2021, a batch of 512.
  Scenario s = on_one_v100(10e9, "optimizer");
  s.set_number(Field::train_global_batch, 512);
  s.set_text(Field::train_attention, "standard");
  s.set_text(Field::efficiency_stack, "hf-trainer");
  const double reached = answer(s).performance.mfu * 125e12;
  CHECK(reached > 40e12 / 1.4);
  CHECK(reached < 40e12 * 1.4);
}

TEST_CASE("the host holds what DeepSpeed says", "[offload]") {
  const Estimate here = answer(eight_h100("none"));
  const Estimate there = answer(eight_h100("optimizer"));
  CHECK(here.memory.host == 0);
  CHECK(there.memory.optimizer == 0);
  // 16 bytes a parameter and half as many for buffers (DeepSpeed,
  // estimate_zero2_model_states_mem_needs).
  CHECK(there.memory.host * 8 == Approx(1.5 * 16 * there.model.params_total).epsilon(0.01));
}

TEST_CASE("a host's update takes its parameters over its rate", "[offload]") {
  // 10e9 in 2.57 s on one host (arXiv:2101.06840, table 4), while nothing else runs.
  Scenario s = eight_h100("optimizer");
  s.set_text(Field::efficiency_stack, "megatron");
  const Estimate e = answer(s);
  const double seconds = e.model.params_total / 1e10 * 2.57;
  s.set_number(Field::hardware_host_bandwidth, 1e13);  // copies take no time
  const Estimate quick = answer(s);
  Scenario without = eight_h100("none");
  without.set_text(Field::efficiency_stack, "megatron");
  const Estimate none = answer(without);
  CHECK(quick.performance.step_seconds > none.performance.step_seconds + 0.9 * seconds);
  CHECK(e.performance.step_seconds >= quick.performance.step_seconds);
}

TEST_CASE("a faster way to the host never takes longer", "[offload][property]") {
  for (const char* offload : {"optimizer", "activations", "all"}) {
    double before = INFINITY;
    for (const double rate : {1e9, 4e9, 16e9, 64e9, 256e9}) {
      Scenario s = eight_h100(offload);
      s.set_number(Field::hardware_host_bandwidth, rate);
      const double seconds = answer(s).wall_clock_seconds;
      CHECK(seconds <= before * (1 + 1e-9));
      before = seconds;
    }
  }
}

TEST_CASE("activations on the host let longer sequences in", "[offload]") {
  Scenario s = eight_h100("none");
  s.set_number(Field::data_seq_length, 262144);
  s.set_number(Field::layout_cp, 1);
  s.set_number(Field::layout_tp, 1);
  CHECK_THROWS_AS(answer(s), Error);
  s.set_text(Field::train_offload, "activations");
  s.set_text(Field::train_loss, "chunked");
  CHECK(answer(s).memory.fits);
}

TEST_CASE("bytes of a logit by kind of loss", "[offload][memory]") {
  CHECK(bytes_per_logit(Loss::eager, 128256, 4096) == 14);  // model.md 4.4
  CHECK(bytes_per_logit(Loss::fused, 128256, 4096) == 6);
  CHECK(bytes_per_logit(Loss::chunked, 128256, 4096) == Approx(14.0 / 32));  // ceil(31.3) parts
}

// Two layers of 80 stay on the device: 17 GB of a 4-bit base of 70e9 parameters over two ranks.
TEST_CASE("offloaded weights leave two layers on the device", "[offload]") {
  const auto use = [](const char* offload, double share) {
    Scenario s;
    s.set_text(Field::model_name, "llama-3.1-70b");
    s.set_text(Field::train_recipe, "qlora");
    s.set_number(Field::data_samples, 1e4);
    s.set_text(Field::hardware_accelerator, "h100-sxm");
    s.set_number(Field::hardware_gpus, 2);
    s.set_text(Field::efficiency_stack, "fsdp");
    s.set_text(Field::layout_sharding, "parameters");
    s.set_number(Field::train_micro_batch, 1);
    s.set_text(Field::layout_recompute, "full");
    s.set_text(Field::train_offload, offload);
    s.set_number(Field::train_offload_share, share);
    return answer(s);
  };
  const Estimate kept = use("optimizer", 1), moved = use("parameters", 1),
                 half = use("parameters", 0.5);
  CHECK(moved.memory.weights < 0.03 * kept.memory.weights);
  CHECK(moved.memory.weights > 0.02 * kept.memory.weights);
  const double lost = 1.5 * (kept.memory.weights - moved.memory.weights);  // with buffers
  CHECK(std::abs(moved.memory.host - kept.memory.host - lost) < 1e-6 * lost);
  CHECK(std::abs(half.memory.weights - (kept.memory.weights + moved.memory.weights) / 2) <
        1e-6 * kept.memory.weights);
  CHECK(moved.gpu_hours >= kept.gpu_hours);
}

TEST_CASE("a smaller offloaded share needs more memory and less time", "[offload]") {
  double memory = 0, hours = 1e300;
  for (const double share : {1.0, 0.75, 0.5, 0.25}) {
    Scenario s = eight_h100("all");
    s.set_number(Field::train_offload_share, share);
    s.set_number(Field::train_micro_batch, 1);
    s.set_text(Field::layout_recompute, "none");
    s.set_text(Field::layout_sharding, "parameters");
    const Estimate e = answer(s);
    INFO(share);
    CHECK(e.memory.total > memory);
    CHECK(e.gpu_hours <= hours);
    memory = e.memory.total;
    hours = e.gpu_hours;
  }
}
