// SPDX-License-Identifier: Apache-2.0
// Every block that a workload computes keeps activations, and stands on one stage of a pipeline.
#include <string>

#include "catch.h"
#include "performance/memory/memory_model.h"
#include "planner/scenarios.h"
#include "trcost/catalog.h"
#include "workload/blocks/block.h"
#include "workload/random_models.h"
#include "workload/reference_vectors.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

MemoryRecipe plain_recipe() {
  MemoryRecipe recipe = test_catalog().stack("megatron").memory;
  recipe.activation_share = 1;
  return recipe;
}

MemoryModel model_of(const Workload& workload, bool eager_encoder = false) {
  return {workload, plain_recipe(), Precision::bf16, 80e9, 8, eager_encoder};
}

Workload with_images(const std::string& name, double seq_length, double images,
                     double vision_tokens) {
  const Model& model = test_catalog().model(name);
  Workload w = reference::text_workload(model.language, seq_length);
  w.encoder = model.vision->encoder;
  w.connector = model.vision->connector;
  w.images_per_sequence = images;
  w.encoder_tokens_per_image = model.vision->encoder.tokens_per_image;
  w.vision_tokens_per_image = vision_tokens;
  return w;
}

double activations(const Workload& workload, const Layout& layout = {}) {
  return model_of(workload).use(layout).activations;
}

}  // namespace

// By hand, a token of 8,192 over eight tensor ranks with sequence parallelism: a layer of width
// 8,192 keeps 8 x 8,192 bytes of norms and inputs, 4 x 64 of statistics and 6 x 28,672 of the
// feed-forward; one of the 80 keeps queries, keys, values and the output of 64 and 8 heads of 128,
// one of the 20 inserted ones queries and the output alone, and keys and values of the image's
// tokens. The projector's gradient needs the features, 7,680 wide, and the inserted layers what it
// makes of them.
TEST_CASE("Llama 3.2 90B's inserted layers keep activations like the decoder's own",
          "[memory][blocks]") {
  Layout layout;
  layout.tp = 8;
  layout.global_batch = 1;
  const double layer = (8 * 8192 + 4 * 64 + 6 * 28672) / 8.0;
  const double own = layer + 2 * 2 * (64 + 8) * 128 / 8.0;
  const double inserted = layer + 2 * 2 * 64 * 128 / 8.0;
  Workload vision = with_images("llama-3.2-90b-vision", 8192, 2, 6404);
  vision.cached_features = true;
  vision.encoder_training = Training::frozen;
  const double image = 20 * 2 * 2 * 8 * 128 / 8.0 + 2 * (7680 + 8192) / 8.0;
  CHECK_THAT(activations(vision, layout),
             WithinRel(8192 * (80 * own + 20 * inserted) + 2 * 6404 * image, 1e-12));
  // The decoder's own are Llama 3.1 70B.
  const Workload text =
      reference::text_workload(test_catalog().model("llama-3.1-70b").language, 8192);
  CHECK(activations(text, layout) == 8192 * 80 * own);
  // Without an image they are skipped.
  vision.images_per_sequence = 0;
  CHECK_THAT(activations(vision, layout), WithinRel(activations(text, layout), 1e-12));
}

// Three of the 32 own layers stand before the first inserted one and never see the image.
TEST_CASE("a frozen decoder keeps nothing below the first layer that sees the image",
          "[memory][blocks]") {
  Workload w = with_images("llama-3.2-11b-vision", 8192, 1, 6404);
  w.cached_features = true;
  w.language_training = w.encoder_training = Training::frozen;
  const double frozen = 4 * 4096 + 2 * 2 * (32 + 8) * 128 + 4 * 32 + 4 * 14336;
  const double inserted = 8 * 4096 + 2 * 2 * 32 * 128 + 4 * 32 + 6 * 14336;
  const double image = 8 * 2 * 2 * 8 * 128 + 2 * (7680 + 4096);
  CHECK_THAT(activations(w), WithinRel(8192 * (29 * frozen + 8 * inserted) + 6404 * image, 1e-12));
}

// LLaVA 1.5: a ViT-L of 577 tokens, 24 layers of 1,024 with 16 heads, a feed-forward of 4,096, and
// a projector 1,024 -> 4,096 -> 4,096 on 576 of them: its input, and its inner values on either
// side of the activation function.
TEST_CASE("encoder and projector keep what their matrices read, where a gradient passes",
          "[memory][blocks]") {
  Workload w = with_images("llava-1.5-7b", 1200, 3, 576);
  w.encoder_tokens_per_image = 577;
  Workload text = w;
  text.encoder.reset();
  text.connector.reset();
  const double layer = 16 * 1024 + 4 * 16 + 4 * 4096;
  const double projector = 2 * (1024 + 2 * 4096);
  const double of_text = activations(text);
  CHECK_THAT(activations(w) - of_text, WithinRel(3 * (577 * 24 * layer + 576 * projector), 1e-9));
  // Frozen, one layer at a time; what goes into a projector that learns stays.
  w.encoder_training = Training::frozen;
  CHECK_THAT(activations(w) - of_text, WithinRel(3 * (577 * layer + 576 * projector), 1e-9));
  w.connector_training = Training::frozen;
  CHECK_THAT(activations(w) - of_text, WithinRel(3 * 577 * layer, 1e-9));
  // Materialised scores of 16 heads: 577 x 577 in each layer, five bytes each.
  w.encoder_training = Training::full;
  const double eager = model_of(w, true).use({}).activations;
  CHECK_THAT(eager - activations(w), WithinRel(3 * 577 * 24.0 * (5 * 16 * 577 - 4 * 16), 1e-9));
}

