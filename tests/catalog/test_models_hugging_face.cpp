// SPDX-License-Identifier: Apache-2.0
// config.json files as published (the keys that shape the model), held against the parameter
// counts that their authors publish.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "catalog/data/unread.h"
#include "catalog/models/hugging_face/text_families.h"
#include "catalog/models/hugging_face/vision_families.h"
#include "catalog/models/models.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "error_message.h"
#include "json/strict_json.h"
#include "text/files.h"
#include "trcost/error.h"
#include "workload/flops.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

Model read(const std::string& name) {
  const Catalog catalog;
  return catalog.model(TRCOST_SOURCE_DIR "/tests/data/hf/" + name + ".json");
}

std::string config_error(const std::string& json) {
  try {
    test_model(json, "config.json");
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::data);
    return error.message + " " + error.hint;
  }
  return {};
}

}  // namespace

TEST_CASE("config.json of every family counts as published", "[catalog][models][hugging_face]") {
  const std::map<std::string, double> published = {{"llama-3.1-8b", 8030261248},
                                                   {"llama-2-7b", 6738415616},
                                                   {"mistral-7b", 7241732096},
                                                   {"mistral-7b-v0.3", 7248023552},
                                                   {"mixtral-8x7b", 46702792704},
                                                   {"qwen2.5-7b", 7615616512},
                                                   {"qwen2.5-0.5b", 494032768},
                                                   {"qwen1.5-moe-a2.7b", 14315784192},
                                                   {"qwen3-8b", 8190735360},
                                                   {"qwen3-30b-a3b", 30532122624},
                                                   {"deepseek-v3", 671026419200},
                                                   {"deepseek-v2", 235741434880},
                                                   {"deepseek-v2-lite", 15706484224},
                                                   {"gemma-2b", 2506172416},
                                                   {"gemma-2-9b", 9241705984},
                                                   {"gemma-3-1b", 999885952},
                                                   {"gemma-3-4b", 4300079472},
                                                   {"gpt2", 124439808},
                                                   {"gpt-neox-20b", 20554567680},
                                                   {"falcon-7b", 6921720704},
                                                   {"falcon-40b", 41303293952},
                                                   {"mpt-7b", 6649286656},
                                                   {"gpt-oss-20b", 20914757184},
                                                   {"llava-1.5-7b-hf", 7063427072},
                                                   {"llava-v1.5-7b", 7062902784},
                                                   {"qwen2-vl-7b", 8291375616},
                                                   {"qwen2-vl-2b", 2208985600},
                                                   {"qwen2.5-vl-3b", 3754622976},
                                                   {"internvl2.5-8b", 8075365376},
                                                   {"internvl2.5-26b", 25514186112},
                                                   {"idefics2-8b", 8402768112},
                                                   {"smolvlm-256m", 256484928},
                                                   {"paligemma-3b", 2923466480},
                                                   {"paligemma2-3b", 3032242416},
                                                   {"llama-3.2-11b-vision", 10670220835},
                                                   // safetensors totals of the releases
                                                   {"qwen3-vl-4b", 4437815808},
                                                   {"qwen3-vl-8b", 8767123696},
                                                   {"phi-4", 14659507200},
                                                   {"olmo-2-7b", 7298617344}};
  for (const auto& [name, total] : published) {
    INFO(name);
    CHECK(count_parameters(read(name)).total == total);
  }
}

