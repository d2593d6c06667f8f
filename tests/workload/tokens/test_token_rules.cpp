// SPDX-License-Identifier: Apache-2.0
// Worked cases for the branches of each rule. The expected values come from the arithmetic of the
// cited preprocessor, written out beside them; none is this program's own output.
#include <string>

#include "catch.h"
#include "trcost/error.h"
#include "trcost/tokens.h"

using trcost::count_audio_tokens;
using trcost::count_image_tokens;
using trcost::count_video_tokens;
using trcost::ImageSize;
using trcost::TokenCount;

namespace {

struct Case {
  const char* what;
  const char* family;
  ImageSize size;
  trcost::TokenOptions options;
  std::int64_t vision;
  std::int64_t encoder;
};

void check(const Case& c) {
  INFO(c.family << " " << c.size.width << "x" << c.size.height << ": " << c.what);
  const TokenCount got = count_image_tokens(c.family, c.size, c.options);
  CHECK(got.vision == c.vision);
  CHECK(got.vision_encoder == c.encoder);
}

}  // namespace

TEST_CASE("generic patches are padded up and the class token stays in the encoder", "[tokens]") {
  check({"16 x 16 patches of 14", "vit", {224, 224}, {}, 256, 257});
  check({"ViT-B/16: 196 patches (2010.11929)", "vit", {224, 224}, {.patch = 16}, 196, 197});
  check({"17 columns of 14 hold 225 pixels", "vit", {225, 224}, {}, 17 * 16, 17 * 16 + 1});
}

TEST_CASE("LLaVA-NeXT cuts the padding around the image", "[tokens]") {
  // 336 x 672 canvas, 48 x 24 grid, ratio 1.5015 < 2: columns filled 500*24/333 = 36, 12 cut.
  check({"wide", "llava-next", {500, 333}, {}, 576 + 36 * 24 + 24, 3 * 577});
  // The mirror image keeps 36 rows of 24 and has 36 newlines.
  check({"tall", "llava-next", {333, 500}, {}, 576 + 36 * 24 + 36, 3 * 577});
  // 1008 x 336 canvas, 72 x 24 grid, 20*72/2000 = 0 rows filled, all 24 cut.
  check({"thin: only the overview is left", "llava-next", {2000, 20}, {}, 576, 4 * 577});
  // 72 x 24 grid, 610*72/2000 = 21.96 -> 21 rows filled, (24 - 21)//2 = 1 cut on either side: one
  // row of padding stays.
  check({"an odd row stays", "llava-next", {2000, 610}, {}, 576 + 22 * 72 + 22, 4 * 577});
  // 48 x 48 grid, 500*48/900 = 26.7 -> 26 rows.
  check({"the square canvas", "llava-next", {900, 500}, {}, 576 + 26 * 48 + 26, 5 * 577});
  // 335/1005 is the canvas's own ratio of 1/3.
  check({"nothing to cut", "llava-next", {335, 1005}, {}, 576 + 72 * 24 + 72, 4 * 577});
}

TEST_CASE("Qwen rounds halves to even and keeps within its pixel limits", "[tokens]") {
  // 70/28 = 2.5 -> 2 (std::round would say 3): 56 x 56.
  check({"half to even, down", "qwen2-vl", {70, 70}, {}, 4, 16});
  // 98/28 = 3.5 -> 4, 70/28 -> 2.
  check({"half to even, up", "qwen2-vl", {98, 70}, {}, 8, 32});
  // 28 x 28 = 784 < 3136: beta = sqrt(3136/400) = 2.8, 20 * 2.8 = 56.
  check({"lower limit", "qwen2-vl", {20, 20}, {}, 4, 16});
  // 96 x 96 < 65536: beta = 2.56, 256 x 256, 8 x 8 tokens of 32 pixels.
  check({"Qwen3-VL's lower limit", "qwen3-vl", {100, 100}, {}, 64, 256});
  // 10/28 rounds to 0, so the product falls under 3136: beta = sqrt(3136/20000) = 0.39598,
  // 2000 * beta = 791.96 -> 29 columns, 10 * beta = 3.96 -> 1 row.
  check({"a side under half a patch", "qwen2-vl", {2000, 10}, {}, 29, 116});
  // beta = sqrt(48e6/12845056) = 1.93309: 8000/beta = 4138.4 -> 147, 6000/beta = 3103.8 -> 110.
  check({"upper limit", "qwen2.5-vl", {8000, 6000}, {}, 147 * 110, 4 * 147 * 110});
  // 71 x 1 patches exceed 10000: beta = sqrt(40000/10000) = 2, 1000 -> 35, 10 -> 0, kept at 1.
  check({"a side never falls to 0",
         "qwen2-vl",
         {2000, 20},
         {.min_pixels = 3136, .max_pixels = 10000},
         35,
         140});
}

