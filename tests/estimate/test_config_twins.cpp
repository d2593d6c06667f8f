// SPDX-License-Identifier: Apache-2.0
// A model is the same whether the catalog names it or its own config.json describes it: the same
// tokens, GPU-hours and dollars.
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "workload/workload.h"

using namespace trcost;
namespace fs = std::filesystem;

namespace {

// Catalog names of the configurations that are filed under another name.
const std::map<std::string, std::string> kNames = {
    {"llava-1.5-7b-hf", "llava-1.5-7b"},     {"llava-v1.5-7b", "llava-1.5-7b"},
    {"llava-v1.6-34b-hf", "llava-next-34b"}, {"phi-2-msft", "phi-2"},
    {"glm-4-9b-chat", "glm-4-9b"},
};

// A family that is refused, a release that ties its embeddings as the catalog's does not, and
// models that the catalog has not.
const std::set<std::string> kAlone = {
    "mamba-130m",          "internvl3-1b-hf",  "mistral-7b-v0.3", "bamba-9b",
    "granite-4.0-h-small", "deberta-v3-base",  "glm-5",           "qwen3.5-35b-a3b",
    "nemotron-3-ultra",    "nemotron-3-super", "mimo-7b",         "starcoder2-7b",
    "aya-23-8b",           "minicpm3-4b",      "arctic-embed-m",  "gpt-j-6b",
    "deepseek-moe-16b",    "vila1.5-3b",       "kimi-k2.5",       "ministral-3-3b"};

Scenario job(const std::string& model) {
  Scenario s;
  s.set_text(Field::model_name, model);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  constexpr double kLarge = 50e9;
  const bool large = count_parameters(test_catalog().model(model)).total > kLarge;
  s.set_number(Field::hardware_gpus, large ? 1024 : 64);
  return s;
}

Estimate first(const Scenario& s) {
  return estimate(s, test_catalog()).front();
}

// Vocabularies padded by a few rows for image tokens differ between the two; nothing else may.
constexpr double kRows = 2e-3;

void check_twins(Scenario ours, Scenario theirs) {
  const Estimate a = first(ours);
  const Estimate b = first(theirs);
  CHECK(a.tokens.vision == b.tokens.vision);
  CHECK(a.tokens.vision_encoder == b.tokens.vision_encoder);
  CHECK(a.tokens.text == b.tokens.text);
  CHECK_THAT(b.gpu_hours, WithinRel(a.gpu_hours, kRows));
  CHECK_THAT(*b.cost.total, WithinRel(*a.cost.total, kRows));
}

}  // namespace

TEST_CASE("the config.json of a model is costed as the catalog's entry",
          "[estimate][vision][hugging_face]") {
  const std::string folder = TRCOST_SOURCE_DIR "/tests/data/hf";
  int twins = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string path = file.path().string();
    std::string name = file.path().stem().string();
    const auto other = kNames.find(name);
    if (other != kNames.end()) name = other->second;
    INFO(path << " and " << name);
    if (kAlone.contains(name)) continue;
    const bool vision = test_catalog().model(path).vision.has_value();
    if (!vision) {
      Scenario text = job(name), same = job(path);
      for (Scenario* each : {&text, &same}) {
        each->set_number(Field::data_tokens, 1e10);
        each->set_number(Field::data_seq_length, 2048);  // some files do not say their context
      }
      check_twins(text, same);
      continue;
    }
    for (const char* size : {"", "1024x768"}) {
      Scenario samples = job(name), budget = job(name);
      samples.set_number(Field::data_samples, 1e6);
      budget.set_number(Field::data_tokens, 1e9);
      if (*size != '\0') samples.set_text(Field::data_image_size, "1024x768");
      for (const Scenario& ours : {samples, budget}) {
        CHECK(first(ours).tokens.vision > 0);
        Scenario theirs = ours;
        theirs.set_text(Field::model_name, path);
        check_twins(ours, theirs);
      }
    }
    ++twins;
  }
  CHECK(twins > 12);
}

TEST_CASE("images that no rule turns into tokens are refused, not forgotten",
          "[estimate][vision][errors]") {
  // An encoder of native resolution without a rule.
  const std::string path = fs::temp_directory_path() / "trcost-test-no-rule.json";
  FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs(R"({"schema_version": "1.0", "name": "no-rule",
    "language": {"layers": 2, "hidden": 256, "heads": 4, "ffn": 512, "vocab": 1000},
    "vision": {"encoder": {"layers": 2, "hidden": 128, "heads": 2, "ffn": 256, "patch_pixels": 16,
                           "learned_positions": false}}})",
             file);
  std::fclose(file);
  Scenario s = job(path);
  s.set_number(Field::hardware_gpus, 1);
  s.set_number(Field::data_samples, 1e4);
  try {
    first(s);
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.message.find("no token rule") != std::string::npos);
    CHECK(error.hint.find("--vision-tokens-per-image") != std::string::npos);
  }
  s.set_number(Field::data_images_per_sample, 0);
  CHECK(first(s).tokens.vision == 0);
  s.set_number(Field::data_images_per_sample, 1);
  s.set_number(Field::data_vision_tokens_per_image, 100);
  CHECK(first(s).tokens.vision == 1e6);
  fs::remove(path);
}
