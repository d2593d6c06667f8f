// SPDX-License-Identifier: Apache-2.0
// Families against the processors of their releases: the expected counts are those of the
// releases' own Python code for these sizes, or published with the model.
#include <array>
#include <cstdint>
#include <string>

#include "catch.h"
#include "trcost/tokens.h"

using trcost::count_audio_tokens;
using trcost::count_image_tokens;
using trcost::count_video_tokens;
using trcost::ImageSize;
using trcost::TokenCount;
using trcost::VideoPipeline;

TEST_CASE("image tokens are those of the released processors", "[tokens][releases]") {
  constexpr std::array<ImageSize, 6> kSizes = {
      {{640, 480}, {1920, 1080}, {336, 336}, {3000, 200}, {97, 1033}, {4032, 3024}}};
  struct Expected {
    const char* family;
    std::array<std::int64_t, 6> tokens;
  };
  constexpr Expected kRows[] = {{"glm-4.1v", {391, 2691, 144, 749, 111, 6030}},
                                {"glm-4.5v", {391, 2691, 144, 749, 111, 6030}},
                                {"phi-3.5-vision", {757, 757, 757, 745, 781, 757}},
                                {"phi-4-mm", {1065, 3918, 545, 1177, 561, 3393}},
                                {"deepseek-vl2", {1023, 1807, 421, 1793, 841, 2017}},
                                {"deepseek-ocr", {273, 483, 273, 883, 933, 893}},
                                {"minicpm-v", {192, 576, 64, 320, 64, 640}},
                                {"ovis", {1280, 2304, 256, 2048, 1024, 2560}},
                                {"molmo", {704, 1152, 288, 1344, 288, 1152}},
                                {"kimi-k2.5", {414, 2691, 144, 864, 148, 4144}},
                                {"gemma3n", {256, 256, 256, 256, 256, 256}}};
  for (const Expected& row : kRows) {
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      INFO(row.family << " " << kSizes[i].width << "x" << kSizes[i].height);
      CHECK(count_image_tokens(row.family, kSizes[i]).vision == row.tokens[i]);
    }
  }
  // Phi-3-vision's 16 crops.
  CHECK(count_image_tokens("phi-3.5-vision", {640, 480}, {.max_tiles = 16}).vision == 1921);
  CHECK(count_image_tokens("phi-3.5-vision", {336, 336}, {.max_tiles = 16}).vision == 2509);
  // Qwen3.5 has Qwen3-VL's processor.
  CHECK(count_image_tokens("qwen3.5", {1920, 1080}).vision ==
        count_image_tokens("qwen3-vl", {1920, 1080}).vision);
}

// transformers processing_llava_onevision.py: Python's n // ratio takes the floor of the exact
// quotient, here 50 // 1.1111111111111112 = 44.
TEST_CASE("LLaVA-OneVision shrinks by the floor of the exact quotient", "[tokens][releases]") {
  CHECK(count_image_tokens("llava-onevision", {3632, 12000}).vision == 7254);
}

TEST_CASE("Qwen3-VL's processor caps the pixels of a clip, qwen-vl-utils those of a frame",
          "[tokens][releases]") {
  struct Row {
    ImageSize frame;
    double seconds, fps;
    std::int64_t processor, vl_utils;
  };
  constexpr Row kRows[] = {{{1280, 720}, 60, 2, 11400, 43200},
                           {{640, 360}, 3600, 1, 10752, 84480},
                           {{1920, 1080}, 600, 2, 10752, 105984},
                           {{1920, 1080}, 10, 2, 11960, 7200}};
  for (const Row& row : kRows) {
    INFO(row.frame.width << " " << row.seconds);
    CHECK(count_video_tokens("qwen3-vl", row.frame, row.seconds, row.fps).vision == row.processor);
    CHECK(count_video_tokens("qwen3-vl", row.frame, row.seconds, row.fps,
                             {.video_pipeline = VideoPipeline::vl_utils})
              .vision == row.vl_utils);
  }
  // An odd number of frames: the last one is repeated.
  CHECK(count_video_tokens("qwen3-vl", {320, 240}, 2.5, 2).vision == 240);
  // --max-pixels bounds the clip: at most 4096 tokens' worth of pixels in pairs of frames.
  CHECK(count_video_tokens("qwen3-vl", {1280, 720}, 60, 2, {.max_pixels = 4096 * 2048}).vision <=
        4096);
  // Six pairs at 0.5, 1.5, ... 5.5 s: `<`, a digit, `.`, a digit, ` seconds`, `>` and two marks.
  CHECK(count_video_tokens("qwen3-vl", {320, 240}, 6, 2).text == 6 * 8);
  CHECK_FALSE(count_video_tokens("qwen2.5-vl", {320, 240}, 6, 2).text);
}

TEST_CASE("clips of other families are those of their processors", "[tokens][releases]") {
  CHECK(count_video_tokens("glm-4.1v", {1280, 720}, 60, 2).vision == 27840);
  CHECK(count_video_tokens("glm-4.1v", {640, 360}, 3600, 2).vision == 27300);
  CHECK(count_video_tokens("glm-4.5v", {1920, 1080}, 10, 2).vision == 26910);
  CHECK(count_video_tokens("kimi-k2.5", {1280, 720}, 60, 2).vision == 32250);
  CHECK(count_video_tokens("kimi-k2.5", {1920, 1080}, 10, 2).vision == 5160);
  // SmolVLM2: 81 tokens of a 384-pixel frame, 64 of one of 512, at most 64 frames.
  CHECK(count_video_tokens("smolvlm", {1280, 720}, 20, 1).vision == 20 * 81);
  CHECK(count_video_tokens("smolvlm", {1280, 720}, 3600, 1, {.patch = 16}).vision == 64 * 64);
  CHECK(count_video_tokens("gemma3", {1280, 720}, 30, 1).vision == 30 * 256);
  CHECK(count_video_tokens("kimi-vl", {640, 480}, 10, 1).vision ==
        10 * count_image_tokens("kimi-vl", {640, 480}).vision);
}

TEST_CASE("audio of the omni models does not stop at 30 seconds", "[tokens][releases]") {
  CHECK(count_audio_tokens("qwen2.5-omni", 60).vision == 1500);
  CHECK(count_audio_tokens("qwen2.5-omni", 600).vision == 300 * 25);
  // 13 tokens a second; 50 frames more are 25, 13, 7.
  CHECK(count_audio_tokens("qwen3-omni", 60).vision == 780);
  CHECK(count_audio_tokens("qwen3-omni", 60.5).vision == 787);
  CHECK(count_audio_tokens("phi-4-mm", 10).vision == 125);
  CHECK(count_audio_tokens("gemma3n", 5).vision == 188);
}