TEST_CASE("Qwen video: frames, pairs, and the pixel caps of a frame", "[tokens]") {
  // 768 * 784 = 602112 pixels a frame: beta = 1.23718, 581.97 -> 20 x 28, 1034.6 -> 36 x 28.
  const TokenCount minute = count_video_tokens("qwen2-vl", {1280, 720}, 60, 2);
  CHECK(minute.frames == 120);
  CHECK(minute.resized == ImageSize{1008, 560});
  CHECK(minute.vision == 43200);
  CHECK(minute.vision_encoder == 172800);
  CHECK(minute.encoder_sequence == 40 * 72);
  // 7200 frames are cut to 768; 0.9 * 128000 * 784 / 768 * 2 = 235200 pixels a frame: beta =
  // 1.97949, 363.7 -> 12 x 28, 646.6 -> 23 x 28, 384 pairs.
  const TokenCount hour = count_video_tokens("qwen2.5-vl", {1280, 720}, 3600, 2);
  CHECK(hour.frames == 768);
  CHECK(hour.resized == ImageSize{644, 336});
  CHECK(hour.vision == 12 * 23 * 384);
  // 5 frames are made even.
  CHECK(count_video_tokens("qwen2-vl", {1280, 720}, 5, 1).frames == 4);
  // At least 4 frames.
  CHECK(count_video_tokens("qwen2-vl", {1280, 720}, 0.5, 1).frames == 4);
  // 64 x 64 is under 128 * 784 = 100352: beta = 4.9497, 316.8 -> 12 x 28; 20 frames, 10 pairs.
  CHECK(count_video_tokens("qwen2-vl", {64, 64}, 10, 2).vision == 12 * 12 * 10);
  // 32-pixel tokens: 768 * 1024 pixels a frame, beta = 1.08253, 665.1 -> 20, 1182.4 -> 36.
  CHECK(count_video_tokens("qwen3-vl", {1280, 720}, 60, 2,
                           {.video_pipeline = trcost::VideoPipeline::vl_utils})
            .resized == ImageSize{1152, 640});
  // --max-pixels bounds a frame: 200704 = 256 tokens: beta = 2.14286, 336 -> 12, 597.3 -> 21.
  CHECK(count_video_tokens("qwen2-vl", {1280, 720}, 60, 2, {.max_pixels = 200704}).vision ==
        12 * 21 * 60);
  // --min-pixels lifts the cap of a long clip to 1.05 x 250000 = 262500: beta = 1.87373, 384.3 ->
  // 13,
  // 683.1 -> 24.
  CHECK(count_video_tokens("qwen2-vl", {1280, 720}, 3600, 2, {.min_pixels = 250000}).vision ==
        13 * 24 * 384);
}

