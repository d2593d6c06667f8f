// SPDX-License-Identifier: Apache-2.0
// GLM-4.1V and GLM-4.5V.
#include <algorithm>
#include <array>
#include <cmath>

#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

constexpr std::int64_t kGlmFactor = 28;    // 14-pixel patches, 2 x 2 merged
constexpr std::int64_t kGlmTemporal = 2;   // two frames become one; an image counts as two
constexpr std::int64_t kGlmLeast = 12544;  // released sizes, over frames x height x width
constexpr std::int64_t kGlmImage = 9633792;
constexpr std::int64_t kGlmVideo = 47040000;
constexpr double kGlmLongest = 300;  // seconds; of longer clips as many frames, further apart

TokenCount count_glm(ImageSize size, std::int64_t frames, double least, double most) {
  const ImageSize resized = resize_clip(size, frames, kGlmFactor, least, most);
  const std::int64_t merged = (resized.width / kGlmFactor) * (resized.height / kGlmFactor);
  TokenCount count;
  count.tiles = frames / kGlmTemporal;
  count.encoder_sequence = 4 * merged;
  count.vision_encoder = count.tiles * 4 * merged;
  count.vision = count.tiles * merged;
  count.resized = resized;
  return count;
}

TokenCount glm_image(ImageSize size, const TokenOptions& options) {
  return count_glm(size, kGlmTemporal, static_cast<double>(*options.min_pixels),
                   static_cast<double>(*options.max_pixels));
}

// Between frame pairs stand the marks of an image and its second, three digits to a token.
// transformers glm4v/video_processing_glm4v.py (sample_frames), glm4v/processing_glm4v.py.
TokenCount glm_video(const VideoClip& clip, const TokenOptions& options) {
  const double seconds = std::min(clip.seconds, kGlmLongest);
  std::int64_t frames = std::max<std::int64_t>(1, truncated(std::floor(seconds * clip.fps)));
  frames += frames % kGlmTemporal;
  TokenCount count =
      count_glm(clip.frame, frames, static_cast<double>(options.min_pixels.value_or(kGlmLeast)),
                static_cast<double>(options.max_pixels.value_or(kGlmVideo)));
  count.frames = frames;
  std::int64_t text = 0;
  for (std::int64_t pair = 0; pair < count.tiles; ++pair) {
    const double second =
        clip.seconds * static_cast<double>(pair) / static_cast<double>(count.tiles);
    text += 3 + (second >= 1000 ? 1 : 0);
  }
  count.text = text;
  return count;
}

Family glm(std::string_view name, std::string_view title) {
  return {.info = {.name = name,
                   .title = title,
                   .image = true,
                   .video = true,
                   .defaults = {.min_pixels = kGlmLeast,
                                .max_pixels = kGlmImage,
                                .encoder = {.patch = 14, .merge = 2}},
                   .rule = "sides rounded to multiples of 28 (halves to even), 2 x height x width "
                           "within 12544..9633792 pixels as released, 14-pixel patches, 2x2 merged",
                   .video_rule = "seconds x fps frames of at most 300 s, two per token layer; "
                                 "frames x height x width at most 47040000 pixels",
                   .source = "huggingface/transformers glm4v/image_processing_glm4v.py, "
                             "glm4v/video_processing_glm4v.py; released preprocessor_config.json "
                             "and video_preprocessor_config.json"},
          .image = glm_image,
          .video = glm_video};
}

}  // namespace

std::span<const Family> glm_families() {
  static const std::array families = {glm("glm-4.1v", "GLM-4.1V"), glm("glm-4.5v", "GLM-4.5V")};
  return families;
}

}  // namespace trcost::workload::tokens
