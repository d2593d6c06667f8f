// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

constexpr std::int64_t kGemmaPatch = 14;

// --- PaliGemma ----------------------------------------------------------------------------------

constexpr std::array<std::int64_t, 3> kPaligemmaSides = {224, 448, 896};

// Released at 224, 448 and 896 pixels. Every image is stretched to the checkpoint's square, which a
// model names. If only the family is known, an image of one of these sizes means that checkpoint,
// any other image the largest that max_pixels holds (224 by default).
std::int64_t paligemma_side(ImageSize size, std::int64_t max_pixels) {
  std::int64_t side = kPaligemmaSides.front();
  for (const std::int64_t released : kPaligemmaSides) {
    if (size == ImageSize{released, released}) return released;
    if (released * released <= max_pixels) side = released;
  }
  return side;
}

// (side / 14)^2 patches, all of them to the language model; no class token (SigLIP).
// PaliGemma, arXiv:2407.07726, section 3.1: 256, 1024 and 4096 tokens.
TokenCount paligemma(ImageSize size, const TokenOptions& options) {
  const std::int64_t own = options.encoder.image;
  const std::int64_t side = own > 0 ? own : paligemma_side(size, *options.max_pixels);
  TokenCount count;
  count.vision = (side / kGemmaPatch) * (side / kGemmaPatch);
  count.vision_encoder = count.vision;
  count.encoder_sequence = count.vision;
  count.tiles = 1;
  count.resized = ImageSize{side, side};
  return count;
}

// --- Gemma 3 ------------------------------------------------------------------------------------

constexpr std::int64_t kGemma3Side = 896;
constexpr std::int64_t kGemma3EncoderTokens =
    (kGemma3Side / kGemmaPatch) * (kGemma3Side / kGemmaPatch);
constexpr std::int64_t kGemma3Tokens = 256;  // 4 x 4 average pool, mm_tokens_per_image

// Pan and scan, as the processor's documentation sets it up when it is switched on.
constexpr std::int64_t kMinCropSide = 256;
constexpr double kMinRatio = 1.2;

// Crops of an image `longer` times `shorter`: the ratio rounded half up, no crop shorter than 256,
// within 2 .. max_crops; none for ratios under 1.2 or where a crop would be too small.
// transformers gemma3/image_processing_gemma3.py, pan_and_scan.
std::int64_t pan_and_scan_crops(ImageSize size, std::int64_t max_crops) {
  const std::int64_t longer = std::max(size.width, size.height);
  const std::int64_t shorter = std::min(size.width, size.height);
  const double ratio = static_cast<double>(longer) / static_cast<double>(shorter);
  if (ratio < kMinRatio) return 0;
  std::int64_t crops = truncated(std::floor(ratio + 0.5));
  crops = std::min(longer / kMinCropSide, crops);
  crops = std::min(max_crops, std::max<std::int64_t>(2, crops));
  if (std::min(ceil_div(longer, crops), shorter) < kMinCropSide) return 0;
  return crops;
}

TokenCount gemma3(ImageSize size, const TokenOptions& options) {
  const std::int64_t max_crops = *options.max_tiles;
  TokenCount count;
  count.tiles = 1 + (max_crops > 1 ? pan_and_scan_crops(size, max_crops) : 0);
  count.vision = count.tiles * kGemma3Tokens;
  count.vision_encoder = count.tiles * kGemma3EncoderTokens;
  count.encoder_sequence = kGemma3EncoderTokens;
  count.resized = ImageSize{kGemma3Side, kGemma3Side};
  return count;
}

// No processor reads a video: every frame is an image without crops.
TokenCount gemma3_video(const VideoClip& clip, const TokenOptions&) {
  TokenOptions whole;
  whole.max_tiles = 1;
  return repeat_frame(gemma3(clip.frame, whole), whole_frames(clip));
}

// --- Gemma 3n -----------------------------------------------------------------------------------

// MobileNet-V5 at 768 pixels, 16 x 16 features. gemma3n/processing_gemma3n.py, image_seq_length.
TokenCount gemma3n(ImageSize, const TokenOptions&) {
  constexpr std::int64_t kSide = 768;
  TokenCount count;
  count.tiles = 1;
  count.vision = 256;
  count.vision_encoder = count.vision;
  count.encoder_sequence = count.vision;
  count.resized = ImageSize{kSide, kSide};
  return count;
}

TokenCount gemma3n_video(const VideoClip& clip, const TokenOptions& options) {
  return repeat_frame(gemma3n(clip.frame, options), whole_frames(clip));
}

// Every clip is padded to 30 s: audio_seq_length 188 of the same file.
TokenCount gemma3n_audio(double) {
  TokenCount count;
  count.tiles = 1;
  count.vision = 188;
  count.vision_encoder = count.vision;
  count.encoder_sequence = count.vision;
  return count;
}

}  // namespace

std::span<const Family> gemma_families() {
  static const std::array families = {
      Family{.info = {.name = "paligemma",
                      .title = "PaliGemma and PaliGemma 2 at 224, 448 or 896",
                      .image = true,
                      .defaults = {.max_pixels = 224 * 224, .encoder = {.patch = kGemmaPatch}},
                      .rule = "one square of 224, 448 or 896 pixels: the image's own size where it "
                              "is one of these, else the largest within --max-pixels (50176); "
                              "(side/14)^2 tokens",
                      .source = "PaliGemma, arXiv:2407.07726, section 3.1; "
                                "huggingface/transformers paligemma/processing_paligemma.py"},
             .follows_encoder = true,
             .image = paligemma},
      Family{.info = {.name = "gemma3",
                      .title = "Gemma 3",
                      .image = true,
                      .video = true,
                      .defaults = {.max_tiles = 1,
                                   .encoder = {.patch = kGemmaPatch, .image = kGemma3Side}},
                      .rule = "one 896x896 image: 4096 encoder tokens, 4x4 pooled to 256; pan and "
                              "scan is off, --max-tiles 4 adds up to 4 crops",
                      .video_rule = "every frame as an image, seconds x fps frames",
                      .source = "huggingface/transformers gemma3/image_processing_gemma3.py "
                                "(pan_and_scan), gemma3/processing_gemma3.py"},
             .image = gemma3,
             .video = gemma3_video},
      Family{.info = {.name = "gemma3n",
                      .title = "Gemma 3n",
                      .image = true,
                      .video = true,
                      .audio = true,
                      .rule = "one 768x768 image: 256 tokens",
                      .video_rule = "every frame as an image, seconds x fps frames",
                      .audio_rule = "188 tokens, padded to 30 s",
                      .source = "huggingface/transformers gemma3n/processing_gemma3n.py"},
             .image = gemma3n,
             .video = gemma3n_video,
             .audio = gemma3n_audio}};
  return families;
}

}  // namespace trcost::workload::tokens
