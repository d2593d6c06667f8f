// SPDX-License-Identifier: Apache-2.0
// The model that a scenario names: encoders by size, and what a configuration file leaves open.
#include <algorithm>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/question/data/resolve_work.h"
#include "estimate/question/work/resolve_model.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Scenario with_encoder(const std::string& word) {
  Scenario s;
  s.set_number(Field::model_params, 14e9);
  s.set_text(Field::model_vision_encoder, word);
  return s;
}

std::string encoder_for(const std::string& word) {
  Notes notes(false);
  return resolve_model(with_encoder(word), test_catalog(), notes).vision->encoder.name;
}

}  // namespace

TEST_CASE("a vision encoder may be named by its size", "[estimate][vision]") {
  CHECK(encoder_for("1B") == "eva-clip-g-14");      // 1.01B
  CHECK(encoder_for("2B") == "clip-vit-bigg-14");   // 1.84B
  CHECK(encoder_for("6e9") == "internvit-6b-448");  // 5.54B
  CHECK(encoder_for("300M") == "qwen3-vl-vit-l");   // of those of 303M to 306M the usual one
  CHECK(encoder_for("400M") == "qwen3-vl-vit");     // of those of 413M to 416M
  CHECK(encoder_for("86M") == "siglip-base-16-224");
  CHECK(encoder_for("clip-vit-h-14") == "clip-vit-h-14");
}

TEST_CASE("the encoder that a size stands for is said", "[estimate][vision]") {
  Notes notes(true);
  resolve_model(with_encoder("1B"), test_catalog(), notes);
  const auto found =
      std::ranges::find(notes.assumptions, "model.vision_encoder", &Assumption::path);
  REQUIRE(found != notes.assumptions.end());
  CHECK(found->value == "eva-clip-g-14");
  CHECK(found->why.find("1.01B") != std::string::npos);
}

TEST_CASE("a size that no encoder has, or that is none, is refused", "[estimate][vision][errors]") {
  for (const char* word : {"3.5B", "20B", "1M", "0", "10Q", "1e400"}) {
    INFO(word);
    try {
      encoder_for(word);
      FAIL("not refused");
    } catch (const Error& error) {
      CHECK(error.kind == ErrorKind::usage);
      CHECK(error.location == "--vision-encoder");
    }
  }
}

TEST_CASE("defaults of a configuration file are assumptions of the answer", "[estimate]") {
  Scenario s;
  s.set_text(Field::model_name, TRCOST_SOURCE_DIR "/tests/data/hf/llava-1.5-7b-hf.json");
  Notes notes(true);
  resolve_model(s, test_catalog(), notes);
  const auto found = std::ranges::find(notes.assumptions, "model.config.text_config.hidden_size",
                                       &Assumption::path);
  REQUIRE(found != notes.assumptions.end());
  CHECK(found->value == "4096");
  CHECK_FALSE(found->source.empty());
}

TEST_CASE("the connector is the encoder's own unless another is asked for", "[estimate][vision]") {
  const auto tokens = [](const char* encoder, const char* connector) {
    Scenario s = with_encoder(encoder);
    s.set(field_info(Field::data_image_size), "1344x896", "--image-size");
    if (*connector != '\0') s.set_text(Field::model_connector, connector);
    Notes notes(false);
    return resolve_work(s, test_catalog(), notes).workload.vision_tokens_per_image;
  };
  // 96 x 64 patches of 14 pixels; 2 x 2 of them merged.
  CHECK(tokens("qwen2-vl-vit", "") == 48 * 32);
  CHECK(tokens("qwen2-vl-vit", "pixel-shuffle") == 48 * 32);
  CHECK(tokens("qwen2-vl-vit", "mlp") == 96 * 64);
  CHECK(tokens("qwen2-vl-vit", "perceiver") == 64);
  CHECK(tokens("qwen2-vl-vit", "qformer") == 32);
  // Ratio 1.5: 3 x 2 tiles and a thumbnail, 1024 patches each.
  CHECK(tokens("internvit-300m-448", "") == 7 * 256);
  CHECK(tokens("internvit-300m-448", "mlp") == 7 * 1024);
  CHECK(tokens("internvit-300m-448", "perceiver") == 7 * 64);
}

TEST_CASE("a connector replaces that of a catalog model", "[estimate][vision]") {
  Scenario s;
  s.set_text(Field::model_name, "llava-1.5-7b");
  s.set_text(Field::model_connector, "perceiver");
  Notes notes(false);
  const Model model = resolve_model(s, test_catalog(), notes);
  CHECK(model.vision->connector.kind == ConnectorKind::perceiver);
  CHECK(model.vision->encoder.name == "clip-vit-l-14-336");
  CHECK(model.vision->tokens_per_image == 64);
}

TEST_CASE("adapters on a mixture of experts say where they go, and how many are the experts'",
          "[estimate]") {
  const auto said = [](const char* model, const char* recipe) -> std::string {
    Scenario s;
    s.set_text(Field::model_name, model);
    s.set_text(Field::train_recipe, recipe);
    s.set_number(Field::data_samples, 50000);
    s.set_number(Field::hardware_gpus, 64);
    s.set_text(Field::hardware_accelerator, "h100-sxm");
    const std::vector<Estimate> found = estimate(s, test_catalog());
    for (const Assumption& each : found[0].assumptions) {
      if (each.path == "train.lora_targets") return each.why;
    }
    return "";
  };
  CHECK(said("mixtral-8x7b", "lora").find("every one of 8 experts") != std::string::npos);
  CHECK(said("mixtral-8x7b", "lora").find("226M of 240M adapter parameters") != std::string::npos);
  CHECK_FALSE(said("mixtral-8x7b", "qlora").empty());
  CHECK(said("mixtral-8x7b", "full").empty());
  CHECK(said("llama-2-7b", "lora").find("experts") == std::string::npos);
}