TEST_CASE("families whose count is published rounded", "[catalog][models][hugging_face]") {
  CHECK_THAT(count_parameters(read("qwen2-57b-a14b")).total, WithinRel(57.4e9, 2e-3));
  CHECK_THAT(count_parameters(read("qwen2-57b-a14b")).active, WithinRel(14.2e9, 2e-2));
  CHECK_THAT(count_parameters(read("llava-v1.6-34b-hf")).total, WithinRel(34.8e9, 5e-3));
  CHECK_THAT(count_parameters(read("internvl3-1b-hf")).total, WithinRel(0.80e9, 5e-3));
  CHECK_THAT(count_parameters(read("idefics3-8b")).total, WithinRel(8.46e9, 2e-3));
  struct Card {
    const char* name;
    double total, active, within;  // active 0: dense
  };
  // Model cards; active counts leave out embeddings in some, so they are held loosely.
  for (const Card& card : {
           Card{"llama-4-scout", 109e9, 17e9, 0.01},
           Card{"llama-4-maverick", 400e9, 17e9, 0.01},
           Card{"kimi-k2", 1.03e12, 32e9, 0.01},
           Card{"kimi-vl-a3b", 16.4e9, 0, 0.01},
           Card{"glm-4.5", 355e9, 32e9, 0.01},
           Card{"glm-4.5-air", 106e9, 12e9, 0.01},
           Card{"glm-4-9b", 9.4e9, 0, 0.01},
           Card{"minimax-m2", 230e9, 10e9, 0.01},
           Card{"hunyuan-a13b", 80e9, 13e9, 0.01},
           Card{"ernie-4.5-21b-a3b", 21.8e9, 3e9, 0.01},
           Card{"qwen3-vl-30b-a3b", 31.1e9, 3.3e9, 0.01},
           Card{"mistral-small-3.1-24b", 24e9, 0, 0.005},
           Card{"pixtral-12b", 12.7e9, 0, 0.005},
           Card{"internvl3-8b", 7.94e9, 0, 0.005},
           Card{"internvl3.5-30b-a3b", 30.8e9, 3.3e9, 0.01},
           Card{"olmo-3-7b", 7.3e9, 0, 0.005},
       }) {
    INFO(card.name);
    const ParameterCounts counts = count_parameters(read(card.name));
    CHECK_THAT(counts.total, WithinRel(card.total, card.within));
    if (card.active > 0) CHECK_THAT(counts.active, WithinRel(card.active, 0.2));
  }
}

TEST_CASE("families of the table of keys count as their cards say",
          "[catalog][models][hugging_face]") {
  struct Card {
    const char* name;
    double total, active, within;  // active 0: dense
  };
  for (const Card& card : {
           Card{"phi-2-msft", 2779683840, 0, 1e-9},     // safetensors total
           Card{"starcoder2-7b", 7173923840, 0, 1e-3},  // likewise
           Card{"aya-23-8b", 8028033024, 0, 1e-9},      // likewise
           Card{"mimo-7b", 7.6e9, 0, 0.01},
           Card{"glm-4-9b-chat", 9.4e9, 0, 0.01},
           Card{"minicpm3-4b", 4.07e9, 0, 0.01},
           Card{"gpt-j-6b", 6.05e9, 0, 0.005},
           Card{"deepseek-moe-16b", 16.4e9, 2.8e9, 0.005},
           Card{"vila1.5-3b", 3.1e9, 0, 0.03},
           Card{"ministral-3-3b", 3.85e9, 0, 0.01},  // 3.4B and a tower of 0.4B
           Card{"arctic-embed-m", 109e6, 0, 0.01},
           Card{"glm-5", 744e9, 40e9, 0.005},
           Card{"qwen3.5-35b-a3b", 35e9, 3e9, 0.01},
           Card{"nemotron-3-super", 120e9, 12e9, 0.01},
           Card{"nemotron-3-ultra", 550e9, 55e9, 0.01},
           Card{"kimi-k2.5", 1.03e12, 32e9, 0.01},
           Card{"dbrx", 132e9, 36e9, 0.005},
           Card{"bamba-9b", 9.78e9, 0, 0.001},
           Card{"granite-4.0-h-small", 32e9, 9e9, 0.01},
           Card{"deberta-v3-base", 184e6, 0, 0.005},
       }) {
    INFO(card.name);
    const Model model = read(card.name);
    const ParameterCounts counts = count_parameters(model);
    CHECK_THAT(counts.total, WithinRel(card.total, card.within));
    if (card.active > 0) CHECK_THAT(counts.active, WithinRel(card.active, 0.3));
    // No size of another model stands in.
    for (const TakenDefault& each : model.defaults) {
      CHECK(each.key.find("hidden_size") == std::string::npos);
      CHECK(each.key.find("num_hidden_layers") == std::string::npos);
    }
  }
  CHECK(read("arctic-embed-m").language.bidirectional);
  CHECK(read("deberta-v3-base").language.bidirectional);
}

