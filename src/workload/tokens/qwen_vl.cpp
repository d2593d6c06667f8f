// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "trcost/error.h"
#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

constexpr std::int64_t kQwenMerge = 2;      // 2 x 2 patches become one language-model token
constexpr std::int64_t kTemporalPatch = 2;  // two frames become one encoder frame
constexpr double kMaxRatio = 200;

// Frames of a clip and pixels of one frame, in tokens of factor x factor pixels.
// QwenLM/Qwen3-VL qwen-vl-utils/src/qwen_vl_utils/vision_process.py: FPS_MIN_FRAMES,
// FPS_MAX_FRAMES, VIDEO_MIN_TOKEN_NUM, VIDEO_MAX_TOKEN_NUM, MODEL_SEQ_LEN.
constexpr double kMinFrames = 4;
constexpr double kMaxFrames = 768;
constexpr std::int64_t kFrameMinTokens = 128;
constexpr std::int64_t kFrameMaxTokens = 768;
constexpr double kClipTokens = 128000 * 0.9;

// round(n / factor) * factor, halves to even as Python rounds them: 70 / 28 = 2.5 gives 2.
std::int64_t round_to(std::int64_t n, std::int64_t factor) {
  return static_cast<std::int64_t>(
             std::nearbyint(static_cast<double>(n) / static_cast<double>(factor))) *
         factor;
}

std::int64_t floor_to(double n, std::int64_t factor) {
  return static_cast<std::int64_t>(std::floor(n / static_cast<double>(factor))) * factor;
}

std::int64_t ceil_to(double n, std::int64_t factor) {
  return static_cast<std::int64_t>(std::ceil(n / static_cast<double>(factor))) * factor;
}

void check_ratio(ImageSize size) {
  const auto longer = static_cast<double>(std::max(size.width, size.height));
  const auto shorter = static_cast<double>(std::min(size.width, size.height));
  if (longer / shorter > kMaxRatio) {
    throw Error(ErrorKind::data,
                "Qwen's preprocessors refuse an aspect ratio above 200, and this image exceeds it",
                "crop the image, or choose another family");
  }
}

// Sides rounded to multiples of factor; where their product leaves [min, max] pixels, both are
// scaled by sqrt(pixels / limit) and rounded down (up at the lower limit).
// transformers qwen2_vl/image_processing_qwen2_vl.py, smart_resize. There a side under half a
// factor rounds to 0 and so falls under the lower limit; the video code of vision_process.py keeps
// such a side at one factor, which is what `least` is for.
ImageSize smart_resize(ImageSize size, std::int64_t factor, double min_pixels, double max_pixels,
                       std::int64_t least) {
  check_ratio(size);
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  ImageSize out{std::max(least, round_to(size.width, factor)),
                std::max(least, round_to(size.height, factor))};
  const auto pixels = static_cast<double>(out.width * out.height);
  if (pixels > max_pixels) {
    const double beta = std::sqrt(height * width / max_pixels);
    out = {std::max(factor, floor_to(width / beta, factor)),
           std::max(factor, floor_to(height / beta, factor))};
  } else if (pixels < min_pixels) {
    const double beta = std::sqrt(min_pixels / (height * width));
    out = {ceil_to(width * beta, factor), ceil_to(height * beta, factor)};
  }
  return out;
}

TokenCount count_frames(ImageSize resized, std::int64_t factor, std::int64_t groups) {
  const std::int64_t merged = (resized.width / factor) * (resized.height / factor);
  TokenCount count;
  count.encoder_sequence = merged * kQwenMerge * kQwenMerge;
  count.vision_encoder = *count.encoder_sequence * groups;
  count.vision = merged * groups;
  count.tiles = groups;
  count.resized = resized;
  return count;
}

template <std::int64_t kFactor>
TokenCount image(ImageSize size, const TokenOptions& options) {
  const ImageSize resized = smart_resize(size, kFactor, static_cast<double>(*options.min_pixels),
                                         static_cast<double>(*options.max_pixels), 0);
  return count_frames(resized, kFactor, 1);
}

