// SPDX-License-Identifier: Apache-2.0
// What the search finds: against the whole space, against a published layout, and as properties.
#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.h"
#include "planner/scenarios.h"
#include "planner/space.h"

using namespace trcost;
using planning::Scenario;

namespace {

double per_sequence(const Plan& p) { return p.time.seconds / p.layout.global_batch; }

/// Layer by layer, until it fits, where the stack can.
void recompute_some_layers(const StepModel& model, Layout& l) {
  if (!model.platform().stack->partial_recompute || l.recompute == Recompute::full) return;
  const double layers = std::ceil(model.workload().language.layers / l.pp);
  for (double n = 1; n <= layers && !model.memory(l).fits; ++n) l.recomputed_layers = n / layers;
}

/// The least time per sequence over every layout of the space, none left out.
double exhaustive(const StepModel& model, const PlanRequest& request) {
  const SearchSpace space(model, request);
  double least = std::numeric_limits<double>::infinity();
  std::vector<BatchChoice> batches;
  std::vector<int> stages;
  for (const Structure& s : space.structures()) {
    space.batches(s.dp, batches);
    for (const BatchChoice& batch : batches) {
      space.virtual_stages(s, batch.global_batch / (batch.micro_batch * s.dp), stages);
      for (const int vp : stages) {
        for (const Sharding sharding : space.shardings()) {
          for (const Recompute recompute : space.recomputes()) {
            Layout l = space.layout(s, batch, vp, sharding, recompute);
            recompute_some_layers(model, l);
            if (!model.memory(l).fits) continue;
            least = std::min(least, model.step(l).seconds / l.global_batch * batch.penalty);
          }
        }
      }
    }
  }
  return least;
}

}  // namespace

TEST_CASE("the search finds the best layout of the whole space", "[planner]") {
  for (const Scenario& s : planning::scenarios()) {
    INFO(s.model << " on " << s.gpus << " " << s.accelerator << ", " << s.stack);
    const StepModel model = planning::step_model(s);
    const PlanRequest request = planning::request(s);
    const Plan found = plan(model, request);
    const double off = std::abs(found.layout.global_batch / s.batch - 1);
    const double penalty = 1 + 2 * std::max(0.0, off - 0.125);
    CHECK_THAT(per_sequence(found) * penalty, WithinRel(exhaustive(model, request), 1e-6));
  }
}

TEST_CASE("Llama-3.1-405B on 16,384 H100: as good as the published layout", "[planner]") {
  const Scenario s{"llama3-405b", "h100-sxm", "megatron", 16384, 8192, 2048};
  const StepModel model = planning::step_model(s);
  PlanRequest request = planning::request(s);
  request.global_batch = 2048;
  const Plan found = plan(model, request);
  // arXiv:2407.21783, table 4: tp 8, pp 16, cp 1, dp 128, 16 Mi tokens per step.
  PlanRequest published = request;
  published.tp = 8;
  published.pp = 16;
  published.cp = 1;
  published.dp = 128;
  const Plan theirs = plan(model, published);
  CHECK(theirs.memory.fits);
  CHECK(found.time.seconds <= theirs.time.seconds * (1 + 1e-9));
  CHECK(found.time.seconds > 0.85 * theirs.time.seconds);
  CHECK(found.layout.global_batch == 2048);
  const int split = found.layout.tp * found.layout.pp * found.layout.cp;
  CHECK(split >= 64);
  CHECK(split <= 512);
  REQUIRE(found.runner_up);
  CHECK(found.runner_up_seconds >= found.time.seconds);
}

TEST_CASE("plans fit, multiply to the GPUs, divide the batch, and repeat", "[planner][property]") {
  for (const Scenario& s : planning::scenarios()) {
    INFO(s.model << " on " << s.gpus << " " << s.accelerator << ", " << s.stack);
    const StepModel model = planning::step_model(s);
    const Plan found = plan(model, planning::request(s));
    const Layout& l = found.layout;
    CHECK(found.memory.fits);
    CHECK(l.gpus() == s.gpus);
    CHECK(std::fmod(l.global_batch, l.micro_batch * l.dp) == 0);
    CHECK(l.pp * l.vp <= model.workload().language.layers + l.pp);
    CHECK(planning::catalog().stack(s.stack).shardings[static_cast<std::size_t>(l.sharding)] ==
          true);
    const Plan again = plan(planning::step_model(s), planning::request(s));
    CHECK(again.layout == l);
    CHECK(again.time.seconds == found.time.seconds);
    if (found.runner_up) {
      CHECK(model.memory(*found.runner_up).fits);
      CHECK_FALSE(*found.runner_up == l);
    }
  }
}