TEST_CASE("keys of a config.json that are not used are named", "[catalog][models][hugging_face]") {
  const auto warnings = [](const std::string& json) {
    std::string all;
    for (const std::string& each : test_model(json, "x.json").warnings) all += each + "|";
    return all;
  };
  const std::string llama = R"({"model_type": "llama", "hidden_size": 256, "num_hidden_layers": 2,
      "intermediate_size": 512, "num_attention_heads": 4, "vocab_size": 1000)";
  CHECK(warnings(llama + "}").empty());
  CHECK(warnings(llama + R"(, "rope_theta": 1e4, "eos_token_id": 2, "attention_dropout": 0.1,
                            "block_configs": null, "num_streams": 0})")
            .empty());
  const std::string strange = warnings(llama + R"(, "block_configs": [{}], "num_streams": 4})");
  CHECK(strange.find("block_configs, num_streams") != std::string::npos);
}

TEST_CASE("the class names the family where model_type does not",
          "[catalog][models][hugging_face]") {
  const Model model = test_model(
      R"({"architectures": ["Qwen3ForCausalLM"], "hidden_size": 256, "num_hidden_layers": 2,
          "intermediate_size": 512, "num_attention_heads": 4, "num_key_value_heads": 4,
          "vocab_size": 1000})",
      "x.json");
  CHECK(model.language.qk_norm);
  REQUIRE(model.warnings.size() == 1);
  CHECK(model.warnings.front().find("qwen3") != std::string::npos);
}

TEST_CASE("other files of a model's folder say what they are", "[catalog][models][hugging_face]") {
  const std::pair<const char*, const char*> files[] = {
      {R"({"peft_type": "LORA", "r": 8, "base_model_name_or_path": "Qwen/Qwen2-7B"})",
       "LoRA adapter of rank 8 of Qwen/Qwen2-7B, not a model set --model Qwen/Qwen2-7B --train "
       "lora --lora-rank 8"},
      {R"({"eos_token_id": 2, "do_sample": true, "transformers_version": "4.40"})",
       "settings of text generation"},
      {R"({"tokenizer_class": "X", "added_tokens_decoder": {}})", "tokenizer"},
      {R"({"image_processor_type": "X", "image_mean": [0.5]})", "processor"},
      {R"({"metadata": {"total_size": 14483464192}, "weight_map": {"a": "b"}})",
       "7.24B parameters"},
      {R"({"producer": {"name": "modelopt"}, "quantization": {}})", "quantized weights"},
      {R"({"zero_optimization": {"stage": 3}})", "DeepSpeed"},
      {R"({"log_history": []})", "calibrate --log"}};
  for (const auto& [json, part] : files) {
    INFO(json);
    CHECK(config_error(json).find(part) != std::string::npos);
  }
}

TEST_CASE("a config.json and the catalog's file are the same model",
          "[catalog][models][hugging_face]") {
  const Catalog catalog;
  for (const char* name :
       {"llama-3.1-8b", "mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3", "deepseek-v2-lite",
        "gpt-oss-20b", "gemma-2-9b", "gemma-3-4b", "falcon-7b", "llama-3.2-11b-vision",
        "qwen2.5-vl-3b", "idefics2-8b", "internvl2.5-26b"}) {
    INFO(name);
    Workload ours, theirs;
    for (const auto& [w, model] :
         {std::pair{&ours, catalog.model(name)}, std::pair{&theirs, read(name)}}) {
      w->language = model.language;
      w->seq_length = w->attention_length = 16384;
      if (!model.vision) continue;
      w->encoder = model.vision->encoder;
      w->connector = model.vision->connector;
      w->images_per_sequence = 4;
      w->encoder_tokens_per_image = 6432;
      w->vision_tokens_per_image = 1608;
    }
    CHECK(training_flops(ours).total() == training_flops(theirs).total());
    CHECK(catalog.model(name).token_family == read(name).token_family);
  }
}

