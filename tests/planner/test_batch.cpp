// SPDX-License-Identifier: Apache-2.0
// Batches: what is usual, what is too large, and what that costs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.h"
#include "planner/batch.h"
#include "planner/scenarios.h"
#include "planner/space.h"

using namespace trcost;
using planning::TrainingCase;

namespace {

struct PublishedBatch {
  const char* run;
  double batch, tokens;
};

const std::vector<PublishedBatch>& published_batches() {
  static const std::vector<PublishedBatch> all = {
      {"GPT-3 (arXiv:2005.14165, table 2.1)", 3.2e6, 0.3e12},
      {"MT-NLG 530B (arXiv:2201.11990, section 2.3)", 1920 * 2048.0, 0.27e12},
      {"BLOOM (arXiv:2211.05100, table 3)", 2048 * 2048.0, 0.366e12},
      {"PaLM 540B (arXiv:2204.02311, section 5)", 2048 * 2048.0, 0.78e12},
      {"Chinchilla (arXiv:2203.15556, table 4)", 3e6, 1.4e12},
      {"Llama 65B (arXiv:2302.13971, table 2)", 4e6, 1.4e12},
      {"Llama 2 70B (arXiv:2307.09288, section 2.2)", 4e6, 2e12},
      {"DeepSeek-V2 (arXiv:2405.04434, section 3.1.2)", 9216 * 4096.0, 8.1e12},
      {"Nemotron-4 340B (arXiv:2406.11704, section 2.3)", 2304 * 4096.0, 9e12},
      {"DeepSeek-V3 (arXiv:2412.19437, section 4.2)", 15360 * 4096.0, 14.8e12},
      {"Llama 3.1 405B (arXiv:2407.21783, section 3.4.1)", 16 * 1048576.0, 15.6e12},
      {"Kimi K2 (arXiv:2507.20534, section 2.5)", 67e6, 15.5e12},
  };
  return all;
}

}  // namespace

TEST_CASE("published batches are below the critical one and cost little more than the usual",
          "[planner]") {
  for (const PublishedBatch& run : published_batches()) {
    const double critical = critical_batch_tokens(run.tokens);
    const double usual = 4096 * compute_usual_batch(run.tokens, 4096).sequences;
    INFO(run.run << ": " << run.batch << " of " << critical << " critical, " << usual << " usual");
    CHECK(run.batch < critical);
    CHECK(run.batch > critical / 16);
    CHECK(batch_cost(run.batch, usual, critical) < 1.4);
    CHECK(usual < critical / 4);
  }
}

TEST_CASE("a batch costs its growth, without a step", "[planner][property]") {
  // McCandlish et al. (arXiv:1812.06162): steps at the critical size take twice the fewest tokens.
  CHECK(batch_cost(8, 0, 8) == 2);
  CHECK(batch_cost(1024, 1024, 8192) == 1);
  CHECK_THAT(batch_cost(512, 1024, 8192), WithinRel(1.05, 1e-12));
  CHECK_THAT(batch_cost(8192, 1024, 8192), WithinRel(2 / 1.125, 1e-12));
  double before = batch_cost(64, 1024, 8192);
  for (double batch = 65; batch < 65536; batch *= 1.01) {
    const double cost = batch_cost(batch, 1024, 8192);
    CHECK(cost >= 1);
    CHECK((batch < 1024 ? cost < before : cost > before * (1 - 1e-3)));
    CHECK_THAT(cost, WithinRel(before, 0.011));
    before = cost;
  }
}

TEST_CASE("the search looks at no batch beyond what its cluster fills", "[planner][property]") {
  for (const double gpus : {8.0, 512.0, 4096.0, 32768.0, 262144.0}) {
    const TrainingCase s{"llama3-405b", "h100-sxm", "typical", gpus, 8192, 2048};
    const StepModel model = planning::step_model(s);
    PlanRequest request = planning::request(s);
    request.critical_batch = critical_batch_tokens(15.6e12) / 8192;
    const SearchSpace space(model, request);
    // A micro-batch in each of as many stages as there are groups of eight GPUs.
    CHECK(space.largest_batch() == std::max(1.25 * 2048, gpus / 8));
    CHECK(space.batch_penalty(2048) == 1);
    CHECK(space.batch_penalty(space.largest_batch()) < 1.5);
    CHECK(space.batch_penalty(space.largest_batch() + 1) > 50);
  }
}

TEST_CASE("a given batch has layouts whatever its size, and soon", "[planner]") {
  for (const double batch : {64e6, 999999937.0, 1e9}) {
    const TrainingCase s{"llama3-8b", "h100-sxm", "typical", 87, 4096, batch};
    PlanRequest request = planning::request(s);
    request.global_batch = batch;
    const Plan found = plan_with_idle(planning::step_model(s), request);
    CHECK(found.considered <= kMostConsidered);
    CHECK(found.layout.gpus() <= 87);
    CHECK_THAT(found.layout.global_batch, WithinRel(batch, 0.01));
  }
}

TEST_CASE("a default batch grows with the cluster, within published practice", "[planner]") {
  CHECK(cluster_global_batch(compute_usual_batch(140e9, 4096), 64) ==
        compute_usual_batch(140e9, 4096).sequences);
  CHECK(cluster_global_batch(compute_usual_batch(1e12, 4096), 1024) ==
        1024);  // 4 Mi tokens, as for Llama 2 7B
  CHECK(cluster_global_batch(compute_usual_batch(2e12, 4096), 16384) ==
        1024);  // 4 Mi tokens already
  CHECK(cluster_global_batch(compute_usual_batch(15.6e12, 8192), 16384) ==
        2048);  // Llama 3.1 405B keeps its 16 Mi
  CHECK(cluster_global_batch(compute_usual_batch(0.6e9, 4096), 1e6) == 512);  // four times 128
  CHECK(cluster_global_batch(compute_usual_batch(1e9, 131072), 1024) == 16);
  for (const double tokens : {1e9, 100e9, 366e9, 5e12}) {
    const double usual = compute_usual_batch(tokens, 4096).sequences;
    double before = usual;
    for (double gpus = 1; gpus < 1e7; gpus *= 1.3) {
      const double batch =
          cluster_global_batch(compute_usual_batch(tokens, 4096), std::floor(gpus));
      CHECK(batch >= before);
      CHECK(batch <= 4 * std::sqrt(2.0) * usual);
      CHECK(batch <= std::max(usual, 1024.0));
      CHECK(batch == std::floor(batch));
      before = batch;
    }
  }
  // No jump along the tokens where the cluster decides.
  for (double tokens = 10e9; tokens < 400e9; tokens *= 1.1) {
    CHECK(cluster_global_batch(compute_usual_batch(1.1 * tokens, 4096), 4096) <=
          1.08 * cluster_global_batch(compute_usual_batch(tokens, 4096), 4096));
  }
}

TEST_CASE("default batches follow published practice", "[planner]") {
  CHECK(compute_usual_batch(2e12, 4096).sequences == 1024);     // Llama 2: 4 Mi tokens
  CHECK(compute_usual_batch(15.6e12, 8192).sequences == 2048);  // Llama 3.1 405B: 16 Mi tokens
  CHECK(compute_usual_batch(0.6e9, 2048).sequences == 128);     // LLaVA-1.5: 128 samples
  CHECK(compute_usual_batch(1e9, 131072).sequences == 4);       // 0.5 Mi tokens
}
