// SPDX-License-Identifier: Apache-2.0
// Every dimension of parallelism is counted, said and honoured because it has a row, not because a
// list names it.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "catalog/layout/layout.h"
#include "catch.h"
#include "planner/scenarios.h"
#include "planner/space.h"
#include "scenario/fields.h"

using namespace trcost;
using planning::request;
using planning::step_model;

namespace {

// Experts, so that every dimension has something to split.
const planning::TrainingCase kSparse = {"mixtral-8x7b", "h100-sxm", "megatron", 64, 4096, 512};

}  // namespace

TEST_CASE("the accelerators at work are the product of the dimensions that say so",
          "[dimensions]") {
  Layout l;
  l.tp = 2;
  l.pp = 3;
  l.cp = 5;
  l.dp = 7;
  l.vp = 11;
  l.ep = 13;
  l.etp = 17;
  CHECK(l.gpus() == 210);
  CHECK(split_words(l) == "2/3/5/7");
  CHECK(kSplitTitle == "tp/pp/cp/dp");
  for (const Dimension& each : kDimensions) {
    Layout one;
    one.*each.in = 3;
    CHECK(one.gpus() == (each.of_gpus ? 3 : 1));
    const bool titled =
        fmt::format("/{}/", kSplitTitle).find(fmt::format("/{}/", each.name)) != std::string::npos;
    CHECK(titled == each.of_gpus);
  }
}

TEST_CASE("degrees that are left out are open, and multiply by one", "[dimensions]") {
  Degrees given;
  CHECK(given.product() == 1);
  CHECK(given.open() == 4);
  CHECK(product_words(given).empty());
  given.ep = 8;
  given.vp = 2;
  CHECK(given.product() == 1);
  CHECK(given.open() == 4);
  given.dp = 16;
  given.tp = 4;
  CHECK(given.product() == 64);
  CHECK(given.open() == 2);
  CHECK(product_words(given) == "tp 4 x dp 16");
  CHECK(given.or_default().ep == 8);
  CHECK(given.or_default().cp == 1);
}

TEST_CASE("the plan has every degree that is asked for, whichever the dimension", "[dimensions]") {
  const StepModel model = step_model(kSparse);
  for (const Dimension& each : kDimensions) {
    PlanRequest asked = request(kSparse);
    asked.*each.given = 2;
    if (each.given == &Degrees::vp) asked.pp = 2;  // which only a pipeline has
    const Layout found = plan(model, asked).layout;
    INFO(each.name << ": " << degree_words(found));
    CHECK(found.*each.in == 2);
    CHECK(found.gpus() == asked.gpus);
  }
}

TEST_CASE("every structure of a search uses all GPUs, or as many as stay idle", "[dimensions]") {
  const StepModel model = step_model(kSparse);
  const PlanRequest asked = request(kSparse);
  for (const Idle idle : {Idle::none, Idle::some}) {
    double partial = 0;
    for (const Structure& s : SearchSpace(model, asked, idle).structures()) {
      REQUIRE(s.gpus() <= asked.gpus);
      partial += s.gpus() < asked.gpus;
    }
    CHECK((partial > 0) == (idle == Idle::some));
  }
}

TEST_CASE("every dimension is asked for by the field of its name", "[dimensions]") {
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    const FieldInfo& info = field_info(kDimensionFields[i]);
    CHECK(info.path == fmt::format("layout.{}", kDimensions[i].name));
    CHECK(info.flag == fmt::format("--{}", kDimensions[i].name));
  }
}

TEST_CASE("a layout is complete where one degree follows from the others", "[dimensions]") {
  PlanRequest asked = request(kSparse);
  asked.tp = 2;
  asked.pp = 4;
  CHECK_FALSE(asked.complete());  // 8 of 64: cp and dp are open
  asked.cp = 2;
  CHECK(asked.complete());
  CHECK(asked.gpus_at_work() == 64);
  asked.dp = 3;
  CHECK(asked.complete());
  CHECK(asked.gpus_at_work() == 48);
  PlanRequest whole = request(kSparse);
  whole.tp = 8;
  whole.pp = 8;
  CHECK(whole.complete());
}

TEST_CASE("a group of experts lies within a stage of the pipeline", "[dimensions]") {
  const planning::TrainingCase s{"deepseek-v3", "gb200-nvl72", "megatron", 256, 4096, 2048};
  const StepModel model = step_model(s);
  PlanRequest asked = request(s);
  asked.ep = 64;
  for (const Idle idle : {Idle::none, Idle::some}) {
    for (const Structure& each : SearchSpace(model, asked, idle).structures()) {
      INFO("pp " << each.pp);
      CHECK(each.ep == 64);
      CHECK(std::fmod(each.gpus() / each.pp, 64) == 0);
    }
  }
}
