// SPDX-License-Identifier: Apache-2.0
// Requests that contradict themselves, and trainings that fit nowhere.
#include <string>

#include "catch.h"
#include "performance/memory/memory.h"
#include "planner/scenarios.h"
#include "trcost/error.h"

using namespace trcost;
using planning::TrainingCase;

namespace {

const TrainingCase kSmall{"llama3-8b", "h100-sxm", "megatron", 8, 4096, 128};

/// The error of a plan, and that it has one.
template <class Change>
Error refused(const TrainingCase& s, Change&& change) {
  PlanRequest request = planning::request(s);
  change(request);
  try {
    plan(planning::step_model(s), request);
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return Error(ErrorKind::usage, "");
}

bool mentions(const Error& error, const std::string& text) {
  return error.message.find(text) != std::string::npos ||
         error.hint.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("degrees that do not multiply to the GPUs", "[planner][errors]") {
  const Error full =
      refused(kSmall, [](PlanRequest& r) { r.tp = 2, r.pp = 2, r.cp = 1, r.dp = 4; });
  CHECK(full.kind == ErrorKind::usage);
  CHECK(mentions(full, "8 GPUs"));
  CHECK(mentions(full, "dp 2 would"));
  const Error part = refused(kSmall, [](PlanRequest& r) { r.tp = 16; });
  CHECK(part.kind == ErrorKind::usage);
  CHECK(mentions(part, "1, 2, 4 or 8"));
  CHECK(part.location == "--tp");
  CHECK(refused(kSmall, [](PlanRequest& r) { r.tp = 2, r.pp = 3; }).location == "--pp");
}

TEST_CASE("degrees that do not divide the model", "[planner][errors]") {
  TrainingCase odd = kSmall;
  odd.gpus = 12;
  const Error heads = refused(odd, [](PlanRequest& r) { r.tp = 3; });
  CHECK(heads.kind == ErrorKind::usage);
  CHECK(mentions(heads, "attention heads"));
  TrainingCase many = kSmall;
  many.gpus = 64;
  CHECK(mentions(refused(many, [](PlanRequest& r) { r.pp = 64; }), "32 layers"));
  CHECK(mentions(refused(kSmall, [](PlanRequest& r) { r.pp = 8, r.vp = 5; }), "vp at most 4"));
  CHECK(mentions(refused(kSmall, [](PlanRequest& r) { r.pp = 1, r.vp = 2; }), "needs a pipeline"));
  CHECK(mentions(refused(kSmall, [](PlanRequest& r) { r.ep = 2; }), "experts"));
  const TrainingCase sparse{"mixtral-8x7b", "h100-sxm", "megatron", 48, 4096, 512};
  CHECK(mentions(refused(sparse, [](PlanRequest& r) { r.ep = 3; }), "1, 2, 4 or 8"));
}

TEST_CASE("a batch that the replicas do not divide", "[planner][errors]") {
  const Error error = refused(kSmall, [](PlanRequest& r) {
    r.global_batch = 100;
    r.dp = 8;
    r.micro_batch = 3;
  });
  CHECK(error.kind == ErrorKind::usage);
  CHECK(mentions(error, "96 or 120"));
}

TEST_CASE("nothing fits: how many GPUs would do", "[planner][errors]") {
  const TrainingCase s{"llama3-405b", "h100-sxm", "megatron", 16, 8192, 512};
  const StepModel model = planning::step_model(s);
  const double least = smallest_cluster(model, planning::request(s), 16384).value();
  CHECK(least > 16);
  CHECK(std::fmod(least, 8) == 0);
  const Error error = refused(s, [](PlanRequest&) {});
  CHECK(error.kind == ErrorKind::no_answer);
  CHECK(mentions(error, std::to_string(static_cast<int>(least))));
  PlanRequest request = planning::request(s);
  request.gpus = least;
  CHECK(plan(model, request).memory.fits);
  request.gpus = least - 8;
  CHECK_THROWS_AS(plan(model, request), Error);
  CHECK_FALSE(smallest_cluster(model, planning::request(s), 16).has_value());
}

TEST_CASE("the smallest cluster of a small model is part of a node", "[planner]") {
  const TrainingCase s{"llama3-8b", "h100-sxm", "typical", 1, 4096, 128};
  CHECK(smallest_cluster(planning::step_model(s), planning::request(s), 64) == 2);
}

// A micro-batch that probably does not fit may run all the same: torchtitan trained Qwen3 0.6B with
// 3 x 2,048 tokens on one RTX 3090 (F1-0054 in data/runs/throughput.csv).
TEST_CASE("refuses only what fits with a probability below a tenth", "[planner][errors]") {
  int unlikely = 0, refusals = 0;
  for (int micro_batch = 1; micro_batch <= 12; ++micro_batch) {
    const TrainingCase s{"llama3-8b", "h200", "fsdp", 8, 4096, 8. * micro_batch};
    PlanRequest request = planning::request(s);
    request.sharding = Sharding::parameters;
    request.recompute = Recompute::none;
    request.micro_batch = micro_batch;
    request.global_batch = 8. * micro_batch;
    const StepModel model = planning::step_model(s);
    Layout layout;
    layout.dp = 8;
    layout.sharding = Sharding::parameters;
    layout.micro_batch = micro_batch;
    layout.global_batch = 8. * micro_batch;
    const MemoryUse use = model.memory(layout);
    INFO(micro_batch << ": " << use.total / use.capacity);
    const bool answered = fits_probability(use) >= 0.1;
    try {
      const Plan found = plan(model, request);
      CHECK(answered);
      CHECK(found.memory.fits == (use.total <= use.capacity));
      if (!found.memory.fits) ++unlikely;
    } catch (const Error& error) {
      CHECK_FALSE(answered);
      CHECK(error.kind == ErrorKind::no_answer);
      ++refusals;
    }
  }
  CHECK(unlikely > 0);
  CHECK(refusals > 0);
}