TEST_CASE("more memory, a faster link or a faster chip never make a plan slower",
          "[planner][property]") {
  for (const Scenario& s : planning::scenarios()) {
    INFO(s.model << " on " << s.gpus << " " << s.accelerator << ", " << s.stack);
    const Workload w = reference::text_workload(reference::language(s.model), s.seq_length);
    Platform base = planning::platform(s.accelerator, s.stack);
    const double before = per_sequence(plan({w, base}, planning::request(s)));
    const auto after = [&](const Accelerator& chip, const System& system) {
      Platform better = base;
      better.accelerator = &chip;
      better.system = &system;
      return per_sequence(plan({w, better}, planning::request(s)));
    };
    for (const double factor : {1.2, 2.0}) {
      Accelerator roomier = *base.accelerator, faster = *base.accelerator;
      System wider = *base.system;
      roomier.memory_bytes *= factor;
      for (double& peak : faster.peak_flops) peak *= factor;
      for (NetworkTier& tier : wider.tiers) tier.bandwidth *= factor;
      CHECK(after(roomier, *base.system) <= before * (1 + 1e-8));
      CHECK(after(faster, *base.system) <= before * (1 + 1e-8));
      CHECK(after(*base.accelerator, wider) <= before * (1 + 1e-8));
    }
  }
}

TEST_CASE("given degrees are honoured", "[planner]") {
  const Scenario s{"llama2-70b", "h100-sxm", "megatron", 128, 4096, 512};
  const StepModel model = planning::step_model(s);
  PlanRequest request = planning::request(s);
  request.tp = 4;
  request.pp = 4;
  request.micro_batch = 2;
  request.sharding = Sharding::optimizer;
  request.recompute = Recompute::full;
  const Layout l = plan(model, request).layout;
  CHECK(l.tp == 4);
  CHECK(l.pp == 4);
  CHECK(l.micro_batch == 2);
  CHECK(l.sharding == Sharding::optimizer);
  CHECK(l.recompute == Recompute::full);
}

TEST_CASE("a full layout is computed whether or not it fits", "[planner]") {
  const Scenario s{"llama2-70b", "h100-sxm", "megatron", 8, 4096, 128};
  const StepModel model = planning::step_model(s);
  PlanRequest request = planning::request(s);
  request.tp = 8;
  request.pp = 1;
  request.dp = 1;
  CHECK(request.complete());
  const Plan computed = plan(model, request);
  CHECK_FALSE(computed.memory.fits);
  CHECK(computed.time.seconds > 0);
  request = planning::request(s);
  CHECK_FALSE(request.complete());
  request.allow_too_large = true;
  CHECK_FALSE(plan(model, request).memory.fits);
}

TEST_CASE("awkward numbers of GPUs are used in full", "[planner]") {
  for (const double gpus : {1001.0, 1009.0, 6.0, 20000.0}) {
    const Scenario s{"llama3-8b", "h100-sxm", "typical", gpus, 8192, 2048};
    const Plan found = plan(planning::step_model(s), planning::request(s));
    CHECK(found.layout.gpus() == gpus);
    CHECK(found.memory.fits);
  }
  // A given batch that no good layout divides is rounded, by little.
  const Scenario s{"llama3-405b", "h100-sxm", "megatron", 20000, 8192, 2048};
  PlanRequest request = planning::request(s);
  request.global_batch = 2048;
  CHECK_THAT(plan(planning::step_model(s), request).layout.global_batch, WithinRel(2048.0, 0.05));
}

TEST_CASE("default batches follow published practice", "[planner]") {
  CHECK(default_global_batch(2e12, 4096) == 1024);      // Llama 2: 4 Mi tokens
  CHECK(default_global_batch(15.6e12, 8192) == 2048);   // Llama 3.1 405B: 16 Mi tokens
  CHECK(default_global_batch(0.6e9, 2048) == 128);      // LLaVA-1.5: 128 samples
  CHECK(default_global_batch(1e9, 131072) == 4);        // 0.5 Mi tokens
}