// Frames taken: seconds * fps within 4 .. 768, then even.
// vision_process.py, smart_nframes, for a clip that holds at least that many frames.
std::int64_t frames_of(const VideoClip& clip) {
  const double wanted = clip.seconds * clip.fps;
  const double frames = std::min(std::max(wanted, kMinFrames), kMaxFrames);
  return static_cast<std::int64_t>(std::floor(frames / kTemporalPatch)) * kTemporalPatch;
}

// Pixels of one frame: at most 768 tokens' worth, and at most its share of 0.9 x 128,000 tokens
// for the whole clip, but never below 1.05 x the minimum of 128 tokens' worth.
// vision_process.py, fetch_video. --min-pixels and --max-pixels bound one frame, as its
// "min_pixels" and "max_pixels" do; a larger "max_pixels" than the share is cut to the share.
template <std::int64_t kFactor>
TokenCount video(const VideoClip& clip, const TokenOptions& options) {
  constexpr std::int64_t kArea = kFactor * kFactor;
  const std::int64_t frames = frames_of(clip);
  const std::int64_t min_pixels = options.min_pixels.value_or(kFrameMinTokens * kArea);
  const double share =
      kClipTokens * static_cast<double>(kArea) / static_cast<double>(frames) * kTemporalPatch;
  const double cap = std::max(std::min(static_cast<double>(kFrameMaxTokens * kArea), share),
                              std::floor(static_cast<double>(min_pixels) * 1.05));
  const double max_pixels =
      options.max_pixels ? std::min(static_cast<double>(*options.max_pixels), cap) : cap;
  if (static_cast<double>(min_pixels) > max_pixels) {
    throw Error(ErrorKind::usage, "the least pixels of a video frame exceed the most",
                "raise --max-pixels or lower --min-pixels; a frame has at least 128 tokens unless "
                "--min-pixels says otherwise");
  }
  const ImageSize resized =
      smart_resize(clip.frame, kFactor, static_cast<double>(min_pixels), max_pixels, kFactor);
  TokenCount count = count_frames(resized, kFactor, frames / kTemporalPatch);
  count.frames = frames;
  return count;
}

constexpr std::string_view kVideoRule =
    "seconds x fps frames within 4..768, even; two frames per token layer; a frame at most 768 "
    "tokens, a clip at most 0.9 x 128,000";

// Released preprocessor_config.json of each family: Qwen2-VL and Qwen2.5-VL 3136 .. 12845056,
// Qwen3-VL 65536 .. 16777216 (the class default of transformers, 1003520, is ten times smaller).
Family qwen_28(std::string_view name, std::string_view title) {
  return {.info = {.name = name,
                   .title = title,
                   .image = true,
                   .video = true,
                   .defaults = {.min_pixels = 3136,
                                .max_pixels = 12845056,
                                .encoder = {.patch = 14, .merge = kQwenMerge}},
                   .rule = "sides rounded to multiples of 28 (halves to even), 3136 to 12845056 "
                           "pixels as released; 14-pixel patches, 2x2 merged",
                   .video_rule = kVideoRule,
                   .source = "huggingface/transformers qwen2_vl/image_processing_qwen2_vl.py "
                             "(smart_resize); QwenLM/Qwen3-VL qwen_vl_utils/vision_process.py; "
                             "released preprocessor_config.json"},
          .image = image<28>,
          .video = video<28>};
}

}  // namespace

std::span<const Family> qwen_vl_families() {
  static const std::array families = {
      qwen_28("qwen2-vl", "Qwen2-VL"), qwen_28("qwen2.5-vl", "Qwen2.5-VL"),
      Family{.info = {.name = "qwen3-vl",
                      .title = "Qwen3-VL",
                      .image = true,
                      .video = true,
                      .defaults = {.min_pixels = 65536,
                                   .max_pixels = 16777216,
                                   .encoder = {.patch = 16, .merge = kQwenMerge}},
                      .rule = "sides rounded to multiples of 32 (halves to even), 65536 to "
                              "16777216 pixels as released; 16-pixel patches, 2x2 merged",
                      .video_rule = kVideoRule,
                      .source = "huggingface/transformers qwen2_vl/image_processing_qwen2_vl.py "
                                "(smart_resize); QwenLM/Qwen3-VL qwen_vl_utils/vision_process.py; "
                                "released preprocessor_config.json"},
             .image = image<32>,
             .video = video<32>}};
  return families;
}

}  // namespace trcost::workload::tokens