TEST_CASE("a config.json is named after its folder, another file after itself",
          "[catalog][models][hugging_face]") {
  namespace fs = std::filesystem;
  CHECK(read("llama-2-7b").name == "llama-2-7b");
  CHECK(read("gpt2").name == "gpt2");
  const std::string own = R"({"model_type": "gpt2", "_name_or_path": "openai-community/gpt2-xl"})";
  const std::string anonymous = R"({"model_type": "gpt2", "_name_or_path": "./checkpoint"})";
  const auto name = [&](const std::string& json, const std::string& origin) {
    return test_model(json, origin).name;
  };
  CHECK(name(own, "models/my-run/config.json") == "gpt2-xl");
  CHECK(name(own, "my-variant.json") == "my-variant");
  CHECK(name(own, "./my.variant.json") == "my.variant");
  CHECK(name(anonymous, "models/my-run/config.json") == "my-run");
  CHECK(name(anonymous, "models/my-run/../other/./config.json") == "other");
  const std::string here = fs::current_path().filename().string();
  CHECK(name(anonymous, "config.json") == here);
  CHECK(name(anonymous, "./config.json") == here);
  CHECK(name(anonymous, "../config.json") == fs::current_path().parent_path().filename().string());
  CHECK(name(anonymous, "/config.json") == "gpt2");
}

TEST_CASE("keys that a config.json leaves out are listed with what stands in for them",
          "[catalog][models][hugging_face]") {
  const Catalog catalog;
  const auto defaults = [&](const std::string& json) {
    std::map<std::string, std::string> out;
    for (const TakenDefault& each : test_model(json, "x.json").defaults) {
      CHECK(out.emplace(each.key, each.value).second);
    }
    return out;
  };
  // MistralConfig and LlamaConfig of transformers.
  const auto mistral = defaults(
      R"({"model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32,
          "num_attention_heads": 32, "vocab_size": 32000, "tie_word_embeddings": false})");
  CHECK(mistral == std::map<std::string, std::string>{{"intermediate_size", "14336"},
                                                      {"num_key_value_heads", "8"}});
  CHECK(defaults(R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
                     "intermediate_size": 11008, "num_attention_heads": 32, "vocab_size": 32000,
                     "num_key_value_heads": 8, "tie_word_embeddings": false})")
            .empty());
  const auto llava = defaults(R"({"model_type": "llava", "text_config": {"vocab_size": 32064},
                                  "vision_config": {"hidden_size": 1024, "num_hidden_layers": 24,
                                                    "num_attention_heads": 16}})");
  CHECK(llava.at("text_config.model_type") == "llama");
  CHECK(llava.at("text_config.hidden_size") == "4096");
  CHECK(llava.at("vision_config.patch_size") == "32");
  CHECK_FALSE(llava.contains("text_config.vocab_size"));
  CHECK_FALSE(llava.contains("vision_config.hidden_size"));
  // The catalog's own files say everything.
  CHECK(catalog.model("llama-3.1-8b").defaults.empty());
  CHECK(read("llama-3.1-8b").defaults.empty());
}

TEST_CASE("sizes of experts, latent attention and heads that a file lacks are among its defaults",
          "[catalog][models][hugging_face]") {
  const auto lacks = [](const std::string& json, const std::string& key) {
    const Model model = test_model(json, "x.json");
    return std::ranges::any_of(model.defaults,
                               [&](const TakenDefault& each) { return each.key == key; });
  };
  const std::string common =
      R"("hidden_size": 1024, "num_hidden_layers": 8, "intermediate_size": 2816,
         "num_attention_heads": 16, "vocab_size": 32000, "num_key_value_heads": 8)";
  CHECK(lacks(R"({"model_type": "mixtral", )" + common + "}", "num_experts_per_tok"));
  CHECK(lacks(R"({"model_type": "qwen3", )" + common + "}", "head_dim"));
  CHECK(lacks(R"({"model_type": "granite", "hidden_size": 1024, "num_hidden_layers": 8,
                  "intermediate_size": 2816, "num_attention_heads": 16, "vocab_size": 32000})",
              "num_key_value_heads"));
  CHECK(lacks(R"({"model_type": "kimi_k2", "num_experts_per_tok": 8, )" + common + "}",
              "v_head_dim"));
  // The class of Baichuan has no such key.
  CHECK_FALSE(lacks(R"({"model_type": "baichuan", "hidden_size": 1024, "num_hidden_layers": 8,
                        "intermediate_size": 2816, "num_attention_heads": 16,
                        "vocab_size": 32000})",
                    "num_key_value_heads"));
}