TEST_CASE("InternVL prefers more tiles for equal ratios only when the image fills them",
          "[tokens]") {
  // 640000 > 0.5 * 448^2 * 4 = 401408, but not > 0.5 * 448^2 * 9 = 903168: 2 x 2 and a thumbnail.
  check({"tie at ratio 1", "internvl", {800, 800}, {}, 5 * 256, 5 * 1025});
  // 633^2 = 400689 and 634^2 = 401956 lie on either side of 401408.
  check({"one tile is enough", "internvl", {633, 633}, {}, 256, 1025});
  check({"four are not too many", "internvl", {634, 634}, {}, 5 * 256, 5 * 1025});
  // Ratio 0.5: 1 x 2; 401408 pixels are not more than 0.5 * 448^2 * 8 for 2 x 4.
  check({"tie at ratio 0.5", "internvl", {448, 896}, {}, 3 * 256, 3 * 1025});
  // At most 6 tiles, ratio 1.778: |2 - 1.778| = 0.222 < |1.5 - 1.778| = 0.278: 2 x 1; 4 x 2 is too
  // many tiles.
  check({"six tiles", "internvl", {1920, 1080}, {.max_tiles = 6}, 3 * 256, 3 * 1025});
  check({"one tile has no thumbnail", "internvl", {640, 480}, {.max_tiles = 1}, 256, 1025});
  check({"panorama: 10 x 1", "internvl", {1000, 100}, {}, 11 * 256, 11 * 1025});
  const TokenCount video = count_video_tokens("internvl", {1280, 720}, 10, 0.8);
  CHECK(video.frames == 8);
  CHECK(video.vision == 8 * 256);
}

TEST_CASE("Idefics2 pads the image and its quarters to the largest", "[tokens]") {
  // Quarters 320 x 240 -> 378 x 378; padded to 640 x 480: 45 x 34 patches each.
  check({"small", "idefics2", {640, 480}, {}, 5 * 64, 5 * 45 * 34});
  // Whole 980 x 551, quarters 960 x 540: 70 x 39 patches.
  check({"large", "idefics2", {1920, 1080}, {}, 5 * 64, 5 * 70 * 39});
  check({"not split", "idefics2", {1920, 1080}, {.max_tiles = 1}, 64, 70 * 39});
  // Whole 210 x 980 -> 378 x 980.
  check({"shortest edge", "idefics2", {300, 1400}, {}, 5 * 64, 5 * 27 * 70});
  // Quarters of 350 x 999 and 351 x 1000 are themselves cut to 980 high.
  check({"long quarters", "idefics2", {701, 1999}, {}, 5 * 64, 5 * 27 * 70});
}

TEST_CASE("Idefics3 and SmolVLM scale to four tiles and round up", "[tokens]") {
  // 312 x 1456 -> 364 x 1456: 1 x 4 tiles and the overview.
  check({"tall", "idefics3", {300, 1400}, {}, 5 * 169, 5 * 676});
  check({"thin", "idefics3", {2000, 10}, {}, 5 * 169, 5 * 676});
  // 1456 * 701/1001 = 1019.6 -> 1019, made even 1020, 3 columns; 4 rows.
  check({"portrait", "idefics3", {701, 1001}, {}, 13 * 169, 13 * 676});
  // 365 -> 366, one pixel over a tile: 2 rows of 4.
  check({"one pixel over", "idefics3", {1456, 365}, {}, 9 * 169, 9 * 676});
  // SmolVLM 256M and 500M: 2048 x 1152 -> 4 x 3 tiles of 512, 64 tokens each.
  check({"small variants", "smolvlm", {1920, 1080}, {.patch = 16}, 13 * 64, 13 * 1024});
  check({"small variants scale up", "smolvlm", {224, 224}, {.patch = 16}, 17 * 64, 17 * 1024});
  check({"2.2B", "smolvlm", {640, 480}, {}, 13 * 81, 13 * 729});
}

TEST_CASE("Mllama takes the canvas that enlarges least", "[tokens]") {
  // 561 wide no longer fits one tile: 2 x 1 keeps the scale at 560/560 = 1.
  check({"one pixel over", "mllama", {561, 560}, {}, 2 * 1601, 4 * 1608});
  // 1121 high needs three tiles; two would shrink it.
  check({"one pixel over two", "mllama", {560, 1121}, {}, 3 * 1601, 4 * 1608});
  // All canvases keep the scale of 1; the smallest is taken.
  check({"a tile exactly", "mllama", {560, 560}, {}, 1601, 4 * 1608});
  // Nothing enlarges; of 2 tiles at most, 2 x 1 shrinks least (0.519 over 1 x 2's 0.292).
  check({"two tiles", "mllama", {1920, 1080}, {.max_tiles = 2}, 2 * 1601, 2 * 1608});
  // 560/500 = 1.12 in height but 2240/4000 = 0.56 in width: 4 x 1 shrinks least.
  check({"panorama", "mllama", {4000, 500}, {}, 4 * 1601, 4 * 1608});
}

