// SPDX-License-Identifier: Apache-2.0
// Layers on pipeline stages: time and memory partition them alike.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "catalog/models/model.h"
#include "catch.h"
#include "performance/memory/pipeline.h"
#include "trcost/catalog.h"
#include "workload/blocks/block.h"
#include "workload/workload.h"

using namespace trcost;

TEST_CASE("layers on stages are those of the model, and none is below one", "[pipeline]") {
  for (const double head : {0.0, 0.6, 2.4, 30.0}) {
    for (double stages = 1; stages <= 64; ++stages) {
      for (double layers = stages; layers <= 130; ++layers) {
        INFO(layers << " layers, " << stages << " stages, a head of " << head);
        const StageLayers partition = partition_layers(layers, stages, head);
        CHECK(partition.inner == std::ceil(layers / stages));
        CHECK(partition.first >= partition.last);
        CHECK(partition.first <= partition.inner);
        CHECK(partition.last >= 1);
        const double between = layers - partition.first - partition.last;
        if (stages == 2) CHECK(between == 0);
        if (stages > 2) CHECK(between <= (stages - 2) * partition.inner);
      }
    }
  }
}

TEST_CASE("Llama 3.1 405B is partitioned as it was trained", "[pipeline]") {
  // arXiv:2407.21783, section 3.3.2: one layer less on the first and on the last of 16 stages.
  // Its head, 128,256 x 16,384, is two thirds of a layer: 2 x 16,384 x (16,384 + 1,024) of
  // attention and 3 x 16,384 x 53,248.
  const Catalog catalog;
  const LanguageModel& model = catalog.model("llama-3.1-405b").language;
  const double layer = 2.0 * 16384 * (16384 + 1024) + 3.0 * 16384 * 53248;
  CHECK_THAT(head_in_layers(model), WithinRel(128256.0 * 16384 / layer, 1e-12));
  const StageLayers partition = partition_layers(126, 16, head_in_layers(model));
  CHECK(partition.first == 7);
  CHECK(partition.inner == 8);
  CHECK(partition.last == 7);
}

TEST_CASE("layers that were counted for it are missing at either end", "[pipeline]") {
  // BLOOM, 70 layers on 12 stages (arXiv:2211.05100, table 3): a head of 250,880 x 14,336 against
  // layers of 12 x 14,336^2, one and a half. GLM-130B, 70 on 8 (arXiv:2210.02414, section 2.3).
  const StageLayers bloom = partition_layers(70, 12, 1.46);
  CHECK((bloom.first == 5 && bloom.inner == 6 && bloom.last == 5));
  const StageLayers glm = partition_layers(70, 8, 0.7);
  CHECK((glm.first == 8 && glm.inner == 9 && glm.last == 8));
}

namespace {

PipelineLayers spread(double layers, double head, double encoder = 0) {
  PipelineLayers partition;
  partition.layers[place_index(Place::spread)] = layers;
  partition.head = head;
  partition.encoder.fill(encoder);
  return partition;
}

Layout on_stages(int stages) {
  Layout layout;
  layout.pp = stages;
  return layout;
}

double sum(const std::array<double, kPlaces>& layers) {
  return std::accumulate(layers.begin(), layers.end(), 0.0);
}

}  // namespace

TEST_CASE("the slowest stage is a whole one, or the last with its head", "[pipeline]") {
  // 32 layers on 12 stages: three at most, and one on the stage of the head.
  CHECK(stage_times(spread(32, 0.5), {.layer = 1, .head = 0.5}, 12).slowest == 3);
  CHECK(stage_times(spread(32, 4), {.layer = 1, .head = 4}, 12).slowest == 5);
  for (int stages = 2; stages <= 40; ++stages) {
    for (double layers = stages; layers <= 100; ++layers) {
      const StageTimes times = stage_times(spread(layers, 0.3), {.layer = 1, .head = 0.3}, stages);
      INFO(layers << " layers, " << stages << " stages");
      CHECK(times.slowest >= times.mean);
      CHECK(times.slowest <= std::ceil(layers / stages) + 0.3);
    }
  }
}

TEST_CASE("an encoder shares its stage with as many layers as bring it to the mean", "[pipeline]") {
  // 32 layers and an encoder worth three on four stages: 8.75 each, give or take half a layer.
  const StageLayers partition = partition_stages(spread(32, 0, 3), on_stages(4));
  CHECK(partition.first == 8.75 - 3 + 0.5);
  CHECK(partition.inner == 8.75 + 0.5);
  CHECK(stage_times(spread(32, 0, 3), {.layer = 1, .encoder = 3}, 4).slowest == 8.75 + 0.5);
  // One that is worth more than a stage stands alone, and all wait for it.
  CHECK(partition_stages(spread(32, 0, 20), on_stages(4)).first == 0);
  CHECK(stage_times(spread(32, 0, 20), {.layer = 1, .encoder = 20}, 4).slowest == 20);
  for (const double encoder : {0.2, 1.0, 2.5, 7.0, 40.0}) {
    for (int stages = 2; stages <= 32; ++stages) {
      for (double layers = stages; layers <= 100; ++layers) {
        INFO(layers << " layers, " << stages << " stages, an encoder of " << encoder);
        const StageLayers each = partition_stages(spread(layers, 0.5, encoder), on_stages(stages));
        const double most = each.first + (stages - 2) * each.inner + each.last;
        CHECK(most >= layers - 1e-9);
        CHECK(most <= layers + 0.5 * stages + 1e-9);
        CHECK(each.last < each.inner);
        // Time and memory partition alike.
        const StageTimes times =
            stage_times(spread(layers, 0.5, encoder),
                        {.layer = 2, .head = 2 * 0.5, .encoder = 2 * encoder}, stages);
        CHECK_THAT(
            times.slowest,
            WithinRel(2 * std::max({each.first + encoder, each.inner, times.mean / 2}), 1e-12));
      }
    }
  }
}