TEST_CASE("a size under two names counts once if both say the same",
          "[catalog][models][hugging_face]") {
  const auto warnings = [](const std::string& layers) {
    return test_model(R"({"model_type": "chatglm", "num_layers": 40, "num_hidden_layers": )" +
                          layers +
                          R"(, "hidden_size": 4096, "num_attention_heads": 32,
                          "ffn_hidden_size": 13696, "padded_vocab_size": 151552,
                          "kv_channels": 128})",
                      "x.json")
        .warnings;
  };
  CHECK(warnings("40").empty());
  REQUIRE(warnings("28").size() == 1);
  CHECK(warnings("28").front().find("num_hidden_layers") != std::string::npos);
}

TEST_CASE("an encoder of images is refused without asking for a vocabulary",
          "[catalog][models][hugging_face]") {
  const std::string message = message_of([] {
    test_model(R"({"model_type": "swin", "embed_dim": 96, "depths": [2, 2, 6, 2]})", "x.json");
  });
  CHECK(message.find("encoder of images") != std::string::npos);
  CHECK(message.find("vocab_size") == std::string::npos);
}

// Counts of the weights on the Hugging Face hub (safetensors), of timm's results/ tables for the
// models that both have, and of open_clip's docs/model_profile.csv.
TEST_CASE("encoders of images that learn alone count as published",
          "[catalog][models][hugging_face]") {
  struct Published {
    const char* config;
    double params, tokens;
  };
  std::string classes = "{";
  for (int i = 0; i < 1000; ++i) classes += fmt::format("{}\"{}\": \"c\"", i == 0 ? "" : ", ", i);
  const std::string vit = R"({"model_type": "vit", "architectures": ["ViTForImageClassification"],
      "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
      "intermediate_size": 3072, "image_size": 224, "patch_size": 16, "num_channels": 3,
      "qkv_bias": true, "id2label": )" +
                          classes + "}}";
  const Published all[] = {
      {vit.c_str(), 86567656, 197},
      {R"({"model_type": "dinov2", "hidden_size": 1024, "num_hidden_layers": 24, "mlp_ratio": 4,
           "num_attention_heads": 16, "image_size": 518, "patch_size": 14,
           "use_swiglu_ffn": false})",
       304368640, 1370},
      {R"({"model_type": "dinov2", "hidden_size": 768, "num_hidden_layers": 12, "mlp_ratio": 4,
           "num_attention_heads": 12, "image_size": 518, "patch_size": 14,
           "use_swiglu_ffn": false})",
       86580480, 1370},
      {R"({"model_type": "dinov2", "hidden_size": 1536, "num_hidden_layers": 40, "mlp_ratio": 4,
           "num_attention_heads": 24, "image_size": 518, "patch_size": 14,
           "use_swiglu_ffn": true})",
       1136480768, 1370},
      {R"({"model_type": "clip_vision_model", "hidden_size": 1024, "num_hidden_layers": 24,
           "num_attention_heads": 16, "intermediate_size": 4096, "image_size": 224,
           "patch_size": 14})",
       303179776, 257},
      {R"({"model_type": "siglip_vision_model", "hidden_size": 768, "num_hidden_layers": 12,
           "num_attention_heads": 12, "intermediate_size": 3072, "image_size": 224,
           "patch_size": 16})",
       92884224, 196}};
  for (const Published& each : all) {
    const Model model = test_model(each.config, "x.json");
    CHECK_THAT(count_parameters(model).total, WithinRel(each.params, 1e-9));
    CHECK(model.language.context == each.tokens);
    CHECK_FALSE(model.language.output_head);
    REQUIRE(model.warnings.size() == 1);
    CHECK(model.warnings.front().find("patches") != std::string::npos);
  }
}

