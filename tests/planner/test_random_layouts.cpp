// SPDX-License-Identifier: Apache-2.0
// Random trainings of the whole catalog: no layout given by degrees beats the search, and better
// hardware is never slower.
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "catalog/hardware/hardware.h"
#include "catalog/layout/layout.h"
#include "catch.h"
#include "planner/scenarios.h"
#include "planner/space.h"
#include "repeats.h"
#include "trcost/error.h"
#include "workload/default_model.h"

using namespace trcost;

namespace {

// Tolerance of all properties: simpler layouts are taken up to 1.8 % behind the fastest.
constexpr double kTolerance = 1.02;

struct RandomTraining {
  std::string words;
  Workload workload;
  Platform platform;
  PlanRequest request;

  [[nodiscard]] StepModel model() const { return {workload, platform}; }
};

template <class List>
auto pick(std::mt19937& random, const List& list) {
  return list[random() % list.size()];
}

std::optional<RandomTraining> random_training(unsigned seed) {
  std::mt19937 random(seed);
  const auto share = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const auto some = [&](double most) { return share() < most; };
  const Catalog& catalog = test_catalog();
  RandomTraining out;
  const std::string chip = pick(random, catalog.names(CatalogKind::accelerators));
  const std::string stack = pick(random, catalog.names(CatalogKind::stacks));
  const double seq_length = pick(random, std::vector<double>{512, 2048, 4096, 8192, 32768});
  LanguageModel language;
  if (some(0.5)) {
    const std::string name = pick(random, catalog.names(CatalogKind::models));
    language = catalog.model(name).language;
    out.words = name;
  } else {
    const double params = std::pow(10.0, 8 + 4 * share());
    language = shape_from_parameters(params, 128256);
    out.words = std::to_string(params / 1e9) + "B";
  }
  out.workload = reference::text_workload(language, seq_length);
  if (some(0.3)) {
    out.workload.offload.activations = some(0.7);
    out.workload.offload.optimizer = some(0.7);
  }
  out.platform = planning::platform(chip, stack);
  if (!peak_flops(*out.platform.accelerator, Precision::bf16)) return std::nullopt;
  out.platform.host_bandwidth = out.platform.system->host_bandwidth.value_or(25e9);
  PlanRequest& request = out.request;
  request.gpus = pick(random, std::vector<double>{1, 4, 8, 16, 24, 64, 96, 256, 1000, 1024, 4096});
  request.memory_margin = 0.03;
  const double batch = pick(random, std::vector<double>{8, 64, 128, 256, 1024});
  // A batch that is not given grows with the cluster, as in fine-tuning.
  request.batch_hint = std::max(batch, std::min(request.gpus, 4 * batch));
  if (some(0.5)) request.global_batch = request.batch_hint = batch;
  out.words += " on " + std::to_string(static_cast<int>(request.gpus)) + " " + chip + ", " + stack +
               ", length " + std::to_string(static_cast<int>(seq_length)) + ", batch " +
               std::to_string(static_cast<int>(request.batch_hint)) +
               (request.global_batch ? " given" : "") +
               (out.workload.offload.activations ? ", activations offloaded" : "") +
               (out.workload.offload.optimizer ? ", optimizer offloaded" : "");
  return out;
}

/// Empty if nothing fits: a complete layout is planned nevertheless.
std::optional<Plan> try_plan(const StepModel& model, const PlanRequest& request) {
  try {
    std::optional<Plan> found = plan_with_idle(model, request);
    return found->memory.fits ? found : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Seconds of a sequence for the same loss.
double seconds(const StepModel& model, const PlanRequest& request, const Plan& plan) {
  const double tokens = SearchSpace(model, request).batch_penalty(plan.layout.global_batch);
  return tokens * plan.time.seconds / plan.layout.global_batch;
}

std::string plan_words(const Plan& plan) {
  return degree_words(plan.layout) + ", micro-batch " + std::to_string(plan.layout.micro_batch) +
         ", batch " + std::to_string(plan.layout.global_batch) + ", recompute " +
         recompute_words(plan.layout) + ", sharding " +
         std::to_string(static_cast<int>(plan.layout.sharding)) + ", " +
         std::to_string(plan.memory.total / 1e9) + " GB" + (plan.memory.tight ? " tight" : "");
}

/// Requests with degrees, recomputation or micro-batch given, as a user who tries them would.
std::vector<PlanRequest> forced_requests(const RandomTraining& training) {
  std::vector<PlanRequest> out;
  const LanguageModel& language = training.workload.language;
  for (const int tp : {1, 2, 4, 8}) {
    if (!tensor_divides(language, tp)) continue;
    for (const int pp : {1, 2, 4}) {
      for (const double micro_batch : {1.0, 4.0, 16.0}) {
        PlanRequest request = training.request;
        request.tp = tp;
        request.pp = pp;
        request.micro_batch = micro_batch;
        if (!beyond_stack(request, *training.platform.stack).empty()) continue;
        out.push_back(request);
      }
    }
  }
  for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    for (const std::optional<int> tp : {std::optional<int>(), std::optional<int>(1)}) {
      PlanRequest request = training.request;
      request.recompute = recompute;
      request.tp = tp;
      out.push_back(request);
    }
  }
  return out;
}

void check_forced(const RandomTraining& training) {
  const StepModel model = training.model();
  const std::optional<Plan> found = try_plan(model, training.request);
  if (!found) return;
  const double own = seconds(model, training.request, *found);
  const SearchSpace space(model, training.request);
  for (const PlanRequest& request : forced_requests(training)) {
    const std::optional<Plan> forced = try_plan(model, request);
    // A plan leaves the margin free if any does.
    if (!forced || (forced->memory.tight && !found->memory.tight)) continue;
    // Formulas do not know what stages cost whose groups span two domains: never chosen, only
    // given.
    Structure replica = forced->layout;
    replica.dp = 1;
    if (space.whole_replicas(replica, forced->layout.dp) != forced->layout.dp) continue;
    if (seconds(model, training.request, *forced) * kTolerance >= own) continue;
    INFO(training.words);
    INFO("planned: " << plan_words(*found));
    INFO("forced:  " << plan_words(*forced));
    FAIL_CHECK("forced is faster by " << own / seconds(model, training.request, *forced));
    return;
  }
}

void check_better(const RandomTraining& training) {
  const StepModel model = training.model();
  const std::optional<Plan> before = try_plan(model, training.request);
  if (!before) return;
  const double own = seconds(model, training.request, *before);
  const auto check = [&](const char* what, const RandomTraining& better) {
    const StepModel faster = better.model();
    const std::optional<Plan> after = try_plan(faster, better.request);
    INFO(training.words);
    INFO("before: " << plan_words(*before));
    if (!after) {
      FAIL_CHECK("no plan with " << what);
    } else if (!before->memory.tight || after->memory.tight) {
      INFO("after:  " << plan_words(*after));
      const double now = seconds(faster, better.request, *after);
      if (now > kTolerance * own) FAIL_CHECK("slower with " << what << " by " << now / own);
    }
  };
  RandomTraining larger = training;
  ++larger.request.gpus;
  check("one GPU more", larger);
  for (const double factor : {1.01, 1.2, 2.0}) {
    Accelerator roomier = *training.platform.accelerator, faster = roomier;
    System wider = *training.platform.system;
    roomier.memory_bytes *= factor;
    for (auto& peak : faster.peak_flops) peak = peak ? std::optional(*peak * factor) : peak;
    for (NetworkTier& tier : wider.tiers) tier.bandwidth *= factor;
    RandomTraining better = training;
    better.platform.accelerator = &roomier;
    check("more memory", better);
    better.platform.accelerator = &faster;
    check("a faster chip", better);
    better = training;
    better.platform.system = &wider;
    check("faster links", better);
  }
}

void check_trainings(unsigned first, int number, void (*check)(const RandomTraining&)) {
  for (int i = 0; i < number; ++i) {
    const unsigned seed = first + static_cast<unsigned>(i);
    INFO("seed " << seed);
    if (const auto training = random_training(seed)) check(*training);
  }
}

}  // namespace

// 42 layouts are given to each training, and ten better platforms: 5,000 of each here, 100,000 at
// night.
TEST_CASE("no given degrees, recomputation or micro-batch beat the search",
          "[planner][property][random-layouts]") {
  check_trainings(1, repeats(120), check_forced);
}

TEST_CASE("more memory, faster links, a faster chip or one GPU more are never slower",
          "[planner][property][random-layouts]") {
  check_trainings(1, repeats(500), check_better);
}

TEST_CASE("no given layout beats the search, a hundred thousand times", "[.][nightly]") {
  check_trainings(1'000, 2'400, check_forced);
}

TEST_CASE("better platforms are never slower, a hundred thousand times", "[.][nightly]") {
  check_trainings(1'000, 10'000, check_better);
}
