// SPDX-License-Identifier: Apache-2.0
// The layout search against every layout of small spaces, and its parts: bounds, ties, the space.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "catalog/layout/layout.h"
#include "catch.h"
#include "planner/bounds.h"
#include "planner/contenders.h"
#include "planner/scenarios.h"
#include "planner/search.h"
#include "planner/space.h"

using namespace trcost;
using planning::TrainingCase;

namespace {

/// Trainings whose spaces have few enough layouts to evaluate each of them.
const std::vector<TrainingCase>& small_cases() {
  static const std::vector<TrainingCase> all = {
      {"llama3-8b", "h100-sxm", "megatron", 8, 8192, 16},
      {"llama3-8b", "h100-sxm", "fsdp", 12, 4096, 24},
      {"llama2-7b", "a100-sxm-80gb", "megatron", 16, 4096, 32},
      {"llama2-7b", "rtx-4090", "hf-trainer", 8, 2048, 32},
      {"mixtral-8x7b", "h100-sxm", "megatron", 32, 4096, 64},
      {"llama2-70b", "h100-sxm", "megatron", 32, 4096, 32},
  };
  return all;
}

struct SpaceLayout {
  Structure structure;
  BatchChoice batch;
  Layout layout;
};

/// Every layout of a space, with every number of recomputed layers, that leaves a margin free.
std::vector<SpaceLayout> fitting_layouts(const StepModel& model, const PlanRequest& request,
                                         Idle idle = Idle::none, double margin = 0) {
  const SearchSpace space(model, request, idle);
  const bool partial = model.platform().stack->partial_recompute && !request.recompute;
  std::vector<SpaceLayout> out;
  std::vector<BatchChoice> batches;
  std::vector<int> stages;
  for (const Structure& s : space.structures()) {
    space.batches(s, batches);
    for (const BatchChoice& batch : batches) {
      space.virtual_stages(s, batch.global_batch / (batch.micro_batch * s.dp), stages);
      for (const int vp : stages) {
        for (const Sharding sharding : space.shardings()) {
          for (const Recompute recompute : space.recomputes()) {
            Layout l = space.layout(s, batch, vp, sharding, recompute);
            const int layers = static_cast<int>(std::ceil(model.pipeline_layers().count() / s.pp));
            const int most = partial && recompute != Recompute::full ? layers : 0;
            for (l.recompute_layers = 0; l.recompute_layers <= most; ++l.recompute_layers) {
              const MemoryUse use = model.memory(l);
              if (use.total > use.capacity * (1 - margin)) continue;
              out.push_back({s, batch, l});
              break;  // more layers than needed only take longer
            }
          }
        }
      }
    }
  }
  return out;
}

double space_penalty(const StepModel& model, const PlanRequest& request, const SpaceLayout& each) {
  return each.batch.penalty *
         layout_penalty(each.layout, request.gpus, model.platform().system->usable_per_domain);
}

/// Best of all layouts, in the order of `random`.
Plan best_by_brute_force(const StepModel& model, const PlanRequest& request,
                         std::vector<SpaceLayout> layouts, std::mt19937& random) {
  std::shuffle(layouts.begin(), layouts.end(), random);
  Contenders all;
  for (const SpaceLayout& each : layouts) {
    all.add(each.layout, model.step(each.layout), space_penalty(model, request, each));
  }
  Plan out;
  all.store_best(out);
  return out;
}

std::string case_words(const TrainingCase& s) {
  return s.model + " on " + std::to_string(s.gpus) + " " + s.accelerator + ", " + s.stack;
}

}  // namespace

TEST_CASE("search finds the layout that evaluating every one of a small space finds",
          "[planner][search]") {
  std::mt19937 random(1);
  for (const TrainingCase& s : small_cases()) {
    INFO(case_words(s));
    const StepModel model = planning::step_model(s);
    const PlanRequest request = planning::request(s);
    const std::vector<SpaceLayout> layouts = fitting_layouts(model, request);
    REQUIRE_FALSE(layouts.empty());
    const Plan expected = best_by_brute_force(model, request, layouts, random);
    Plan found;
    Bounds bounds(model);
    REQUIRE(LayoutSearch(bounds, request, Idle::none, 0, false).run(found));
    CHECK(found.layout == expected.layout);
    CHECK(found.time.seconds == expected.time.seconds);
    // Pruning leaves out most of a larger space.
    if (layouts.size() > 100) CHECK(found.evaluated < 0.2 * static_cast<double>(layouts.size()));
  }
}

