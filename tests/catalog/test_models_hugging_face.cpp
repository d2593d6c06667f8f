// SPDX-License-Identifier: Apache-2.0
// config.json files as published (the keys that shape the model), held against the parameter
// counts that their authors publish.
#include <map>
#include <string>

#include "catalog/loaders.h"
#include "catalog/strict_json.h"
#include "catch.h"
#include "trcost/error.h"
#include "trcost/workload.h"

using namespace trcost;

namespace {

Model read(const std::string& name) {
  const Catalog catalog;
  return catalog.model(TRCOST_SOURCE_DIR "/tests/data/hf/" + name + ".json");
}

std::string error_of(const std::string& json) {
  const Catalog catalog;
  try {
    parse_model(parse_strict_json(json, "config.json"), catalog);
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::data);
    return error.message + " " + error.hint;
  }
  return {};
}

}  // namespace

TEST_CASE("config.json of every family counts as published", "[catalog][models][hugging_face]") {
  const std::map<std::string, double> published = {
      {"llama-3.1-8b", 8030261248},      {"llama-2-7b", 6738415616},
      {"mistral-7b", 7241732096},        {"mistral-7b-v0.3", 7248023552},
      {"mixtral-8x7b", 46702792704},     {"qwen2.5-7b", 7615616512},
      {"qwen2.5-0.5b", 494032768},       {"qwen1.5-moe-a2.7b", 14315784192},
      {"qwen3-8b", 8190735360},          {"qwen3-30b-a3b", 30532122624},
      {"deepseek-v3", 671026419200},     {"deepseek-v2", 235741434880},
      {"deepseek-v2-lite", 15706484224}, {"gemma-2b", 2506172416},
      {"gemma-2-9b", 9241705984},        {"gemma-3-1b", 999885952},
      {"gemma-3-4b", 4300079472},        {"gpt2", 124439808},
      {"gpt-neox-20b", 20554567680},     {"falcon-7b", 6921720704},
      {"falcon-40b", 41303293952},       {"mpt-7b", 6649286656},
      {"gpt-oss-20b", 20914757184},      {"llava-1.5-7b-hf", 7063427072},
      {"llava-v1.5-7b", 7062902784},     {"qwen2-vl-7b", 8291375616},
      {"qwen2-vl-2b", 2208985600},       {"qwen2.5-vl-3b", 3754622976},
      {"internvl2.5-8b", 8075365376},    {"internvl2.5-26b", 25514186112},
      {"idefics2-8b", 8402768112},       {"smolvlm-256m", 256484928},
      {"paligemma-3b", 2923466480},      {"paligemma2-3b", 3032242416},
      {"llama-3.2-11b-vision", 10670220835}};
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
    for (const auto& [w, model] : {std::pair{&ours, catalog.model(name)},
                                   std::pair{&theirs, read(name)}}) {
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

TEST_CASE("names of models read from config.json", "[catalog][models][hugging_face]") {
  CHECK(read("llama-2-7b").name == "Llama-2-7b-hf");
  CHECK(read("gpt2").name == "hf");  // the folder that holds the file
}

TEST_CASE("another family names what is missing", "[catalog][models][hugging_face]") {
  const std::string path = TRCOST_SOURCE_DIR "/tests/data/hf/mamba-130m.json";
  const std::string text = read_text_file(path);
  const std::string message = error_of(text);
  CHECK(message.find("mamba") != std::string::npos);
  CHECK(message.find("num_attention_heads, intermediate_size") != std::string::npos);
  CHECK(message.find("llama") != std::string::npos);
  CHECK(error_of(R"({"architectures": ["X"], "hidden_size": 4})").find("model_type") !=
        std::string::npos);
}

TEST_CASE("malformed config.json files", "[catalog][models][hugging_face]") {
  CHECK_FALSE(error_of(R"({"model_type": "llama", "hidden_size": -1})").empty());
  CHECK_FALSE(error_of(R"({"model_type": "llama", "hidden_size": "wide"})").empty());
  CHECK_FALSE(error_of(R"({"model_type": "llama", "num_attention_heads": 33})").empty());
  CHECK_FALSE(error_of(R"({"model_type": "llama", "num_key_value_heads": 7})").empty());
  CHECK_FALSE(error_of(R"({"model_type": "deepseek_v2"})").empty());
  CHECK_FALSE(
      error_of(R"({"model_type": "llava", "vision_config": {"model_type": "sam"}})").empty());
  CHECK_FALSE(
      error_of(R"({"model_type": "llava", "text_config": {"model_type": "mamba"}})").empty());
}