// 3 leading layers of DeepSeek-V3, 58 with experts, a module that predicts a further token: on 16
// stages at most four, one missing at either end.
TEST_CASE("leading layers stand on the first stage, further predictions on the last",
          "[pipeline]") {
  const Catalog catalog;
  Workload workload;
  workload.language = catalog.model("deepseek-v3-mtp").language;
  const PipelineLayers partition = make_pipeline_layers(workload);
  CHECK(partition.count() == 62);
  const auto on = [&](PipelineStage stage, int stages) {
    return stage_layers_by_place(partition, partition_stages(partition, on_stages(stages)), stage);
  };
  CHECK(on(PipelineStage::first, 16) == std::array<double, kPlaces>{0, 3, 0, 0});
  CHECK(on(PipelineStage::inner, 16) == std::array<double, kPlaces>{0, 0, 4, 0});
  CHECK(on(PipelineStage::last, 16) == std::array<double, kPlaces>{0, 0, 2, 1});
  CHECK(on(PipelineStage::first, 8) == std::array<double, kPlaces>{0, 3, 4, 0});
  CHECK(on(PipelineStage::first, 1) == std::array<double, kPlaces>{0, 3, 58, 1});
  for (int stages = 2; stages <= 62; ++stages) {
    const StageLayers each = partition_stages(partition, on_stages(stages));
    CHECK(sum(on(PipelineStage::first, stages)) == each.first);
    CHECK(sum(on(PipelineStage::inner, stages)) == each.inner);
    CHECK(sum(on(PipelineStage::last, stages)) == each.last);
  }
}

// Llama 3.2 90B: 80 layers and 20 inserted ones. arXiv:2407.21783, section 7.3: four of the first
// kind and one of the second on a stage.
TEST_CASE("inserted layers are partitioned like the decoder's own", "[pipeline]") {
  const Catalog catalog;
  Workload workload;
  workload.language = catalog.model("llama-3.2-90b-vision").language;
  const PipelineLayers partition = make_pipeline_layers(workload);
  CHECK(partition.count() == 100);
  CHECK(layer_count(workload.language) == 100);
  CHECK(partition_stages(partition, on_stages(20)).inner == 5);
}

// 2,048 tokens with a picture of 577 through an encoder of 24 layers of 1,024 in front of 32 of
// 4,096: its forward and backward FLOPs over those of a layer.
TEST_CASE("an encoder is worth its FLOPs in layers", "[pipeline]") {
  const Catalog catalog;
  const Model& model = catalog.model("llava-1.5-7b");
  Workload workload;
  workload.language = model.language;
  workload.encoder = model.vision->encoder;
  workload.seq_length = workload.attention_length = 2048;
  workload.images_per_sequence = 1;
  workload.encoder_tokens_per_image = 577;
  workload.vision_tokens_per_image = 576;
  const double layer = 2048 * (2 * (4 * 4096.0 * 4096 + 3 * 4096 * 11008.0) + 4 * 4096 * 1024.0);
  const double encoder =
      577 * 24 * (2 * (4 * 1024.0 * 1024 + 2 * 1024 * 4096.0) + 4 * 1024 * 577.0);
  CHECK_THAT(make_pipeline_layers(workload).encoder_at(1), WithinRel(encoder / layer, 1e-9));
  // A frozen one owes the forward pass alone, a third of it.
  workload.encoder_training = Training::frozen;
  CHECK_THAT(make_pipeline_layers(workload).encoder_at(1), WithinRel(encoder / layer / 3, 1e-9));
  workload.cached_features = true;
  CHECK(make_pipeline_layers(workload).encoder_at(8) == 0);
}

TEST_CASE("interleaved micro-batches come in groups that Megatron-Core takes",
          "[pipeline][property]") {
  CHECK(interleaving_group(4, 8) == 4);
  CHECK(interleaving_group(4, 5) == 5);   // one group of all
  CHECK(interleaving_group(4, 10) == 5);  // 5 and 5
  CHECK(interleaving_group(4, 11) == 6);  // 6 and 5; groups of 5 leave 1
  CHECK(interleaving_group(4, 3) == 0);
  for (double pp = 2; pp <= 16; ++pp) {
    for (double m = pp; m <= 100; ++m) {
      const double group = interleaving_group(pp, m);
      INFO("pp " << pp << ", " << m << " micro-batches, groups of " << group);
      // schedules.py: p <= group <= m, and the last group has none or at least p micro-batches.
      CHECK(group >= pp);
      CHECK(group <= m);
      CHECK((std::fmod(m, group) == 0 || std::fmod(m, group) >= pp));
    }
  }
}

// 40 micro-batches on 16 stages of 4 come in groups of 20: (3 x 20 + 31) / 4 = 22.75 in flight
// instead of 16 + 15 / 4 = 19.75; 17 of them are one group, (3 x 17 + 31) / 4 = 20.5, at most the
// 17 there are.
TEST_CASE("uneven groups keep more micro-batches, at most all", "[pipeline]") {
  CHECK(micro_batches_in_flight(16, 4, 32) == 19.75);
  CHECK(micro_batches_in_flight(16, 4, 40) == 22.75);
  CHECK(micro_batches_in_flight(16, 4, 17) == 17);
  for (const double m : {32.0, 40.0, 64.0}) {
    for (double behind = 1; behind < 16; ++behind) {
      CHECK(micro_batches_in_flight(16, 4, m, behind) ==
            std::min(m, micro_batches_in_flight(16, 4, m) - behind / 2));
      CHECK(micro_batches_in_flight(16, 1, m, behind) == 16 - behind);
    }
  }
}