TEST_CASE("search finds the best layout under every restriction of the request",
          "[planner][search]") {
  std::mt19937 random(2);
  const TrainingCase s{"llama3-8b", "h100-sxm", "megatron", 16, 8192, 32};
  const StepModel model = planning::step_model(s);
  std::vector<PlanRequest> requests(7, planning::request(s));
  requests[1].tp = 2;
  requests[2].pp = 4;
  requests[3].sharding = Sharding::optimizer;
  requests[4].recompute = Recompute::full;
  requests[5].global_batch = 48;
  requests[6].micro_batch = 2;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (const double margin : {0.0, 0.4}) {
      INFO("request " << i << ", margin " << margin);
      const PlanRequest& request = requests[i];
      const std::vector<SpaceLayout> layouts = fitting_layouts(model, request, Idle::none, margin);
      Plan found;
      Bounds bounds(model);
      const bool any = LayoutSearch(bounds, request, Idle::none, margin, false).run(found);
      REQUIRE(any == !layouts.empty());
      if (!any) continue;
      const Plan expected = best_by_brute_force(model, request, layouts, random);
      CHECK(found.layout == expected.layout);
      CHECK(found.memory.total <= found.memory.capacity * (1 - margin));
      if (request.tp) CHECK(found.layout.tp == *request.tp);
      if (request.pp) CHECK(found.layout.pp == *request.pp);
      if (request.sharding) CHECK(found.layout.sharding == *request.sharding);
      if (request.recompute) CHECK(found.layout.recompute == *request.recompute);
      if (request.micro_batch) CHECK(found.layout.micro_batch == *request.micro_batch);
    }
  }
}

TEST_CASE("search with idle GPUs finds the best layout of the larger space", "[planner][search]") {
  std::mt19937 random(3);
  for (const double gpus : {7.0, 13.0, 18.0}) {
    INFO(gpus);
    const TrainingCase s{"llama3-8b", "h100-sxm", "megatron", gpus, 4096, 32};
    const StepModel model = planning::step_model(s);
    const PlanRequest request = planning::request(s);
    const std::vector<SpaceLayout> layouts = fitting_layouts(model, request, Idle::some);
    const Plan expected = best_by_brute_force(model, request, layouts, random);
    Plan found;
    Bounds bounds(model);
    REQUIRE(LayoutSearch(bounds, request, Idle::some, 0, false).run(found));
    CHECK(found.layout == expected.layout);
    CHECK(found.layout.gpus() <= gpus);
  }
}

TEST_CASE("least memory is that of the smallest layout of a space in which none fits",
          "[planner][search]") {
  const TrainingCase s{"llama2-70b", "h100-sxm", "megatron", 8, 4096, 16};
  const StepModel model = planning::step_model(s);
  const PlanRequest request = planning::request(s);
  REQUIRE(fitting_layouts(model, request).empty());
  const SearchSpace space(model, request);
  double least = std::numeric_limits<double>::infinity();
  std::vector<BatchChoice> batches;
  for (const Structure& structure : space.structures()) {
    space.batches(structure, batches);
    for (const BatchChoice& batch : batches) {
      for (const Sharding sharding : space.shardings()) {
        const Layout l = space.layout(structure, batch, 1, sharding, Recompute::full);
        least = std::min(least, model.memory(l).total * batch.penalty);
      }
    }
  }
  Bounds bounds(model);
  LayoutSearch search(bounds, request, Idle::none, 0, false);
  Plan found;
  CHECK_FALSE(search.run(found));
  CHECK_FALSE(search.any_fits());
  REQUIRE(search.least_memory(found));
  CHECK(found.memory.total == model.memory(found.layout).total);
  CHECK_THAT(found.memory.total * space.batch_penalty(found.layout.global_batch),
             WithinRel(least, 1e-12));
}

