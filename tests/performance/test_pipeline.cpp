// SPDX-License-Identifier: Apache-2.0
// Layers on pipeline stages: time and memory deal them the same way.
#include <algorithm>
#include <cmath>

#include "catalog/model.h"
#include "catch.h"
#include "performance/pipeline.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"
#include "workload/block.h"

using namespace trcost;

TEST_CASE("layers on stages are those of the model, and none is below one", "[pipeline]") {
  for (const double head : {0.0, 0.6, 2.4, 30.0}) {
    for (double stages = 1; stages <= 64; ++stages) {
      for (double layers = stages; layers <= 130; ++layers) {
        INFO(layers << " layers, " << stages << " stages, a head of " << head);
        const StageLayers dealt = stage_layers(layers, stages, head);
        CHECK(dealt.inner == std::ceil(layers / stages));
        CHECK(dealt.first >= dealt.last);
        CHECK(dealt.first <= dealt.inner);
        CHECK(dealt.last >= 1);
        const double between = layers - dealt.first - dealt.last;
        if (stages == 2) CHECK(between == 0);
        if (stages > 2) CHECK(between <= (stages - 2) * dealt.inner);
      }
    }
  }
}

TEST_CASE("Llama 3.1 405B is dealt as it was trained", "[pipeline]") {
  // arXiv:2407.21783, section 3.3.2: one layer less on the first and on the last of 16 stages.
  // Its head, 128,256 x 16,384, is two thirds of a layer: 2 x 16,384 x (16,384 + 1,024) of attention
  // and 3 x 16,384 x 53,248.
  const Catalog catalog;
  const LanguageModel& model = catalog.model("llama-3.1-405b").language;
  const double layer = 2.0 * 16384 * (16384 + 1024) + 3.0 * 16384 * 53248;
  CHECK_THAT(head_in_layers(model), WithinRel(128256.0 * 16384 / layer, 1e-12));
  const StageLayers dealt = stage_layers(126, 16, head_in_layers(model));
  CHECK(dealt.first == 7);
  CHECK(dealt.inner == 8);
  CHECK(dealt.last == 7);
}

TEST_CASE("layers that were counted for it are missing at either end", "[pipeline]") {
  // BLOOM, 70 layers on 12 stages (arXiv:2211.05100, table 3): a head of 250,880 x 14,336 against
  // layers of 12 x 14,336^2, one and a half. GLM-130B, 70 on 8 (arXiv:2210.02414, section 2.3).
  const StageLayers bloom = stage_layers(70, 12, 1.46);
  CHECK((bloom.first == 5 && bloom.inner == 6 && bloom.last == 5));
  const StageLayers glm = stage_layers(70, 8, 0.7);
  CHECK((glm.first == 8 && glm.inner == 9 && glm.last == 8));
}

TEST_CASE("the slowest stage is a whole one, or the last with its head", "[pipeline]") {
  // 32 layers on 12 stages: three at most, and one beside the head.
  CHECK(stage_times({.layers = 32, .layer = 1, .head = 0.5, .head_layers = 0.5}, 12).slowest == 3);
  CHECK(stage_times({.layers = 32, .layer = 1, .head = 4, .head_layers = 4}, 12).slowest == 5);
  for (double stages = 2; stages <= 40; ++stages) {
    for (double layers = stages; layers <= 100; ++layers) {
      const StageTimes times =
          stage_times({.layers = layers, .layer = 1, .head = 0.3, .head_layers = 0.3}, stages);
      INFO(layers << " layers, " << stages << " stages");
      CHECK(times.slowest >= times.mean);
      CHECK(times.slowest <= std::ceil(layers / stages) + 0.3);
    }
  }
}
