// SPDX-License-Identifier: Apache-2.0
// Parts of a step add up to its time, recomputed here by the formula of --explain.
#include "catalog/hardware/efficiency.h"
#include "catalog/runs/runs.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "performance/training/step_account.h"
#include "study/validate/validate.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

// By hand, from the numbers alone.
double by_hand(const StepAccount& a) {
  double replica = 0, each = 0, once = 0;
  for (const KernelAccount& k : a.kernels) {
    replica += k.layers * (k.forward + k.input_gradients + k.weight_gradients);
  }
  for (const ExchangeAccount& e : a.exchanges) {
    const double shown = e.times * e.each - e.hidden + e.crowding;
    if (e.per == "micro-batch") replica += shown;
    if (e.per == "micro-batch of a rank") each += shown;
    if (e.per == "step") once += shown;
  }
  replica += a.step.work.repeated() + a.step.work.waiting() + a.step.work.connector;
  const double bubble =
      (a.stages - 1) / a.virtual_stages * (a.step.stages.mean + a.step.transfer.seconds() + each) +
      a.micro_batches * a.stage_imbalance * (a.step.stages.slowest - a.step.stages.mean);
  const double step = a.micro_batches * (replica / a.stages + a.step.transfer.seconds() + each) +
                      bubble + once + a.update_bytes / a.memory_rate +
                      a.update_flops / a.connector_rate + a.step_seconds;
  return (1 + a.step.imbalance) * a.slowdown / a.padding_efficiency * step;
}

}  // namespace

TEST_CASE("every published row's step is the sum of its parts", "[step]") {
  int rows = 0, pipelined = 0, experts = 0;
  for (const ThroughputRow& row : test_catalog().runs().throughput) {
    if (row.layout_known && ++rows % 7 != 0) continue;
    try {
      const Workload workload = row_workload(test_catalog(), row);
      const StepModel model(workload, row_platform(test_catalog(), row));
      const Plan chosen = plan(model, row_request(row, workload));
      const StepAccount account = model.account(chosen.layout);
      INFO(row.id);
      CHECK(account.step.time.seconds == chosen.time.seconds);
      CHECK_THAT(by_hand(account), Catch::Matchers::WithinRel(chosen.time.seconds, 1e-9));
      CHECK_THAT(added_up(account), Catch::Matchers::WithinRel(chosen.time.seconds, 1e-9));
      if (chosen.layout.pp > 1) ++pipelined;
      if (chosen.layout.ep > 1) ++experts;
    } catch (const Error&) {
      continue;
    }
  }
  CHECK(pipelined > 5);
  CHECK(experts > 3);
}

// Second sources for single numbers of the list: the specification of the chip, and the matrices of
// the model.
TEST_CASE("kernels and tiers are those of the model and the system", "[step]") {
  Workload workload;
  workload.language = test_catalog().model("llama-3.1-8b").language;
  workload.seq_length = workload.attention_length = 8192;
  Platform platform;
  platform.accelerator = &test_catalog().accelerator("h100-sxm");
  platform.system = &test_catalog().system(platform.accelerator->system);
  platform.efficiency = &test_catalog().efficiency(*platform.accelerator);
  platform.stack = &test_catalog().stack("megatron");
  const StepModel model(workload, platform);
  Layout layout;
  layout.tp = 2;
  layout.pp = 2;
  layout.dp = 16;
  layout.global_batch = 128;
  layout.sharding = Sharding::optimizer;
  const StepAccount account = model.account(layout);
  double forward = 0;  // FLOP of the matmuls of one rank of the two that share a layer
  for (const KernelAccount& kernel : account.kernels) {
    if (kernel.kind == KernelKind::matmul) forward += kernel.layers * kernel.flops;
  }
  // 8.03B parameters less the input embedding of 128,256 x 4,096: two FLOP each and token.
  const double matrices = 8030261248.0 - 128256.0 * 4096;
  CHECK_THAT(forward, Catch::Matchers::WithinRel(2 * matrices * 8192 / 2, 1e-4));
  CHECK(account.peak_flops == 989.4e12);
  REQUIRE_FALSE(account.tiers.empty());
  CHECK(account.tiers[0].bytes_per_second == 450e9);
  // Each rank of two sends half of a gather of two bytes a token and channel over NVLink, none
  // beyond.
  const ExchangeAccount& gather = account.exchanges.front();
  CHECK(gather.bytes == 2.0 * 8192 * 4096);
  CHECK(gather.tier_bytes[0] == 8192.0 * 4096);
  CHECK(gather.tier_bytes[1] == 0);
  CHECK(account.bubble_stages == 1);
}
