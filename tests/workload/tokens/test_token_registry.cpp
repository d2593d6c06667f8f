// SPDX-License-Identifier: Apache-2.0
// The table of families, properties that hold for all of them, and what they refuse.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "catch.h"
#include "trcost/error.h"
#include "trcost/tokens.h"

using trcost::count_audio_tokens;
using trcost::count_image_tokens;
using trcost::count_video_tokens;
using trcost::ImageSize;
using trcost::TokenCount;
using trcost::TokenFamily;

namespace {

template <typename Call>
trcost::Error error_of(Call call) {
  try {
    call();
  } catch (const trcost::Error& error) {
    return error;
  }
  FAIL("no error was thrown");
  return {trcost::ErrorKind::usage, ""};
}

// Empty where the rule refuses the size.
std::optional<TokenCount> counted(std::string_view family, const ImageSize& size) {
  try {
    return count_image_tokens(family, size);
  } catch (const trcost::Error& error) {
    CHECK(error.kind == trcost::ErrorKind::data);
    return std::nullopt;
  }
}

bool mentions_token_registry(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every family of the contract is there, with a rule and a source", "[tokens]") {
  const char* const names[] = {"vit",          "llava-1.5",    "llava-next",     "llava-onevision",
                               "qwen2-vl",     "qwen2.5-vl",   "qwen3-vl",       "qwen3.5",
                               "qwen2.5-omni", "qwen3-omni",   "glm-4.1v",       "glm-4.5v",
                               "pixtral",      "mistral3",     "kimi-vl",        "kimi-k2.5",
                               "internvl",     "minicpm-v",    "phi-3.5-vision", "phi-4-mm",
                               "deepseek-vl2", "deepseek-ocr", "molmo",          "ovis",
                               "idefics2",     "idefics3",     "smolvlm",        "mllama",
                               "llama4",       "paligemma",    "gemma3",         "gemma3n",
                               "gpt-4v",       "whisper",      "qwen2-audio"};
  CHECK(trcost::token_families().size() == std::size(names));
  for (const char* name : names) {
    const TokenFamily& family = trcost::token_family(name);
    CHECK(family.name == name);
    CHECK_FALSE(family.title.empty());
    CHECK_FALSE(family.rule.empty());
    CHECK_FALSE(family.source.empty());
    CHECK(family.video == !family.video_rule.empty());
    CHECK((family.image || family.audio));
  }
}

TEST_CASE("counts hold together for any image", "[tokens][property]") {
  std::mt19937 random(20240607);
  std::uniform_int_distribution<std::int64_t> side(1, 4096);
  std::set<std::string_view> unpublished;  // encoders
  for (int i = 0; i < 2000; ++i) {
    const ImageSize size{side(random), side(random)};
    const auto [least, most] = std::minmax(size.width, size.height);
    for (const TokenFamily& family : trcost::token_families()) {
      if (!family.image) continue;
      // Each tile of LLaVA's is seen once more as a row's newline.
      const bool newlines = family.name.starts_with("llava-");
      // Their whole image and its tiles differ in size.
      const bool uneven = family.name == "minicpm-v" || family.name == "deepseek-ocr";
      INFO(family.name << " " << size.width << "x" << size.height);
      const auto answer = counted(family.name, size);
      if (!answer) {  // a line of pixels, which some rules refuse
        REQUIRE((most > 200 * least || least < 2));
        continue;
      }
      const TokenCount& count = *answer;
      REQUIRE(count.vision >= 1);
      REQUIRE(count.tiles >= 1);
      if (!count.vision_encoder) {
        unpublished.insert(family.name);
        continue;
      }
      REQUIRE(*count.vision_encoder >= *count.encoder_sequence);
      if (!uneven) REQUIRE(*count.vision_encoder % *count.encoder_sequence == 0);
      if (!newlines) REQUIRE(*count.vision_encoder >= count.vision);
    }
  }
  CHECK(unpublished == std::set<std::string_view>{"gpt-4v"});
}

TEST_CASE("Qwen never exceeds its pixel limit and does not care for orientation",
          "[tokens][property]") {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> side(60, 12000);
  for (int i = 0; i < 5000; ++i) {
    const ImageSize size{side(random), side(random)};
    INFO(size.width << "x" << size.height);
    const TokenCount count = count_image_tokens("qwen2-vl", size, {.max_pixels = 1003520});
    REQUIRE(count.resized->width * count.resized->height <= 1003520);
    REQUIRE(count.vision <= 1280);
    REQUIRE(count.vision_encoder == 4 * count.vision);
    const TokenCount turned =
        count_image_tokens("qwen2-vl", {size.height, size.width}, {.max_pixels = 1003520});
    REQUIRE(turned.vision == count.vision);
  }
}

TEST_CASE("an unknown family gets the list and the nearest name", "[tokens][errors]") {
  const auto error = error_of([] { count_image_tokens("qwen2vl", {224, 224}); });
  CHECK(error.kind == trcost::ErrorKind::usage);
  CHECK(mentions_token_registry(error.message, "mllama"));
  CHECK(mentions_token_registry(error.hint, "qwen2-vl"));
}

TEST_CASE("images without pixels or with too many are refused", "[tokens][errors]") {
  for (const ImageSize size : {ImageSize{0, 480}, ImageSize{640, 0}, ImageSize{-1, 4},
                               ImageSize{1'000'000'000, 1'000'000'000}, ImageSize{40000, 25000}}) {
    const auto error = error_of([&] { count_image_tokens("vit", size); });
    CHECK(mentions_token_registry(error.message, "pixels"));
    CHECK(mentions_token_registry(error.hint, "178956970"));
  }
  CHECK(count_image_tokens("vit", {13000, 13000}).vision > 0);
}

TEST_CASE("an option that the rule lacks is refused with those it has", "[tokens][errors]") {
  const auto error = error_of([] { count_image_tokens("qwen2-vl", {224, 224}, {.max_tiles = 4}); });
  CHECK(mentions_token_registry(error.message, "--max-tiles"));
  CHECK(mentions_token_registry(error.hint, "--max-pixels"));
  CHECK(mentions_token_registry(error_of([] {
                                  count_image_tokens("llava-1.5", {224, 224}, {.patch = 14});
                                }).hint,
                                "no options"));
  CHECK_THROWS_AS(count_image_tokens("mllama", {224, 224}, {.detail = trcost::ImageDetail::low}),
                  trcost::Error);
  CHECK_THROWS_AS(count_image_tokens("internvl", {224, 224}, {.max_tiles = 0}), trcost::Error);
  CHECK_THROWS_AS(count_image_tokens("idefics2", {224, 224}, {.max_tiles = 3}), trcost::Error);
  CHECK_THROWS_AS(count_image_tokens("smolvlm", {224, 224}, {.patch = 15}), trcost::Error);
}

TEST_CASE("limits that cross are refused", "[tokens][errors]") {
  const auto error = error_of([] {
    count_image_tokens("qwen3-vl", {224, 224}, {.max_pixels = 50176});
  });
  CHECK(mentions_token_registry(error.message, "65536"));
  CHECK(mentions_token_registry(error.message, "50176"));
  CHECK_THROWS_AS(count_video_tokens("qwen2-vl", {1280, 720}, 10, 2, {.max_pixels = 50176}),
                  trcost::Error);
}

TEST_CASE("Qwen refuses an aspect ratio above 200", "[tokens][errors]") {
  CHECK(count_image_tokens("qwen2-vl", {2000, 10}).vision > 0);
  CHECK(mentions_token_registry(error_of([] {
                                  count_image_tokens("qwen2-vl", {2001, 10});
                                }).message,
                                "200"));
}

TEST_CASE("a family is asked only for what it takes", "[tokens][errors]") {
  CHECK(mentions_token_registry(error_of([] {
                                  count_image_tokens("whisper", {224, 224});
                                }).hint,
                                "llava-1.5"));
  CHECK(mentions_token_registry(error_of([] {
                                  count_video_tokens("mllama", {224, 224}, 1, 1);
                                }).hint,
                                "qwen2-vl"));
  CHECK(mentions_token_registry(error_of([] { count_audio_tokens("vit", 1); }).hint, "whisper"));
  CHECK_THROWS_AS(count_video_tokens("qwen2-vl", {224, 224}, 0, 2), trcost::Error);
  CHECK_THROWS_AS(count_video_tokens("qwen2-vl", {224, 224}, 10, -1), trcost::Error);
  CHECK_THROWS_AS(count_audio_tokens("whisper", 0), trcost::Error);
  CHECK_THROWS_AS(count_audio_tokens("whisper", 1e9), trcost::Error);
}