TEST_CASE("bounds never exceed the time of any layout", "[planner][bounds]") {
  double furthest = 1;  // least bound over time without recomputation
  for (const TrainingCase& s : small_cases()) {
    INFO(case_words(s));
    const StepModel model = planning::step_model(s);
    const PlanRequest request = planning::request(s);
    const SearchSpace space(model, request);
    Bounds bounds(model);
    for (const SpaceLayout& each : fitting_layouts(model, request)) {
      const Layout& l = each.layout;
      const double m = l.micro_batches();
      ReplicaWork& replica =
          bounds.replica(each.structure, l.context_kind, request.sequence_parallel);
      const ReplicaWork::Pass& work = replica.at(l.micro_batch);
      const double bubble = (l.pp - 1) / (l.vp * m);
      const double repeated =
          l.recompute == Recompute::full ? 1 : recomputed_share(l, model.pipeline_layers().count());
      performance::PayloadSeconds payloads;
      const double time = model.step(l).seconds / l.global_batch;
      INFO(degree_words(l) << ", micro-batch " << l.micro_batch);
      // A search knows the least share that recomputes, and that layers may.
      for (const double least : {0.0, repeated / 2, repeated}) {
        const double bound = bounds.share(each.structure.gpus()) *
                             ((work.seconds + least * work.recompute) * (1 + bubble) +
                              bounds.uneven(each.structure, work, l.micro_batch, least) +
                              bounds.transfers(l) + bounds.exchange(l, work, true, payloads));
        REQUIRE(bound <= time * (1 + 1e-12));
      }
      if (repeated == 0) {
        const double exact =
            bounds.share(each.structure.gpus()) *
            (work.seconds * (1 + bubble) + bounds.uneven(each.structure, work, l.micro_batch, 0) +
             bounds.transfers(l) + bounds.exchange(l, work, false, payloads));
        furthest = std::min(furthest, exact / time);
      }
      const double largest = space.largest_micro_batch(each.structure);
      REQUIRE(l.micro_batch <= largest);
      REQUIRE(replica.least_seconds(largest) <= work.seconds * (1 + 1e-12));
      CHECK_THAT(model.step(l, work.kernels, payloads).seconds,
                 WithinRel(model.step(l).seconds, 1e-12));
      REQUIRE(l.vp <= space.most_virtual_stages(each.structure, m));
      REQUIRE(each.batch.penalty >= space.least_penalty(each.structure));
      for (double micro = 1; micro <= l.micro_batch; micro *= 2) {
        const double least = space.least_stretch(space.least_bubble(each.structure, micro),
                                                 space.least_penalty(each.structure));
        REQUIRE(least <= (1 + bubble) * each.batch.penalty * (1 + 1e-12));
      }
    }
  }
  CHECK(furthest > 0.9);  // else they would prune little
}

TEST_CASE("bounds do not depend on the order of questions", "[planner][bounds]") {
  const TrainingCase s{"mixtral-8x7b", "h100-sxm", "megatron", 32, 4096, 64};
  const StepModel model = planning::step_model(s);
  const PlanRequest request = planning::request(s);
  const SearchSpace space(model, request);
  const std::vector<Structure> structures = space.structures();
  const ContextKind kind = space.context_kind();
  Bounds cached(model);
  for (int round = 0; round < 2; ++round) {
    for (const Structure& each : structures) {
      for (const double micro_batch : {1.0, 3.0, 4.0}) {
        Bounds fresh(model);
        REQUIRE(cached.replica(each, kind, true).at(micro_batch).seconds ==
                fresh.replica(each, kind, true).at(micro_batch).seconds);
      }
    }
  }
}

TEST_CASE("tied layouts rank alike in every order of discovery", "[planner][contenders]") {
  // Equal times: fewer pipeline stages come first, then smaller context and tensor degrees.
  std::vector<Layout> layouts;
  for (const int pp : {1, 2, 4}) {
    for (const int tp : {1, 2, 4}) {
      Layout l;
      l.tp = tp;
      l.pp = pp;
      l.dp = 16 / (tp * pp);
      l.global_batch = 16;
      layouts.push_back(l);
    }
  }
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    std::shuffle(layouts.begin(), layouts.end(), random);
    Contenders contenders;
    CHECK(contenders.empty());
    CHECK(contenders.limit() == std::numeric_limits<double>::infinity());
    for (const Layout& l : layouts) {
      StepTime time;
      // Differences far below kTie do not count.
      time.seconds = 1 + 1e-13 * static_cast<double>(random() % 100);
      contenders.add(l, time, 1);
    }
    Plan best;
    contenders.store_best(best);
    CHECK(best.layout.tp == 1);
    CHECK(best.layout.pp == 1);
    CHECK(contenders.best_score() <= contenders.limit());
  }
}

