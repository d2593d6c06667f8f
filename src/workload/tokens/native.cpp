// SPDX-License-Identifier: Apache-2.0
// Encoders of native resolution whose images are only scaled down to a limit: Pixtral, Mistral
// Small 3.1, Kimi-VL.
#include <algorithm>
#include <array>
#include <cmath>

#include "trcost/error.h"
#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// Scaled so that the longest side is at most `longest`, both sides rounded down; then up to whole
// patches (or to the squares of patches that are merged).
// transformers pixtral/image_processing_pixtral.py, get_resize_output_image_size.
ImageSize fit(ImageSize size, std::int64_t longest, std::int64_t step) {
  const auto most = static_cast<double>(longest);
  const double ratio =
      std::max(static_cast<double>(size.width) / most, static_cast<double>(size.height) / most);
  const auto fitted = [&](std::int64_t side) {
    const auto length = static_cast<double>(side);
    const std::int64_t scaled = ratio > 1 ? truncated(std::floor(length / ratio)) : side;
    return std::max<std::int64_t>(ceil_div(scaled, step), 1) * step;
  };
  return {fitted(size.width), fitted(size.height)};
}

TokenCount count_grid(ImageSize resized, const TokenEncoder& encoder) {
  TokenCount count;
  count.encoder_sequence = (resized.width / encoder.patch) * (resized.height / encoder.patch);
  count.vision_encoder = count.encoder_sequence;
  count.vision = *count.encoder_sequence / (encoder.merge * encoder.merge);
  count.tiles = 1;
  count.resized = resized;
  return count;
}

// The marks that end rows ([IMG_BREAK]) and the image ([IMG_END]) are text tokens: not counted.
TokenCount pixtral(ImageSize size, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  return count_grid(fit(size, encoder.longest, encoder.patch * encoder.merge), encoder);
}

constexpr std::int64_t kKimiPixels = 16384 * 14 * 14;

// Scaled down where the whole patches exceed the limit, then padded up to squares of 2 x 2 patches.
// moonshotai/Kimi-VL image_processing_kimi_vl.py, rescale with pad_input; as in
// Blaizzy/mlx-vlm mlx_vlm/models/kimi_vl/processing_kimi_vl.py. The limit is 4,096 patches in
// Kimi-VL-A3B-Instruct and 16,384 since the release of 2506; positions end at 512 per side.
TokenCount kimi_vl(ImageSize size, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  constexpr std::int64_t kMostPositions = 512;
  const std::int64_t limit = *options.max_pixels / (encoder.patch * encoder.patch);
  const std::int64_t whole = (size.width / encoder.patch) * (size.height / encoder.patch);
  if (whole > limit) {
    const double scale = std::sqrt(static_cast<double>(limit) / static_cast<double>(whole));
    size = {truncated(static_cast<double>(size.width) * scale),
            truncated(static_cast<double>(size.height) * scale)};
  }
  const std::int64_t step = encoder.patch * encoder.merge;
  const auto padded = [&](std::int64_t side) {
    return std::max<std::int64_t>(ceil_div(side, step), 1) * step;
  };
  const ImageSize resized{padded(size.width), padded(size.height)};
  if (std::max(resized.width, resized.height) >= kMostPositions * encoder.patch) {
    throw Error(ErrorKind::data,
                "Kimi-VL has positions for 511 patches of a side, and this image "
                "has more",
                "crop the image, or choose another family");
  }
  return count_grid(resized, encoder);
}

// No processor reads a video: every frame is an image.
TokenCount kimi_vl_video(const VideoClip& clip, const TokenOptions& options) {
  TokenOptions image = options;
  image.max_pixels = options.max_pixels.value_or(kKimiPixels);
  return repeat_frame(kimi_vl(clip.frame, image), whole_frames(clip));
}

// Scaled down to a number of patches and to 512 patches a side, then padded up to squares of 2 x 2.
// moonshotai/Kimi-K2.5 media_utils.py, navit_resize_image.
TokenCount kimi_k25_frame(ImageSize size, std::int64_t patches, const TokenEncoder& encoder) {
  constexpr double kMostPositions = 512;
  const auto patch = static_cast<double>(encoder.patch);
  const auto whole = [&](std::int64_t side) {
    return std::max<std::int64_t>(side / encoder.patch, 1);
  };
  const auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
  const double scale =
      std::min({1.0,
                std::sqrt(static_cast<double>(patches) / (static_cast<double>(whole(size.width)) *
                                                          static_cast<double>(whole(size.height)))),
                kMostPositions * patch / width, kMostPositions * patch / height});
  const std::int64_t step = encoder.patch * encoder.merge;
  const auto padded = [&](double side) {
    return ceil_div(std::max<std::int64_t>(truncated(side * scale), 1), step) * step;
  };
  return count_grid({padded(width), padded(height)}, encoder);
}