TEST_CASE("PaliGemma has three resolutions", "[tokens]") {
  check({"any image at 224", "paligemma", {640, 480}, {}, 256, 256});
  check({"the 448 checkpoint by size", "paligemma", {448, 448}, {}, 1024, 1024});
  check(
      {"the 896 checkpoint by limit", "paligemma", {640, 480}, {.max_pixels = 802816}, 4096, 4096});
}

TEST_CASE("Gemma 3 adds crops only when asked", "[tokens]") {
  check({"off as released", "gemma3", {1920, 1080}, {}, 256, 4096});
  // Ratio 1.78 + 0.5 -> 2 crops of 960.
  check({"two crops", "gemma3", {1920, 1080}, {.max_tiles = 4}, 3 * 256, 3 * 4096});
  // Ratio 5, cut to 4.
  check({"at most four", "gemma3", {3000, 600}, {.max_tiles = 4}, 5 * 256, 5 * 4096});
  check({"ratio under 1.2", "gemma3", {1000, 900}, {.max_tiles = 4}, 256, 4096});
  // Ratio 1.4 + 0.5 -> 1, but never fewer than 2, of 350 pixels.
  check({"at least two", "gemma3", {700, 500}, {.max_tiles = 4}, 3 * 256, 3 * 4096});
  // Ratio 7.7 + 0.5 -> 8, but 2000/256 -> 7 crops of 286.
  check({"no crop under 256", "gemma3", {260, 2000}, {.max_tiles = 16}, 8 * 256, 8 * 4096});
  check({"crops under 256", "gemma3", {600, 250}, {.max_tiles = 4}, 256, 4096});
  check({"portrait", "gemma3", {400, 1000}, {.max_tiles = 4}, 4 * 256, 4 * 4096});
}

TEST_CASE("GPT-4V: the encoder is unknown, not zero", "[tokens]") {
  const TokenCount low =
      count_image_tokens("gpt-4v", {4096, 8192}, {.detail = trcost::ImageDetail::low});
  CHECK(low.vision == 85);
  CHECK_FALSE(low.vision_encoder.has_value());
  // 3000 x 3000 -> 2048 x 2048 -> 768 x 768: 4 tiles.
  CHECK(count_image_tokens("gpt-4v", {3000, 3000}).vision == 85 + 4 * 170);
  // The guide's examples: 1024 x 1024 -> 768 x 768, 765; 2048 x 4096 -> 1024 x 2048 -> 768 x 1536,
  // 1105. A small image is not enlarged.
  CHECK(count_image_tokens("gpt-4v", {1024, 1024}).vision == 765);
  CHECK(count_image_tokens("gpt-4v", {2048, 4096}).vision == 1105);
  CHECK(count_image_tokens("gpt-4v", {300, 300}).vision == 255);
  // 5000 x 100 -> 2048 x 40: 4 tiles.
  CHECK(count_image_tokens("gpt-4v", {5000, 100}).vision == 85 + 4 * 170);
}

TEST_CASE("audio is padded to 30 seconds in the encoder", "[tokens]") {
  CHECK(count_audio_tokens("whisper", 0.5).vision == 1500);
  CHECK(count_audio_tokens("whisper", 30.5).vision == 3000);
  // 100 mel frames -> 50 -> 25.
  const TokenCount second = count_audio_tokens("qwen2-audio", 1);
  CHECK(second.vision == 25);
  CHECK(second.vision_encoder == 1500);
  // 1.005 s are 16080 samples, 101 mel frames -> 51 -> 25.
  CHECK(count_audio_tokens("qwen2-audio", 1.005).vision == 25);
  CHECK(count_audio_tokens("qwen2-audio", 60).vision == 750);
  CHECK_THROWS_AS(count_audio_tokens("qwen2-audio", 0.01), trcost::Error);
}
