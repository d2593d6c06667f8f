// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "quantity/layers.h"
#include "trcost/tokens.h"

/// A family of token rules: its row of the table, and its rules. All rules get valid
/// sizes. Image rules get the options merged with the defaults, so each option that the family has
/// is set; video rules get the encoder and of the rest only what the user gave, since their limits
/// are others.
namespace trcost::workload::tokens {

struct VideoClip {
  ImageSize frame;
  double seconds = 0;
  double fps = 0;
};

using ImageRule = TokenCount (*)(ImageSize, const TokenOptions&);
using VideoRule = TokenCount (*)(const VideoClip&, const TokenOptions&);
using AudioRule = TokenCount (*)(double seconds);

struct Family {
  TokenFamily info;
  bool follows_encoder = false;  ///< counts for any encoder, not the released one alone
  ImageRule image = nullptr;
  VideoRule video = nullptr;
  AudioRule audio = nullptr;
};

// One group of families per file, which tokens.cpp joins.
std::span<const Family> vit_families();
std::span<const Family> llava_families();
std::span<const Family> qwen_vl_families();
std::span<const Family> internvl_families();
std::span<const Family> idefics_families();
std::span<const Family> mllama_families();
std::span<const Family> glm_families();
std::span<const Family> native_families();
std::span<const Family> crop_families();
std::span<const Family> gemma_families();
std::span<const Family> gpt4v_families();
std::span<const Family> audio_families();

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Python's int(x): toward zero.
inline std::int64_t truncated(double x) {
  return static_cast<std::int64_t>(x);
}

/// Patches along one side of the square that an encoder takes.
inline std::int64_t grid_side(const TokenEncoder& encoder) {
  return encoder.image / encoder.patch;
}

/// Tokens that the encoder computes for one square, class token included.
inline std::int64_t tile_tokens(const TokenEncoder& encoder) {
  return grid_side(encoder) * grid_side(encoder) + encoder.class_tokens.value_or(0);
}

/// Frames of log-mel features of a clip at 16 kHz, one per 160 samples
/// (transformers whisper/feature_extraction_whisper.py).
inline std::int64_t mel_frames(double seconds) {
  constexpr double kSamplingRate = 16000;
  constexpr std::int64_t kHopLength = 160;
  return ceil_div(truncated(std::nearbyint(seconds * kSamplingRate)), kHopLength);
}

/// Frames of a clip that is read as single images, at least one.
inline std::int64_t whole_frames(const VideoClip& clip) {
  return std::max<std::int64_t>(1, truncated(std::floor(clip.seconds * clip.fps)));
}

/// The count of a clip of `frames` images like `frame`.
inline TokenCount repeat_frame(TokenCount frame, std::int64_t frames) {
  frame.frames = frames;
  frame.tiles *= frames;
  frame.vision *= frames;
  if (frame.vision_encoder) *frame.vision_encoder *= frames;
  return frame;
}

/// A grid of tiles.
struct TileGrid {
  std::int64_t columns = 1;
  std::int64_t rows = 1;
};
/// The grid of `least` to `most` tiles whose ratio is nearest to the image's. Among equals in order
/// of area a later, larger grid replaces the earlier if the image has more than half its pixels.
/// OpenGVLab/InternVL internvl_chat/internvl/train/dataset.py, find_closest_aspect_ratio with the
/// target_ratios of dynamic_preprocess. Grids of equal area never tie at the smallest difference.
TileGrid closest_grid(ImageSize size, std::int64_t least, std::int64_t most,
                      std::int64_t tile_side);
/// The canvas of whole tiles that keeps the most of the image's own pixels. Of equals the one that
/// wastes fewest, then the first. transformers image_processing_utils.select_best_resolution.
ImageSize best_canvas(ImageSize size, std::span<const ImageSize> canvases, std::int64_t tile);

/// round(n / factor) * factor, halves to even as Python rounds them: 70 / 28 = 2.5 gives 2.
inline std::int64_t round_to(std::int64_t n, std::int64_t factor) {
  return truncated(std::nearbyint(static_cast<double>(n) / static_cast<double>(factor))) * factor;
}
/// Sides of a clip's frames within limits on the pixels of all frames together, as frames x height
/// x width. Throws Error for an aspect ratio above 200.
/// transformers glm4v/image_processing_glm4v.py and qwen3_vl/video_processing_qwen3_vl.py,
/// smart_resize.
ImageSize resize_clip(ImageSize size, std::int64_t frames, std::int64_t factor, double min_pixels,
                      double max_pixels);

/// Width over height, the double that the preprocessors written in Python compute with.
inline double aspect_ratio(ImageSize size) {
  return static_cast<double>(size.width) / static_cast<double>(size.height);
}

}  // namespace trcost::workload::tokens
