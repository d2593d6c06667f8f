// SPDX-License-Identifier: Apache-2.0
// Parameters sharded within a domain of the network, replicated across domains.
#include "catch.h"
#include "performance/memory/memory_model.h"
#include "planner/scenarios.h"

using namespace trcost;

namespace {

Workload dense(const char* model = "llama-2-7b") {
  Workload workload;
  workload.language = test_catalog().model(model).language;
  workload.seq_length = workload.attention_length = 4096;
  return workload;
}

Layout layout_of(int dp, Sharding sharding) {
  Layout layout;
  layout.dp = dp;
  layout.global_batch = dp;
  layout.sharding = sharding;
  return layout;
}

}  // namespace

TEST_CASE("the group that shares parameters is the largest that a domain holds", "[hybrid]") {
  CHECK(hybrid_shards(128, 1, 8) == 8);
  CHECK(hybrid_shards(12, 1, 8) == 6);
  CHECK(hybrid_shards(5, 1, 8) == 5);
  CHECK(hybrid_shards(16, 2, 8) == 4);
  CHECK(hybrid_shards(16, 8, 8) == 1);
  CHECK(hybrid_shards(16, 16, 8) == 1);
  CHECK(hybrid_shards(256, 1, 64) == 64);
}

TEST_CASE("within one domain hybrid sharding is full sharding", "[hybrid]") {
  const StepModel model(dense(), planning::platform("h100-sxm", "fsdp"));
  const Layout whole = layout_of(8, Sharding::parameters), hybrid = layout_of(8, Sharding::hybrid);
  CHECK(model.step(hybrid).seconds == model.step(whole).seconds);
  CHECK(model.memory(hybrid).total == model.memory(whole).total);
}

// 18 bytes per parameter and rank over 8 ranks, whatever the cluster.
TEST_CASE("across domains hybrid sharding keeps a domain's memory", "[hybrid][memory]") {
  const StepModel model(dense(), planning::platform("h100-sxm", "fsdp"));
  const MemoryUse node = model.memory(layout_of(8, Sharding::parameters));
  const MemoryUse many = model.memory(layout_of(1024, Sharding::hybrid));
  CHECK_THAT(many.weights, WithinRel(node.weights, 1e-12));
  CHECK_THAT(many.gradients, WithinRel(node.gradients, 1e-12));
  CHECK_THAT(many.optimizer, WithinRel(node.optimizer, 1e-12));
  CHECK(model.memory(layout_of(1024, Sharding::parameters)).total < many.total);
}

TEST_CASE("a slow network prefers hybrid sharding, several micro-batches more so", "[hybrid]") {
  Platform platform = planning::platform("h100-sxm", "fsdp");
  System slow = *platform.system;
  slow.tiers.back().bandwidth /= 16;
  platform.system = &slow;
  const StepModel model(dense(), platform);
  const auto gain = [&](double micro_batches) {
    Layout whole = layout_of(128, Sharding::parameters), hybrid = layout_of(128, Sharding::hybrid);
    whole.global_batch = hybrid.global_batch = 128 * micro_batches;
    return model.step(whole).seconds / model.step(hybrid).seconds;
  };
  CHECK(gain(1) > 1.2);
  CHECK(gain(8) > gain(1));
}

TEST_CASE("gradients still cross the network under hybrid sharding", "[hybrid]") {
  Platform platform = planning::platform("h100-sxm", "fsdp");
  System slow = *platform.system;
  platform.system = &slow;
  const auto exchange = [&](double factor) {
    slow.tiers.back().bandwidth =
        planning::platform("h100-sxm", "fsdp").system->tiers.back().bandwidth;
    slow.tiers.back().bandwidth /= factor;
    return StepModel(dense(), platform).step(layout_of(128, Sharding::hybrid)).seconds;
  };
  CHECK(exchange(64) > 1.1 * exchange(1));
}

TEST_CASE("a planner chooses hybrid sharding only when asked", "[hybrid][planner]") {
  const planning::TrainingCase s{"llama2-7b", "h100-sxm", "fsdp", 64, 4096, 256};
  PlanRequest request = planning::request(s);
  CHECK(plan(planning::step_model(s), request).layout.sharding != Sharding::hybrid);
  request.sharding = Sharding::hybrid;
  CHECK(plan(planning::step_model(s), request).layout.sharding == Sharding::hybrid);
}