TEST_CASE("contenders keep the best of a structure and a slower runner-up",
          "[planner][contenders]") {
  const auto layout = [](int tp, int pp, double micro_batch) {
    Layout l;
    l.tp = tp;
    l.pp = pp;
    l.dp = 16 / (tp * pp);
    l.micro_batch = micro_batch;
    l.global_batch = 16;
    return l;
  };
  const auto seconds = [](double value) {
    StepTime time;
    time.seconds = value;
    return time;
  };
  Contenders contenders;
  contenders.add(layout(2, 1, 1), seconds(2.0), 1);
  contenders.add(layout(2, 1, 2), seconds(1.6), 1);  // same structure, faster
  contenders.add(layout(2, 1, 4), seconds(1.7), 1);  // same structure, slower
  CHECK(contenders.best_score() == 1.6 / 16);
  // Runner-ups are searched up to 3 % beyond the best.
  CHECK_THAT(contenders.limit(), WithinRel(1.03 * 1.6 / 16, 1e-12));
  contenders.add(layout(1, 2, 1), seconds(1.61), 1);
  CHECK_THAT(contenders.limit(), WithinRel(1.61 / 16, 1e-12));
  // Faster, but worse by its penalty: neither the best nor the runner-up.
  contenders.add(layout(4, 1, 1), seconds(1.5), 1.07);
  Plan plan;
  contenders.store_best(plan);
  CHECK(plan.layout == layout(2, 1, 2));
  REQUIRE(plan.runner_up);
  CHECK(*plan.runner_up == layout(1, 2, 1));
  CHECK(plan.runner_up_seconds == 1.61);
}

TEST_CASE("structures of a space multiply to the GPUs, divide the model and are unique",
          "[planner][space]") {
  for (const TrainingCase& s : small_cases()) {
    INFO(case_words(s));
    const StepModel model = planning::step_model(s);
    const PlanRequest request = planning::request(s);
    const LanguageModel& language = model.workload().language;
    std::set<LayoutDegrees> seen;
    for (const Structure& each : SearchSpace(model, request).structures()) {
      CHECK(each.gpus() == s.gpus);
      CHECK(divides(language.heads, each.tp));
      CHECK(each.pp <= language.layers);
      CHECK(divides(s.gpus / each.pp, each.ep));
      if (language.moe) CHECK(divides(language.moe->experts, each.ep));
      CHECK(seen.insert(each).second);
    }
    CHECK_FALSE(seen.empty());
  }
}

TEST_CASE("batches of a space divide into micro-batches and stay in the given range",
          "[planner][space]") {
  const TrainingCase s{"llama3-8b", "h100-sxm", "megatron", 24, 8192, 100};
  const StepModel model = planning::step_model(s);
  PlanRequest request = planning::request(s);
  std::vector<BatchChoice> batches;
  for (const std::optional<double> range : {std::optional<double>{}, std::optional(0.1)}) {
    request.batch_range = range;
    const SearchSpace space(model, request);
    for (const Structure& each : space.structures()) {
      space.batches(each, batches);
      for (const BatchChoice& batch : batches) {
        CHECK(divides(batch.global_batch, batch.micro_batch * each.dp));
        CHECK(batch.penalty == space.batch_penalty(batch.global_batch));
        CHECK(batch.penalty >= 1);
        if (range) CHECK(std::abs(batch.global_batch / 100 - 1) <= *range);
      }
    }
  }
}

TEST_CASE("stages per rank leave the fullest rank no more layers", "[planner][space]") {
  const TrainingCase s{"llama2-70b", "h100-sxm", "megatron", 64, 4096, 512};
  const StepModel model = planning::step_model(s);
  const SearchSpace space(model, planning::request(s));
  const double layers = model.pipeline_layers().count();
  std::vector<int> stages;
  for (const int pp : {1, 2, 3, 4, 8, 16}) {
    Structure structure;
    structure.pp = pp;
    for (const double micro_batches : {1.0, 8.0, 64.0}) {
      space.virtual_stages(structure, micro_batches, stages);
      REQUIRE(stages.front() == 1);
      for (const int vp : stages) {
        CHECK(vp * std::ceil(layers / (vp * pp)) <= std::ceil(layers / pp));
        // A pipeline cannot interleave fewer micro-batches than it has stages.
        if (micro_batches < pp || pp == 1) CHECK(vp == 1);
      }
    }
  }
}