// The output of Idefics2's perceiver is small and its input is not: 4,900 tokens of an image
// through a gated projection of 14,336.
TEST_CASE("a resampler keeps activations of every token of the image", "[memory][blocks]") {
  Workload w = with_images("idefics2-8b", 2048, 1, 64);
  w.encoder_tokens_per_image = 4900;
  w.encoder_training = Training::frozen;
  Workload without = w;
  without.connector_training = Training::frozen;
  const double kept = activations(w) - activations(without);
  const double projection = 2 * 4900 * (1152 + 3 * 14336 + 4096.0);
  CHECK(kept > projection);
  CHECK(kept < 1.5 * projection);
}

// github.com/OFA-Sys/Chinese-CLIP flash_attention_En.md: GB on each A100 without and with fused
// attention, so many pairs each, FP16, PyTorch 1.10. What fusing saves is the scores of both
// towers, in an allocator that keeps a tenth and more beside them.
TEST_CASE("scores that Chinese-CLIP's eager attention keeps", "[memory][measured]") {
  struct Row {
    const char* model;
    double pairs, eager, fused;
  };
  const MemoryRecipe recipe = test_catalog().stack("hf-trainer").memory;
  for (const Row& row : {Row{"clip-vit-b-16", 450, 80, 56}, Row{"clip-vit-l-14", 128, 77, 50},
                         Row{"clip-vit-l-14-336", 40, 78, 37}, Row{"clip-vit-h-14", 64, 76, 57}}) {
    INFO(row.model);
    const Model& model = test_catalog().model(row.model);
    Workload w = reference::text_workload(model.language, 52);
    w.encoder = model.vision->encoder;
    w.images_per_sequence = 1;
    w.encoder_tokens_per_image = model.vision->encoder.tokens_per_image;
    Layout layout;
    layout.micro_batch = layout.global_batch = row.pairs;
    const auto total = [&](Attention attention) {
      w.attention = attention;
      const bool eager = attention == Attention::standard;
      return MemoryModel(w, recipe, Precision::fp16, 80e9, 8, eager).use(layout).total;
    };
    const double saved = total(Attention::standard) - total(Attention::flash);
    CHECK_THAT(saved / 1e9, WithinRel(row.eager - row.fused, 0.2));
  }
}

// DeepSeek-V3, arXiv:2412.19437, section 2.2: a module joins a hidden state and an embedding, a
// norm on either, by one matrix, and passes the result through a layer like the others: its
// activations are that layer's and those of two norms, 2 x 4 x 7,168 bytes a token.
TEST_CASE("a module that predicts a further token keeps a layer and what it joins",
          "[memory][blocks]") {
  const auto kept = [&](const char* name) {
    return activations(reference::text_workload(test_catalog().model(name).language, 4096));
  };
  LanguageModel one = test_catalog().model("deepseek-v3").language;
  one.layers += 1;
  const double layer = activations(reference::text_workload(one, 4096)) - kept("deepseek-v3");
  CHECK_THAT(kept("deepseek-v3-mtp") - kept("deepseek-v3"),
             WithinRel(layer + 4096 * 2 * 4 * 7168.0, 1e-9));
}

TEST_CASE("each prediction has logits of its own, one at a time where they come in chunks",
          "[memory][blocks]") {
  const auto logits = [](const char* name, Loss loss) {
    Workload w = reference::text_workload(test_catalog().model(name).language, 4096);
    w.loss = loss;
    return model_of(w).use({}).logits;
  };
  CHECK(logits("deepseek-v3", Loss::fused) == 4096 * 129280.0 * 6);
  CHECK(logits("deepseek-v3-mtp", Loss::fused) == 2 * 4096 * 129280.0 * 6);
  CHECK(logits("deepseek-v3-mtp", Loss::chunked) == logits("deepseek-v3", Loss::chunked));
}

TEST_CASE("weights of a random model are its parameters, and two stages hold them once",
          "[memory][blocks][property]") {
  const MemoryRecipe recipe = plain_recipe();
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    random_models::Dice dice(seed);
    const Workload w = reference::text_workload(random_models::language(dice), 4096);
    const ParameterCounts counts = count_parameters(w.language);
    const MemoryModel model = model_of(w);
    const MemoryUse whole = model.use({});
    const double params = counts.total + counts.mtp;
    CHECK_THAT(whole.weights, WithinRel(params * recipe.states.weights, 1e-9));
    CHECK_THAT(whole.optimizer, WithinRel(params * recipe.states.optimizer, 1e-9));
    CHECK(model.pipeline_layers().count() == layer_count(w.language));
    if (model.pipeline_layers().count() < 2) continue;
    Layout split;
    split.pp = 2;
    split.global_batch = 2;
    const MemoryUse first = model.stage(split, PipelineStage::first);
    const MemoryUse last = model.stage(split, PipelineStage::last);
    const double again = w.language.tied_embeddings ? counts.embedding : 0;
    CHECK_THAT(first.weights + last.weights,
               WithinRel((params + again) * recipe.states.weights, 1e-9));
    // Two micro-batches in flight on the first stage, one on the last.
    CHECK_THAT(first.activations / 2 + last.activations, WithinRel(whole.activations, 1e-9));
  }
}
