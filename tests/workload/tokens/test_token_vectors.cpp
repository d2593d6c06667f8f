// SPDX-License-Identifier: Apache-2.0
// Every token vector of tests/vectors.json, to the token.
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.h"
#include "trcost/tokens.h"

namespace {

using Json = nlohmann::json;
using trcost::ImageSize;
using trcost::TokenCount;

// `tokens/qwen2-vl max1280 224x224` -> `qwen2-vl`; some vectors name the family another way.
std::string family_of(const std::string& name) {
  std::string family = name.substr(name.find('/') + 1);
  family = family.substr(0, family.find(' '));
  if (family.starts_with("paligemma")) return "paligemma";
  if (family == "gpt4v") return "gpt-4v";
  return family;
}

TokenCount count(const std::string& family, const Json& in) {
  if (in.contains("seconds")) {
    return trcost::count_audio_tokens(family, in["seconds"].get<double>());
  }
  trcost::TokenOptions options;
  if (in.contains("min_pixels")) options.min_pixels = in["min_pixels"].get<std::int64_t>();
  if (in.contains("max_pixels")) options.max_pixels = in["max_pixels"].get<std::int64_t>();
  if (in.contains("max_tiles")) options.max_tiles = in["max_tiles"].get<std::int64_t>();
  if (in.contains("max_num")) options.max_tiles = in["max_num"].get<std::int64_t>();
  if (in.contains("detail")) {
    options.detail = in["detail"] == "low" ? trcost::ImageDetail::low : trcost::ImageDetail::high;
  }
  ImageSize size{640, 480};  // where the count does not depend on the image
  if (in.contains("image")) size = {in["image"].get<int>(), in["image"].get<int>()};
  if (in.contains("w")) size = {in["w"].get<int>(), in["h"].get<int>()};
  return trcost::count_image_tokens(family, size, options);
}

void check_field(const std::string& key, const Json& want, const TokenCount& got) {
  INFO("field " << key);
  if (key == "llm" || key == "cross") {
    CHECK(got.vision == want.get<std::int64_t>());
  } else if (key == "vit" || key == "vit_computed") {
    CHECK(got.vision_encoder == want.get<std::int64_t>());
  } else if (key == "tiles") {
    CHECK(got.tiles == want.get<std::int64_t>());
  } else if (key == "hb" || key == "best_h") {
    CHECK(got.resized->height == want.get<std::int64_t>());
  } else if (key == "wb" || key == "best_w") {
    CHECK(got.resized->width == want.get<std::int64_t>());
  } else if (key != "grid") {
    FAIL("a vector expects a field that this test does not know");
  }
}

// InternVL writes its grid as columns x rows of 448 pixels, Mllama as rows x columns of 560.
void check_grid(const std::string& family, const Json& grid, const TokenCount& got) {
  const bool internvl = family == "internvl";
  const std::int64_t side = internvl ? 448 : 560;
  CHECK(got.resized->width / side == grid[internvl ? 0 : 1].get<std::int64_t>());
  CHECK(got.resized->height / side == grid[internvl ? 1 : 0].get<std::int64_t>());
}

}  // namespace

TEST_CASE("token vectors hold to the token", "[tokens][vectors]") {
  std::ifstream file(TRCOST_SOURCE_DIR "/tests/vectors.json");
  const Json vectors = Json::parse(file);
  int seen = 0;
  for (const Json& vector : vectors) {
    const auto name = vector["name"].get<std::string>();
    if (!name.starts_with("tokens/")) continue;
    ++seen;
    INFO(name);
    const std::string family = family_of(name);
    const TokenCount got = count(family, vector["inputs"]);
    const Json& want = vector["expected"];
    if (want.is_number()) {
      CHECK(got.vision == want.get<std::int64_t>());
      continue;
    }
    for (const auto& [key, value] : want.items()) check_field(key, value, got);
    if (want.contains("grid")) check_grid(family, want["grid"], got);
  }
  CHECK(seen >= 50);
}
