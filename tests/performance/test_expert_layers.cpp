// SPDX-License-Identifier: Apache-2.0
// Time of a layer of experts without its matmuls.
#include <cstddef>

#include "catalog/software/stacks.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "performance/training/step_model.h"

using namespace trcost;
using Catch::Matchers::WithinRel;

namespace {

struct ExpertStep {
  Stack stack = test_catalog().stack("megatron");
  Workload workload;
  Platform platform;
  Layout layout;

  ExpertStep() {
    stack.block_seconds = stack.collective_dispatch_seconds = stack.straggler = 0;
    stack.step_seconds = 0;
    workload.language = test_catalog().model("qwen3-235b-a22b").language;
    workload.seq_length = workload.attention_length = 4096;
    platform.accelerator = &test_catalog().accelerator("h100-sxm");
    platform.system = &test_catalog().system(platform.accelerator->system);
    platform.efficiency = &test_catalog().efficiency(*platform.accelerator);
    platform.stack = &stack;
    layout.dp = layout.ep = 32;
    layout.global_batch = 256;
    layout.sharding = Sharding::optimizer;
  }

  [[nodiscard]] StepTime step() const { return StepModel(workload, platform).step(layout); }
};

double all_to_all(const StepTime& time) {
  return time.terms[static_cast<std::size_t>(StepTerm::expert_parallel)];
}

}  // namespace

// However small its work, a layer with experts is not done before the host has issued its kernels:
// once forward and twice backward, whatever the tokens. A device that takes longer hides it.
TEST_CASE("issuing the kernels of experts is a floor under every micro-batch", "[step]") {
  for (const double micro : {1.0, 2.0, 4.0}) {
    ExpertStep run;
    run.layout.micro_batch = micro;
    const double micro_batches = run.layout.global_batch / (run.layout.dp * micro);
    const double layers = run.workload.language.layers;
    run.stack.expert_block_seconds = 0;
    const double free = run.step().seconds;
    run.stack.expert_block_seconds = 1;  // far above any device's time
    CHECK_THAT(run.step().seconds, WithinRel(3 * layers * micro_batches, 0.02));
    run.stack.expert_block_seconds = 1e-6;
    CHECK_THAT(run.step().seconds, WithinRel(free, 1e-6));
  }
}

TEST_CASE(
    "an all-to-all that is said to run behind a micro-batch shows what compute does not cover",
    "[step]") {
  ExpertStep run;
  run.platform.overlap = {};
  const StepTime open = run.step();
  run.platform.overlap.expert_network = 1;
  const StepTime hidden = run.step();
  CHECK(all_to_all(open) > 0);
  CHECK(all_to_all(hidden) < 0.2 * all_to_all(open));
  // Within a domain it is another matter: the stack's own share.
  run.layout.ep = 8;
  const double near = all_to_all(run.step());
  run.platform.overlap = {};
  CHECK_THAT(near, WithinRel(all_to_all(run.step()), 1e-12));
}
