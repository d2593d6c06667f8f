// SPDX-License-Identifier: Apache-2.0
// The matrices of a model are listed for its parameters and FLOPs, and again as shapes for the time
// of a step: both lists hold the same.
#include <cstdint>

#include "catch.h"
#include "performance/shapes.h"
#include "planner/scenarios.h"
#include "trcost/estimate.h"
#include "workload/linear_layers.h"

using namespace trcost;

namespace {

// Whole numbers in [low, high], the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  double roll(std::uint64_t low, std::uint64_t high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(low + (state_ >> 33) % (high - low + 1));
  }
  bool coin() { return roll(0, 1) == 1; }

 private:
  std::uint64_t state_;
};

LanguageModel random_model(Dice& dice) {
  LanguageModel m;
  m.layers = dice.roll(2, 80);
  m.head_dim = 16 * dice.roll(2, 16);
  m.kv_heads = dice.roll(1, 8);
  m.heads = m.kv_heads * dice.roll(1, 8);
  m.hidden = 64 * dice.roll(4, 128);
  m.ffn = dice.roll(0, 3) == 0 ? 0 : 64 * dice.roll(1, 400);
  m.vocab = 32000;
  m.mlp = dice.coin() ? Mlp::gated : Mlp::plain;
  m.windows[0] = {1, dice.coin() ? dice.roll(1, 5000) : 0};
  m.window_count = 1;
  if (dice.coin()) {
    m.mla = LatentAttention{};
    m.mla->q_lora_rank = dice.coin() ? dice.roll(64, 2048) : 0;
    m.mla->kv_lora_rank = dice.roll(64, 1024);
    m.mla->qk_nope_head_dim = dice.roll(16, 256);
    m.mla->qk_rope_head_dim = dice.roll(16, 128);
    m.mla->v_head_dim = dice.roll(16, 256);
  }
  if (dice.coin()) {
    m.moe = MixtureOfExperts{};
    m.moe->experts = dice.roll(4, 256);
    m.moe->experts_per_token = dice.roll(1, 4);
    m.moe->expert_ffn = 64 * dice.roll(1, 100);
    m.moe->shared_ffn = dice.coin() ? 64 * dice.roll(1, 100) : 0;
    m.moe->shared_gate = dice.coin();
    m.moe->dense_layers = dice.roll(0, static_cast<std::uint64_t>(m.layers) - 1);
  }
  if (dice.coin()) {
    m.cross_attention = CrossAttention{};
    m.cross_attention->layers = dice.roll(1, 20);
    m.cross_attention->ffn = dice.coin() ? 64 * dice.roll(1, 400) : 0;
    m.cross_attention->key_width = dice.coin() ? dice.roll(1, 400000) : 0;
  }
  return m;
}

struct Sums {
  double weights = 0;  // in the whole model
  double flops = 0;    // of the matrices, per text token, forward
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
    Dice dice(seed);
    Workload workload;
    workload.language = random_model(dice);
    const LanguageModel& m = workload.language;
    workload.seq_length = workload.attention_length = 4096;
    workload.images_per_sequence = dice.roll(1, 4);
    workload.vision_tokens_per_image = dice.roll(1, 6000);
    const double image_tokens = workload.images_per_sequence * workload.vision_tokens_per_image;

    LayerShape dense = dense_layer_shape(workload), sparse = expert_layer_shape(workload);
    dense.count = m.moe ? m.moe->dense_layers : m.layers;
    sparse.count = m.layers - dense.count;
    const Sums from_dense = of_shape(dense), from_sparse = of_shape(sparse);
    Sums listed;
    visit_decoder(m, [&](const LinearLayers& l) {
      listed.weights += l.weights();
      listed.flops += 2 * l.active_weights();
    });
    CHECK_THAT(from_dense.weights + from_sparse.weights, WithinRel(listed.weights, 1e-12));
    CHECK_THAT(from_dense.flops + from_sparse.flops, WithinRel(listed.flops, 1e-12));
    const ForwardFlops forward = forward_flops(workload);
    CHECK_THAT(dense.count * dense.attention_flops + sparse.count * sparse.attention_flops,
               WithinRel(forward.attention_core, 1e-12));

    const LayerShape cross = cross_layer_shape(workload);
    const Sums from_cross = of_shape(cross);
    Sums inserted;
    visit_cross_text(m, [&](const LinearLayers& l) {
      inserted.weights += l.weights();
      inserted.flops += 2 * l.active_weights();
    });
    visit_cross_image(m, [&](const LinearLayers& l) {
      inserted.weights += l.weights();
      inserted.flops += 2 * l.active_weights() * image_tokens / workload.seq_length;
    });
    CHECK_THAT(from_cross.weights, WithinRel(inserted.weights, 1e-12));
    CHECK_THAT(from_cross.flops, WithinRel(inserted.flops, 1e-12));
    CHECK_THAT(cross.count * cross.attention_flops, WithinRel(forward.cross_attention_core, 1e-12));
  }
}

// Tokens per second cannot exceed what the FLOPs of the model allow at the peak.
TEST_CASE("no part of the waterfall exceeds the whole, whatever the width of the keys",
          "[shapes][waterfall]") {
  Workload workload;
  workload.language = planning::catalog().model("llama-3.2-11b-vision").language;
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
