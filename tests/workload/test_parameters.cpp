// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "catch.h"
#include "workload/blocks/vision.h"
#include "workload/reference_vectors.h"
#include "workload/trainable.h"
#include "workload/workload.h"

using namespace trcost;

TEST_CASE("decoders count to the last parameter", "[workload][parameters]") {
  int checked = 0;
  for (const nlohmann::json* vector : reference::with_prefix("params/")) {
    if (!vector->at("inputs").contains("V")) continue;
    INFO(vector->at("name"));
    const LanguageModel m = reference::language_of(vector->at("inputs"));
    CHECK(count_parameters(m).total == vector->at("expected").get<double>());
    ++checked;
  }
  CHECK(checked >= 13);
}

TEST_CASE("active parameters count the routed experts of one token", "[workload][parameters]") {
  int checked = 0;
  for (const nlohmann::json* vector : reference::with_prefix("params_active/")) {
    INFO(vector->at("name"));
    const LanguageModel m = reference::language_of(vector->at("inputs"));
    CHECK(count_parameters(m).active == vector->at("expected").get<double>());
    ++checked;
  }
  CHECK(checked >= 6);
}

TEST_CASE("totals of model cards", "[workload][parameters]") {
  CHECK(count_parameters(reference::language("llama3-405b")).total == 405853388800);
  CHECK(count_parameters(reference::language("qwen3-30b-a3b")).total == 30532122624);
  const ParameterCounts oss = count_parameters(reference::language("gpt-oss-120b"));
  CHECK(oss.total == 116829156672);
  // The card's 5.13B active leaves the input embedding out.
  CHECK_THAT(oss.active - oss.embedding, WithinRel(5.133e9, 1e-3));
}

TEST_CASE("modules of a decoder add up", "[workload][parameters]") {
  for (const char* name : {"llama3-8b", "gpt2-small", "mixtral-8x7b", "deepseek-v3"}) {
    INFO(name);
    const ParameterCounts c = count_parameters(reference::language(name));
    CHECK(c.embedding + c.layers + c.head == c.language);
    CHECK(c.language + c.encoder + c.connector == c.total);
    CHECK(c.expert <= c.layers);
    CHECK(c.active <= c.total);
  }
}

TEST_CASE("a multi-token-prediction module stays outside of the total", "[workload][parameters]") {
  LanguageModel m = reference::language("deepseek-v3");
  const double total = count_parameters(m).total;
  m.mtp_layers = 1;
  CHECK(count_parameters(m).total == total);
  // README of deepseek-ai/DeepSeek-V3: 14B of the 685B are the module, embedding and head shared:
  // 11.5B are its own.
  CHECK_THAT(count_parameters(m).mtp, WithinRel(11.5e9, 0.01));
}

TEST_CASE("vision encoders count to the last parameter", "[workload][parameters]") {
  Encoder clip = reference::clip_l_336();
  CHECK(encoder_parameters(clip) == 303507456);
  clip.image = 224;
  CHECK(encoder_parameters(clip) == reference::number("params/clip-vit-l14-224-vision"));
  CHECK(encoder_parameters(reference::siglip_so400m_384()) ==
        reference::number("params/siglip-so400m-384-backbone"));
}

TEST_CASE("LLaVA-1.5 from its parts", "[workload][parameters]") {
  const Connector mlp;
  const double small = connector_parameters(mlp, reference::clip_l_336(), 4096);
  CHECK(small == 1024.0 * 4096 + 4096 + 4096.0 * 4096 + 4096);
  Model model;
  model.language = reference::language("llama2-7b");
  model.vision = VisionModel{reference::clip_l_336(), mlp, 576, 577};
  CHECK(count_parameters(model).total == reference::number("params/llava-1.5-7b"));
  model.language.vocab = 32064;
  CHECK(count_parameters(model).total == reference::number("params/llava-1.5-7b-hf(vocab 32064)"));
  model.language = reference::language("llama2-13b");
  CHECK(count_parameters(model).total == reference::number("params/llava-1.5-13b"));
}

TEST_CASE("low-rank adapters on every linear layer", "[workload][parameters]") {
  CHECK(lora_parameters(reference::language("llama2-7b"), 128) ==
        reference::number("lora_params/llama2-7b r=128 all-linear"));
  Workload w = reference::text_workload(reference::language("llama2-7b"), 2048);
  w.language_training = Training::qlora;
  w.lora_rank = 128;
  CHECK(count_trainable(w).total == 319815680);
  w.train_embeddings = true;
  CHECK(count_trainable(w).total == 319815680 + 2 * 32000.0 * 4096);
}

// peft's own count for Llama 3.1 8B at rank 16: 6,815,744 on queries and values, 41,943,040 on all
// linear layers.
TEST_CASE("low-rank adapters on some linear layers", "[workload][parameters]") {
  const LanguageModel m = reference::language("llama3-8b");
  const auto on = [&](AdapterTargets targets) { return lora_parameters(m, 16, targets); };
  CHECK(on(target::query | target::value) == 6815744);
  CHECK(on(target::all) == 41943040);
  CHECK(on(target::attention) + on(target::feed_forward) == on(target::all));
}

TEST_CASE("BLIP-2's Q-Former", "[workload][parameters]") {
  // Blip2QFormerModel of Salesforce/blip2-opt-2.7b: 105,137,664 and 32 x 768 query tokens; the
  // projection to OPT-2.7B's 2560 makes the 107M trainable parameters of arXiv 2301.12597 table 1.
  Connector c;
  c.kind = ConnectorKind::qformer;
  c.latents = 32;
  c.depth = 12;
  c.width = 768;
  Encoder eva;
  eva.hidden = 1408;
  const double total = connector_parameters(c, eva, 2560);
  CHECK(total == 105137664 + 32 * 768 + 768.0 * 2560 + 2560);
  CHECK_THAT(total, WithinRel(107e6, 2e-3));
}
