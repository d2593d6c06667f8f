// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "catalog/models/models.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "trcost/error.h"
#include "workload/blocks/vision.h"
#include "workload/workload.h"

using namespace trcost;

namespace {

/// The published count in a data file; 0 when there is none.
PublishedParameters published(const Catalog& catalog, const std::string& path) {
  ObjectReader reader = parse_strict_json(catalog.file(path), path).object();
  return read_published_parameters(reader);
}

void check_published(double counted, const PublishedParameters& want) {
  if (want.value == 0) return;
  if (want.within == 0) {
    CHECK(counted == want.value);
  } else {
    CHECK_THAT(counted, WithinRel(want.value, want.within));
  }
}

Error error_of(const std::string& json) {
  try {
    test_model(json, "mine.json");
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error was thrown for " << json);
  return Error(ErrorKind::data, "");
}

const std::string kSmall = R"("layers": 2, "hidden": 64, "heads": 4, "ffn": 128, "vocab": 100)";

}  // namespace

TEST_CASE("every model of the catalog meets its published count", "[catalog][models]") {
  const Catalog catalog;
  int exact = 0;
  for (const std::string& name : catalog.names(CatalogKind::models)) {
    INFO(name);
    const Model& model = catalog.model(name);
    CHECK(model.name == name);
    CHECK_FALSE(model.source.empty());
    const PublishedParameters want = published(catalog, "models/" + name + ".json");
    check_published(count_parameters(model).total, want);
    if (want.value > 0 && want.within == 0) ++exact;
  }
  CHECK(exact >= 60);
}

TEST_CASE("every encoder of the catalog meets its published count", "[catalog][models]") {
  const Catalog catalog;
  for (const std::string& name : catalog.names(CatalogKind::encoders)) {
    INFO(name);
    const Encoder& encoder = catalog.encoder(name);
    CHECK(encoder.name == name);
    check_published(encoder_parameters(encoder), published(catalog, "encoders/" + name + ".json"));
  }
}

TEST_CASE("published totals and active parameters", "[catalog][models]") {
  const Catalog catalog;
  const std::map<std::string, double> totals = {{"llama-2-7b", 6738415616},
                                                {"llama-2-13b", 13015864320},
                                                {"llama-2-70b", 68976648192},
                                                {"llama-3.1-8b", 8030261248},
                                                {"llama-3.1-70b", 70553706496},
                                                {"llama-3.1-405b", 405853388800},
                                                {"mixtral-8x7b", 46702792704},
                                                {"deepseek-v3", 671026419200},
                                                {"qwen2.5-7b", 7615616512},
                                                {"qwen2.5-72b", 72706203648},
                                                {"qwen3-30b-a3b", 30532122624},
                                                {"qwen3-235b-a22b", 235093634560},
                                                {"gpt-oss-120b", 116829156672},
                                                {"llava-1.5-7b", 7062902784},
                                                {"llava-1.5-13b", 13350839296},
                                                {"llama-3.2-11b-vision", 10670220835},
                                                {"llama-3.2-90b-vision", 88593355323},
                                                {"idefics2-8b", 8402768112}};
  for (const auto& [name, total] : totals) {
    INFO(name);
    CHECK(count_parameters(catalog.model(name)).total == total);
  }
  CHECK(count_parameters(catalog.model("mixtral-8x7b")).active == 12879925248);
  CHECK(count_parameters(catalog.model("deepseek-v3")).active == 37552297472);
  CHECK(count_parameters(catalog.model("qwen3-30b-a3b")).active == 3353032704);
  CHECK(count_parameters(catalog.model("qwen3-235b-a22b")).active == 22190763520);
  CHECK(count_parameters(catalog.model("gpt-oss-120b")).active == 5711982912);
}

TEST_CASE("encoders with their merger, as their papers count", "[catalog][models]") {
  const Catalog catalog;
  const ParameterCounts second = count_parameters(catalog.model("qwen2-vl-7b"));
  CHECK(second.encoder + second.connector == 675759104);
  const ParameterCounts half = count_parameters(catalog.model("qwen2.5-vl-7b"));
  CHECK(half.encoder + half.connector == 676550144);
  CHECK(encoder_parameters(catalog.encoder("clip-vit-l-14-336")) == 303507456);
  const Encoder& so400m = catalog.encoder("siglip-so400m-14-384");
  CHECK(encoder_parameters(so400m) + so400m.head_params == 428225600);
}

// What is left of a published total once the published parts are taken off.
TEST_CASE("connectors count to the last parameter", "[catalog][models]") {
  const Catalog catalog;
  const auto connector = [&](const char* model) {
    return count_parameters(catalog.model(model)).connector;
  };
  // InternVL2.5-8B less InternViT-300M and InternLM2.5-7B-chat (7,737,708,544) with 9 more entries
  // of 4096 in embedding and head: a norm over 4 x 1024 and two matrices with biases.
  CHECK(connector("internvl2.5-8b") == 8075365376.0 - 304012288 - 7737708544 - 2 * 9 * 4096);
  CHECK(connector("internvl2.5-8b") == 2 * 4096 + 2 * (4096.0 * 4096 + 4096));
  // Idefics2-8B less Mistral-7B with 3 more entries, and SigLIP so400m with 70 x 70 positions
  // instead of 27 x 27.
  CHECK(connector("idefics2-8b") ==
        8402768112.0 - 7241732096 - 2 * 3 * 4096 - (412987248 + (4900 - 729) * 1152.0));
  // LLaVA-1.5-7B (vocabulary 32,000) less Llama 2 7B and CLIP-L/336.
  CHECK(connector("llava-1.5-7b") == 7062902784.0 - 6738415616 - 303507456);
  // Features of six layers of 1280 to Llama's 4096, with a bias.
  CHECK(connector("llama-3.2-11b-vision") == 6 * 1280 * 4096.0 + 4096);
  // One matrix with bias: SigLIP's 1152 to Gemma's 2048.
  CHECK(connector("paligemma-3b") == 1152 * 2048.0 + 2048);
  // Qwen2-VL: a norm of 1280, 5120 x 5120 and 5120 x 3584 with biases.
  CHECK(connector("qwen2-vl-7b") == 2 * 1280 + 5120 * 5120.0 + 5120 + 5120 * 3584.0 + 3584);
}

TEST_CASE("the shortest model file gets the usual defaults", "[catalog][models]") {
  const Model model = test_model(R"({"name": "mine", "language": {)" + kSmall + "}}", "mine.json");
  const LanguageModel& m = model.language;
  CHECK(m.kv_heads == 4);
  CHECK(m.head_dim == 16);
  CHECK(m.mlp == Mlp::gated);
  CHECK(m.norm == Norm::rms);
  CHECK(m.biases == Biases::none);
  CHECK_FALSE(m.tied_embeddings);
  CHECK(m.window_count == 1);
  CHECK(m.windows[0].window == 0);
  CHECK_FALSE(model.vision);
}

TEST_CASE("vision of a model file by bare names", "[catalog][models]") {
  const auto read = [&](const std::string& vision) {
    const std::string json =
        R"({"name": "mine", "language": {)" + kSmall + R"(}, "vision": )" + vision + "}";
    return test_model(json, "mine.json");
  };
  const Model llava = read(R"({"encoder": "clip-vit-l-14-336", "connector": "mlp"})");
  CHECK(llava.vision->tokens_per_image == 576);
  CHECK(llava.vision->encoder_tokens_per_image == 577);
  CHECK(llava.token_family == "llava-1.5");
  const Model perceiver = read(R"({"encoder": "siglip-so400m-14-384", "connector": "perceiver"})");
  CHECK(perceiver.vision->tokens_per_image == 64);
  const Model cross = read(R"({"encoder": "clip-vit-l-14-336", "connector": "cross-attention"})");
  REQUIRE(cross.language.cross_attention);
  CHECK(cross.language.cross_attention->layers == 1);
  const Model tiles = read(R"({"encoder": "internvit-300m-448", "connector": "pixel-shuffle"})");
  CHECK_FALSE(tiles.vision->tokens_per_image.has_value());
  CHECK(tiles.vision->connector.merge == 4);
  const Model large = read(R"({"encoder": "siglip-so400m-14-384", "image_pixels": 980})");
  CHECK(large.vision->encoder.tokens_per_image == 4900);
}

TEST_CASE("other spellings of a model's name", "[catalog][models]") {
  const Catalog catalog;
  for (const char* name : {"llama3-8b", "llama3.1-8b", "Llama-3.1-8B", "llama_3.1_8b"}) {
    CHECK(catalog.model(name).name == "llama-3.1-8b");
  }
  CHECK(catalog.model("gpt3-175b").name == "gpt-3-175b");
  CHECK(catalog.model("llama2-70b").name == "llama-2-70b");
  CHECK(catalog.encoder("clip-vit-l-14").name == "clip-vit-l-14-224");
  CHECK_THROWS_AS(catalog.model("llama3-9b"), Error);
}

TEST_CASE("aliases point to one entry each", "[catalog][models]") {
  const Catalog catalog;
  for (const CatalogKind kind : {CatalogKind::models, CatalogKind::encoders}) {
    const std::string folder = kind == CatalogKind::models ? "models/" : "encoders/";
    std::map<std::string, std::string> owner;
    for (const std::string& name : catalog.names(kind)) owner[name] = name;
    for (const std::string& name : catalog.names(kind)) {
      const std::string path = folder + name + ".json";
      ObjectReader reader = parse_strict_json(catalog.file(path), path).object();
      for (const std::string& alias : reader.texts_or_empty("aliases")) {
        INFO(alias << " of " << name);
        CHECK(owner.emplace(alias, name).second);
      }
    }
  }
}

TEST_CASE("malformed model files are refused with their place", "[catalog][models]") {
  const std::map<std::string, std::string> cases = {
      {R"({"name": "m", "language": {"layers": 2}})", "hidden"},
      {R"({"name": "m", "language": {)" + kSmall + R"(, "layer": 3}})", "layer"},
      {R"({"name": "m", "language": {)" + kSmall + R"(, "kv_heads": 3}})", "kv_heads"},
      {R"({"name": "m", "language": {)" + kSmall + R"(, "norm": "batch"}})", "batch"},
      {R"({"name": "m", "language": {)" + kSmall + R"(, "head_dim": -1}})", "head_dim"},
      {R"({"name": "m", "language": {)" + kSmall + R"(, "attention_window": "far"}})", "window"},
      {R"({"name": "m", "language": {)" + kSmall +
           R"(, "attention_window": [{"share": 0.5, "window": 8}]}})",
       "sum to 0.5"},
      {R"({"name": "m", "language": {)" + kSmall +
           R"(, "moe": {"experts": 2, "experts_per_token": 4, "expert_ffn": 8}}})",
       "experts_per_token"},
      {R"({"name": "m", "schema_version": "2.0", "language": {)" + kSmall + "}}", "schema_version"},
      {R"({"name": "m", "language": {)" + kSmall +
           R"(}, "vision": {"encoder": "clip-vit-l-14-337"}})",
       "clip-vit-l-14-337"},
      {R"({"name": "m", "language": {)" + kSmall +
           R"(}, "vision": {"encoder": "clip-vit-l-14-336", "connector": "bridge"}})",
       "bridge"}};
  for (const auto& [json, word] : cases) {
    INFO(json);
    const Error error = error_of(json);
    const std::string all = error.message + " " + error.location + " " + error.hint;
    CHECK(all.find(word) != std::string::npos);
  }
}