TEST_CASE("contrastive pairs in the files of transformers are those of the catalog",
          "[catalog][models][hugging_face]") {
  const Model clip = test_model(
      R"({"model_type": "clip", "projection_dim": 768,
          "text_config": {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
            "num_attention_heads": 12, "vocab_size": 49408, "max_position_embeddings": 77},
          "vision_config": {"hidden_size": 1024, "intermediate_size": 4096, "image_size": 224,
            "num_hidden_layers": 24, "num_attention_heads": 16, "patch_size": 14}})",
      "x.json");
  CHECK(count_parameters(clip).total == 427616513);
  const Model siglip = test_model(
      R"({"model_type": "siglip",
          "text_config": {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
            "num_attention_heads": 12, "vocab_size": 32000, "max_position_embeddings": 64},
          "vision_config": {"hidden_size": 768, "intermediate_size": 3072, "image_size": 224,
            "num_hidden_layers": 12, "num_attention_heads": 12, "patch_size": 16}})",
      "x.json");
  CHECK(count_parameters(siglip).total == 203155970);
}

TEST_CASE("null is not the class default where the class gives it a meaning",
          "[catalog][models][hugging_face]") {
  const JsonValue json =
      parse_strict_json(R"({"model_type": "mistral", "num_key_value_heads": null})", "x.json");
  const Model model = test_model(json);
  CHECK(model.language.kv_heads == 32);  // as many as heads, not MistralConfig's 8
}

TEST_CASE("the context of a config.json is read", "[catalog][models][hugging_face]") {
  CHECK(read("llava-1.5-7b-hf").language.context == 4096);
  CHECK(read("mpt-7b").language.context == 2048);
  CHECK_FALSE(read("llama-2-7b").language.context);  // the file does not say
}

TEST_CASE("another family is refused for the reason that holds",
          "[catalog][models][hugging_face]") {
  const auto has = [](const std::string& text, const char* part) {
    INFO(text << " lacks " << part);
    CHECK(text.find(part) != std::string::npos);
  };
  const std::string path = TRCOST_SOURCE_DIR "/tests/data/hf/mamba-130m.json";
  const std::string mamba = config_error(read_text_file(path));
  has(mamba, "mamba");
  has(mamba, "state space");
  has(mamba, "model file");
  for (const char* family : {"kimi_linear", "lfm2"}) {
    has(config_error(std::string(R"({"model_type": ")") + family + R"("})"), "linear attention");
  }
  // Each family that the data lists says why, and what it calls nearest is there.
  const Catalog catalog;
  const auto listed = nlohmann::json::parse(catalog.file("unread.json"));
  for (const nlohmann::json& row : listed["families"]) {
    const std::string family = row["family"];
    const std::string why = listed["reasons"][row["reason"]];
    has(config_error(R"({"model_type": ")" + family + R"("})"), why.c_str());
    CHECK_FALSE(is_text_family(family));
    CHECK_FALSE(is_vision_family(family));
    if (row.contains("nearest")) CHECK(catalog.model(row["nearest"].get<std::string>()).name != "");
    if (!row.contains("models")) continue;
    for (const std::string start : row["models"]) {
      CHECK(unread_model(catalog, start + "-7b").has_value());
    }
  }
  const std::string sparse = config_error(R"({"model_type": "deepseek_v4", "hidden_size": 6144})");
  has(sparse, "indexer");
  has(sparse, "deepseek-v3");
  has(config_error(R"({"model_type": "gemma4_text", "hidden_size_per_layer_input": 256})"),
      "for each layer");
  has(config_error(R"({"model_type": "new", "hidden_size": 8})"), "num_hidden_layers");
  // A decoder of a known family is read alone.
  const Model decoder = test_model(
      R"({"model_type": "qwen4_vl", "vision_config": {},
          "text_config": {"model_type": "qwen3", "hidden_size": 256}})",
      "x.json");
  CHECK(decoder.language.hidden == 256);
  CHECK_FALSE(decoder.vision);
  REQUIRE_FALSE(decoder.warnings.empty());
  has(decoder.warnings.front(), "only the decoder");
  const std::string unknown = config_error(
      R"({"model_type": "new_vl", "text_config": {"model_type": "new", "hidden_size": 8}})");
  has(unknown, "keys stand in text_config, of the family \"new\"");
  CHECK(config_error(R"({"architectures": ["X"], "hidden_size": 4})").find("model_type") !=
        std::string::npos);
}

