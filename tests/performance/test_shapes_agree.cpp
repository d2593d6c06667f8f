// SPDX-License-Identifier: Apache-2.0
// Shapes from which step time is computed have the parameters and FLOPs of the model.
#include <cstdint>

#include "catch.h"
#include "performance/training/layer_shape.h"
#include "planner/scenarios.h"
#include "trcost/estimate.h"
#include "workload/closed_form.h"
#include "workload/flops.h"
#include "workload/random_models.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

struct Sums {
  double weights = 0;  // in the whole model
  double flops = 0;    // of the matrices, per text token, forward
  Sums& operator+=(const Sums& other) {
    weights += other.weights;
    flops += other.flops;
    return *this;
  }
};

Sums of_shape(const LayerShape& shape) {
  Sums out;
  for (int i = 0; i < shape.linears; ++i) {
    const LinearShape& linear = shape.linear[static_cast<std::size_t>(i)];
    out.weights += shape.count * linear.n * linear.k;
    out.flops += shape.count * 2 * linear.n * linear.k * linear.tokens;
  }
  for (const LinearShape& linear : {shape.expert_in, shape.expert_out}) {
    out.weights += shape.count * shape.experts * linear.n * linear.k;
    out.flops += shape.count * 2 * shape.experts_per_token * linear.n * linear.k;
  }
  return out;
}

}  // namespace

TEST_CASE("every matrix of a random model is counted alike for FLOPs and for time", "[shapes]") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    INFO("seed " << seed);
    random_models::Dice dice(seed);
    Workload workload;
    workload.language = random_models::language(dice);
    const LanguageModel& m = workload.language;
    workload.seq_length = workload.attention_length = 4096;
    workload.images_per_sequence = dice.roll(1, 4);
    workload.vision_tokens_per_image = dice.roll(1, 6000);
    const double image_tokens = workload.images_per_sequence * workload.vision_tokens_per_image;

    Sums own, inserted;
    double own_core = 0, inserted_core = 0;
    for (const Run& run : blocks_of(m)) {
      const bool cross = run.module == Module::cross;
      LayerShape shape =
          cross ? cross_layer_shape(workload, run.block) : decoder_layer_shape(workload, run.block);
      shape.count = run.count;
      (cross ? inserted : own) += of_shape(shape);
      (cross ? inserted_core : own_core) += shape.count * shape.attention_flops;
    }
    const ForwardFlops forward = forward_flops(workload);
    CHECK_THAT(own_core, WithinRel(forward.attention_core, 1e-12));
    CHECK_THAT(inserted_core, WithinRel(forward.cross_attention_core, 1e-12));
    CHECK_THAT(own.flops, WithinRel(forward.layers_gemm, 1e-12));
    CHECK_THAT(inserted.flops, WithinRel(forward.cross_attention_gemm, 1e-12));
    const double experts = m.moe ? m.moe->experts : 0;
    CHECK_THAT(
        own.weights,
        WithinRel((closed_form::decoder(m, experts) + closed_form::prediction(m, experts)).weights,
                  1e-12));
    if (!m.cross_attention) continue;
    CHECK_THAT(
        inserted.weights,
        WithinRel((closed_form::cross_text(m) + closed_form::cross_image(m)).weights, 1e-12));
    CHECK_THAT(inserted.flops, WithinRel(2 * closed_form::cross_text(m).weights +
                                             2 * closed_form::cross_image(m).weights *
                                                 image_tokens / workload.seq_length,
                                         1e-12));
  }
}

// Tokens per second cannot exceed what the FLOPs of the model allow at the peak.
TEST_CASE("no part of the waterfall exceeds the whole, whatever the width of the keys",
          "[shapes][waterfall]") {
  Workload workload;
  workload.language = test_catalog().model("llama-3.2-11b-vision").language;
  workload.seq_length = workload.attention_length = 4096;
  workload.images_per_sequence = 1;
  workload.vision_tokens_per_image = 6404;
  const Platform platform = planning::platform("h100-sxm", "typical");
  double before = 0;
  for (const double width : {4096.0, 40000.0, 400000.0}) {
    workload.language.cross_attention->key_width = width;
    const StepTime step = StepModel(workload, platform).step(Layout{});
    const double flops = training_flops(workload).total() * workload.seq_length;
    CHECK(flops / step.seconds < 989.4e12);  // dense bf16 peak
    CHECK(step.seconds > before);
    before = step.seconds;
  }
}
