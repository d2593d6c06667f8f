// SPDX-License-Identifier: Apache-2.0
// A larger image never becomes fewer tokens, where a rule means that; and the rules of this file's
// families against figures worked out by hand from the cited preprocessors.
#include <random>
#include <string>

#include "catch.h"
#include "trcost/tokens.h"

using trcost::count_image_tokens;
using trcost::count_video_tokens;
using trcost::ImageSize;
using trcost::TokenCount;

TEST_CASE("LLaVA-OneVision has SigLIP's tiles of 729 and at most nine of them", "[tokens]") {
  const auto check = [](ImageSize size, std::int64_t encoder, std::int64_t vision) {
    INFO(size.width << "x" << size.height);
    const TokenCount count = count_image_tokens("llava-onevision", size);
    CHECK(count.vision_encoder == encoder);
    CHECK(count.vision == vision);
  };
  // One tile and the overview; 27 rows of 27 and their newlines.
  check({384, 384}, 2 * 729, 729 + 27 * 27 + 27);
  // 3 x 2 tiles of 384: a grid of 81 x 54, ratio 1.5; 1024/768 leaves 72 columns, 81 - 72 = 9, of
  // which 8 are cut: 73 columns of 54. sqrt(73 * 54 / 6561) < 1.1.
  check({1024, 768}, 7 * 729, 729 + 73 * 54 + 54);
  // 5 x 3 tiles: 135 x 81; 1080 * 135/1920 = 75 rows, 6 cut. sqrt(135 * 75 / 6561) = 1.2422:
  // 108 x 60.
  check({1920, 1080}, 16 * 729, 729 + 108 * 60 + 60);
  const TokenCount video = count_video_tokens("llava-onevision", {1280, 720}, 16, 2);
  CHECK(video.vision == 32 * 14 * 14 + 1);
  CHECK(video.vision_encoder == 32 * 729);
}

TEST_CASE("towers of native resolution count their own patches", "[tokens]") {
  CHECK(count_image_tokens("pixtral", {1024, 768}).vision == 64 * 48);
  CHECK(count_image_tokens("pixtral", {336, 336}).vision == 21 * 21);
  CHECK(count_image_tokens("pixtral", {336, 336}).vision_encoder == 21 * 21);
  // Longest side to 1024: 1024 x 576.
  CHECK(count_image_tokens("pixtral", {1920, 1080}).vision == 64 * 36);
  // Longest side to 1540: 1540 x 866, in steps of 28: 55 x 31.
  const TokenCount small = count_image_tokens("mistral3", {1920, 1080});
  CHECK(small.vision == 55 * 31);
  CHECK(small.vision_encoder == 4 * 55 * 31);
  // 1932 x 1092 after padding: 69 x 39 squares of 28.
  const TokenCount kimi = count_image_tokens("kimi-vl", {1920, 1080});
  CHECK(kimi.vision == 69 * 39);
  CHECK(kimi.vision_encoder == 4 * 69 * 39);
  // 4,096 patches: 137 * 77 = 10,549 are too many; 1920 and 1080 times sqrt(4096/10549) are 1196
  // and 672: 43 x 24 squares.
  CHECK(count_image_tokens("kimi-vl", {1920, 1080}, {.max_pixels = 802816}).vision == 43 * 24);
}

TEST_CASE("Llama 4 cuts a canvas of up to 16 tiles and adds the overview", "[tokens]") {
  CHECK(count_image_tokens("llama4", {336, 336}).vision == 144);
  CHECK(count_image_tokens("llama4", {336, 336}).vision_encoder == 577);
  // 672 x 336 is a canvas of its own: two tiles and the overview.
  CHECK(count_image_tokens("llama4", {672, 336}).vision == 3 * 144);
  // No canvas holds 1920 x 1080 whole: 5 x 3 tiles shrink it to 0.875, more than any other.
  CHECK(count_image_tokens("llama4", {1920, 1080}).vision == 16 * 144);
}

TEST_CASE("below their limits rules of native resolution only grow", "[tokens][property]") {
  struct Range {
    const char* family;
    std::int64_t least, most;  // sides, away from the limits
  };
  std::mt19937 random(11);
  for (const Range& range :
       {Range{"vit", 1, 4000}, Range{"pixtral", 1, 1024}, Range{"mistral3", 1, 1540},
        Range{"kimi-vl", 28, 1700}, Range{"qwen2-vl", 60, 3500}, Range{"qwen2.5-vl", 60, 3500},
        Range{"qwen3-vl", 272, 4000}}) {
    std::uniform_int_distribution<std::int64_t> side(range.least, range.most);
    for (int i = 0; i < 2000; ++i) {
      const ImageSize a{side(random), side(random)}, b{side(random), side(random)};
      const ImageSize small{std::min(a.width, b.width), std::min(a.height, b.height)};
      const ImageSize large{std::max(a.width, b.width), std::max(a.height, b.height)};
      INFO(range.family << " " << small.width << "x" << small.height << " " << large.width << "x"
                        << large.height);
      const TokenCount few = count_image_tokens(range.family, small);
      const TokenCount many = count_image_tokens(range.family, large);
      REQUIRE(many.vision >= few.vision);
      REQUIRE(*many.vision_encoder >= *few.vision_encoder);
    }
  }
}

// Rules that tile choose by the ratio of the sides, so only growth at one ratio is meant to be
// monotone. Two exceptions: at a limit sides are rounded down to whole patches, which costs up to a
// row and a column; and LLaVA-OneVision leaves up to 1.21 times nine tiles as they are but shrinks
// more to nine.
TEST_CASE("the same picture, twice as large, does not become fewer tokens", "[tokens][property]") {
  std::mt19937 random(12);
  std::uniform_int_distribution<std::int64_t> side(200, 1500);
  for (int i = 0; i < 2000; ++i) {
    const ImageSize size{side(random), side(random)};
    const ImageSize twice{2 * size.width, 2 * size.height};
    for (const trcost::TokenFamily& family : trcost::token_families()) {
      if (!family.image) continue;
      INFO(family.name << " " << size.width << "x" << size.height);
      // Molmo's crops overlap, so that a grid of more crops in one direction may have fewer tokens.
      const bool loose = family.name == "llava-onevision" || family.name == "molmo";
      const double kept = loose ? 0.8 : 0.9;
      const auto few = static_cast<double>(count_image_tokens(family.name, size).vision);
      const auto many = static_cast<double>(count_image_tokens(family.name, twice).vision);
      REQUIRE(many >= kept * few);
    }
  }
}