TEST_CASE("malformed config.json files", "[catalog][models][hugging_face]") {
  CHECK_FALSE(config_error(R"({"model_type": "llama", "hidden_size": -1})").empty());
  CHECK_FALSE(config_error(R"({"model_type": "llama", "hidden_size": "wide"})").empty());
  CHECK_FALSE(config_error(R"({"model_type": "llama", "num_attention_heads": 33})").empty());
  CHECK_FALSE(config_error(R"({"model_type": "llama", "num_key_value_heads": 7})").empty());
  CHECK_FALSE(config_error(R"({"model_type": "deepseek_v2"})").empty());
  CHECK_FALSE(
      config_error(R"({"model_type": "llava", "vision_config": {"model_type": "sam"}})").empty());
  CHECK_FALSE(
      config_error(R"({"model_type": "llava", "text_config": {"model_type": "mamba"}})").empty());
  for (const char* family : {"paligemma", "idefics3", "internvl_chat", "llava_onevision"}) {
    INFO(family);
    CHECK(config_error(std::string(R"({"model_type": ")") + family + R"("})").find("is missing") !=
          std::string::npos);
  }
}

// quantization_config of released files: openai/gpt-oss-120b, deepseek-ai/DeepSeek-V3,
// nvidia/DeepSeek-R1-FP4, Qwen/Qwen2.5-7B-Instruct-AWQ and -GPTQ-Int8, unsloth's bnb-4bit,
// RedHatAI's FP8-dynamic and NVFP4, moonshotai/Kimi-K2-Thinking, amd/DeepSeek-R1-MXFP4.
TEST_CASE("the released format is that of quantization_config", "[catalog][models][hugging_face]") {
  const std::string shape =
      R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
          "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000)";
  const auto format = [&](const std::string& quantization) {
    return test_model(shape + ", \"quantization_config\": " + quantization + "}", "config.json")
        .released_format;
  };
  const auto group = [](const std::string& weights) {
    return R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": )" +
           weights + "}}}";
  };
  CHECK(format(R"({"quant_method": "mxfp4"})") == "mxfp4");
  CHECK(format(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})") == "fp8");
  CHECK(format(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})") == "nvfp4");
  CHECK(format(R"({"quant_method": "modelopt", "quantization": {"quant_algo": "FP8"}})") == "fp8");
  CHECK(format(R"({"quant_method": "awq", "bits": 4, "group_size": 128})") == "int4");
  CHECK(format(R"({"quant_method": "gptq", "bits": 8})") == "fp8");
  CHECK(format(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})") == "int4");
  CHECK(format(R"({"quant_method": "fbgemm_fp8"})") == "fp8");
  CHECK(format(group(R"({"num_bits": 8, "type": "float"})")) == "fp8");
  CHECK(format(group(R"({"num_bits": 4, "type": "float", "group_size": 16})")) == "nvfp4");
  CHECK(format(group(R"({"num_bits": 4, "type": "int", "group_size": 32})")) == "int4");
  CHECK(format(R"({"quant_method": "quark",
                   "global_quant_config": {"weight": {"dtype": "fp4"}}})") == "mxfp4");
  const Model other =
      test_model(shape + R"(, "quantization_config": {"quant_method": "aqlm"}})", "config.json");
  CHECK(other.released_format.empty());
  CHECK(other.unread_quantization == "aqlm");
  CHECK(test_model(shape + "}", "config.json").unread_quantization.empty());
}
