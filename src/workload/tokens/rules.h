// SPDX-License-Identifier: Apache-2.0
#pragma once

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
std::span<const Family> native_families();
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

/// Width over height, the double that the preprocessors written in Python compute with.
inline double aspect_ratio(ImageSize size) {
  return static_cast<double>(size.width) / static_cast<double>(size.height);
}

}  // namespace trcost::workload::tokens