TokenCount kimi_k25(ImageSize size, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  return kimi_k25_frame(size, *options.max_pixels / (encoder.patch * encoder.patch), encoder);
}

// Four frames are pooled into the tokens of one. Between them stands the time as hh:mm:ss.fff with
// three marks: about 12 tokens. kimi_k25_vision_processing.py, split_video_chunks.
TokenCount kimi_k25_video(const VideoClip& clip, const TokenOptions& options) {
  constexpr std::int64_t kPooled = 4, kChunkText = 12, kFramePatches = 4096;
  const TokenEncoder& encoder = options.encoder;
  const std::int64_t patches =
      options.max_pixels ? *options.max_pixels / (encoder.patch * encoder.patch) : kFramePatches;
  const std::int64_t frames =
      std::max<std::int64_t>(1, truncated(std::nearbyint(clip.seconds * clip.fps)));
  const TokenCount frame = kimi_k25_frame(clip.frame, patches, encoder);
  TokenCount count = repeat_frame(frame, ceil_div(frames, kPooled));
  count.vision_encoder = frames * *frame.vision_encoder;
  count.encoder_sequence = std::min(frames, kPooled) * *frame.vision_encoder;
  count.frames = frames;
  count.text = count.tiles * kChunkText;
  return count;
}

constexpr TokenEncoder kPixtralEncoder = {.patch = 16, .longest = 1024, .merge = 1};
constexpr TokenEncoder kMistral3Encoder = {.patch = 14, .longest = 1540, .merge = 2};
constexpr TokenEncoder kMoonvit = {.patch = 14, .merge = 2};

constexpr std::string_view kPixtralSource =
    "huggingface/transformers pixtral/image_processing_pixtral.py "
    "(get_resize_output_image_size), pixtral/processing_pixtral.py";

}  // namespace

std::span<const Family> native_families() {
  static const std::array families = {
      Family{.info = {.name = "pixtral",
                      .title = "Pixtral",
                      .image = true,
                      .defaults = {.encoder = kPixtralEncoder},
                      .rule = "longest side scaled down to 1024, sides up to patches of 16; the "
                              "marks that end rows are text",
                      .source = kPixtralSource},
             .follows_encoder = true,
             .image = pixtral},
      Family{.info = {.name = "mistral3",
                      .title = "Mistral Small 3.1 and 3.2",
                      .image = true,
                      .defaults = {.encoder = kMistral3Encoder},
                      .rule = "longest side scaled down to 1540, sides up to multiples of 28; "
                              "14-pixel patches, 2x2 merged. The marks that end rows are text",
                      .source = kPixtralSource},
             .follows_encoder = true,
             .image = pixtral},
      Family{.info = {.name = "kimi-vl",
                      .title = "Kimi-VL (MoonViT)",
                      .image = true,
                      .video = true,
                      .defaults = {.max_pixels = kKimiPixels, .encoder = kMoonvit},
                      .rule = "at most 16384 patches of 14 pixels as released in 2506 (the first "
                              "release: --max-pixels 802816), sides up to multiples of 28, 2x2 "
                              "merged",
                      .video_rule = "every frame as an image, seconds x fps frames",
                      .source = "moonshotai/Kimi-VL-A3B-Thinking-2506 image_processing_kimi_vl.py, "
                                "preprocessor_config.json"},
             .follows_encoder = true,
             .image = kimi_vl,
             .video = kimi_vl_video},
      Family{.info = {.name = "kimi-k2.5",
                      .title = "Kimi-K2.5",
                      .image = true,
                      .video = true,
                      .defaults = {.max_pixels = kKimiPixels, .encoder = kMoonvit},
                      .rule = "at most 16384 patches of 14 pixels and 512 a side, sides up to "
                              "multiples of 28, 2x2 merged",
                      .video_rule = "seconds x fps frames of at most 4096 patches, four of them "
                                    "pooled into the tokens of one",
                      .source = "moonshotai/Kimi-K2.5 media_utils.py, "
                                "kimi_k25_vision_processing.py, preprocessor_config.json"},
             .follows_encoder = true,
             .image = kimi_k25,
             .video = kimi_k25_video}};
  return families;
}

}  // namespace trcost::workload::tokens
