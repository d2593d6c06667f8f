// SPDX-License-Identifier: Apache-2.0
// Features that the stack lacks are not searched. If requested they are computed, with a note.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "catalog/layout/layout.h"
#include "catch.h"
#include "planner/scenarios.h"
#include "planner/space.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/report.h"

using namespace trcost;
using planning::request;
using planning::step_model;

namespace {

Scenario asked(const char* stack) {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.1-8b");
  s.set_number(Field::data_tokens, 1e12);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 16);
  s.set_text(Field::efficiency_stack, stack);
  return s;
}

bool any_has(const std::vector<std::string>& texts, std::string_view words) {
  return std::ranges::any_of(
      texts, [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a search has degree one where the stack can do no other", "[dimensions][abilities]") {
  for (const std::string& name : test_catalog().names(CatalogKind::stacks)) {
    const planning::TrainingCase s{"mixtral-8x7b", "h100-sxm", name, 64, 32768, 512};
    const StepModel model = step_model(s);
    const PlanRequest open = request(s);
    const SearchSpace space(model, open);
    std::vector<int> stages;
    for (const Structure& structure : space.structures()) {
      space.virtual_stages(structure, 64, stages);
      for (const Dimension& each : kDimensions) {
        if (test_catalog().stack(name).can(each)) continue;
        INFO(name << ": " << each.name);
        CHECK(structure.*each.in <= 1);
        if (each.in == &LayoutDegrees::vp) CHECK(stages == std::vector<int>{1});
      }
    }
    for (const Sharding sharding : space.shardings())
      CHECK(test_catalog().stack(name).can(sharding));
  }
}

TEST_CASE("a degree that does not divide its units is refused", "[dimensions]") {
  const planning::TrainingCase s{"mixtral-8x7b", "h100-sxm", "megatron", 64 * 7 * 11, 4096, 512};
  const StepModel model = step_model(s);
  for (const Dimension& each : kDimensions) {
    if (!each.evenly) continue;
    // 7 and 11 divide the accelerators, but not 32 heads, 8 experts or 14,336 = 2^11 x 7 channels.
    for (const int degree : {7, 11}) {
      if (each.partitions == PartitionedUnit::expert_channels && degree == 7) continue;
      PlanRequest r = request(s);
      r.*each.given = degree;
      try {
        plan(model, r);
        FAIL("no error for " << each.name);
      } catch (const Error& error) {
        CHECK(error.kind == ErrorKind::usage);
        CHECK(error.location == fmt::format("--{}", each.name));
      }
    }
  }
}

TEST_CASE("what the stack cannot do is computed, said, and fails under --strict", "[abilities]") {
  Scenario s = asked("fsdp");  // shards gradients or parameters, and splits nothing else
  const Estimate usual = estimate(s, test_catalog()).front();
  CHECK(usual.beyond_stack.empty());
  CHECK_FALSE(any_has(strict_reasons(usual), "stack"));
  s.set_number(Field::layout_tp, 8);
  s.set_number(Field::layout_pp, 2);
  s.set_number(Field::layout_vp, 2);
  s.set_number(Field::layout_cp, 1);
  s.set_text(Field::layout_sharding, "optimizer");
  const Estimate forced = estimate(s, test_catalog()).front();
  CHECK(forced.layout.tp == 8);
  CHECK(forced.beyond_stack == "tp 8, pp 2, vp 2, sharding optimizer");
  CHECK(any_has(forced.warnings, "stack fsdp"));
  CHECK(any_has(strict_reasons(forced), "tp 8"));
  // A stack that has all of them.
  s.set_text(Field::efficiency_stack, "megatron");
  CHECK(estimate(s, test_catalog()).front().beyond_stack.empty());
}
