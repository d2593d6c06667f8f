// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

constexpr std::int64_t patch = 14;

// --- PaliGemma ----------------------------------------------------------------------------------

constexpr std::array<std::int64_t, 3> paligemma_sides = {224, 448, 896};

// Released at 224, 448 and 896 pixels; every image is stretched to the checkpoint's square, which a
// model says itself. Where only the family is asked for, an
// image that has one of these sizes means that checkpoint, any other the largest that max_pixels
// holds (224 unless asked otherwise).
std::int64_t paligemma_side(ImageSize size, std::int64_t max_pixels) {
  std::int64_t side = paligemma_sides.front();
  for (const std::int64_t released : paligemma_sides) {
    if (size == ImageSize{released, released}) return released;
    if (released * released <= max_pixels) side = released;
  }
  return side;
}

// (side / 14)^2 patches, all of them to the language model; no class token (SigLIP).
// PaliGemma, arXiv:2407.07726, section 3.1: 256, 1024 and 4096 tokens.
TokenCount paligemma(ImageSize size, const TokenOptions& options) {
  const std::int64_t asked = options.encoder.image;
  const std::int64_t side = asked > 0 ? asked : paligemma_side(size, *options.max_pixels);
  TokenCount count;
  count.vision = (side / patch) * (side / patch);
  count.vision_encoder = count.vision;
  count.encoder_sequence = count.vision;
  count.tiles = 1;
  count.resized = ImageSize{side, side};
  return count;
}

// --- Gemma 3 ------------------------------------------------------------------------------------

constexpr std::int64_t gemma3_side = 896;
constexpr std::int64_t gemma3_encoder_tokens = (gemma3_side / patch) * (gemma3_side / patch);
constexpr std::int64_t gemma3_tokens = 256;  // 4 x 4 average pool, mm_tokens_per_image

// Pan and scan, as the processor's documentation sets it up when it is switched on.
constexpr std::int64_t min_crop_side = 256;
constexpr double min_ratio = 1.2;

// Crops of an image `longer` times `shorter`: the ratio rounded half up, no crop shorter than 256,
// within 2 .. max_crops; none for ratios under 1.2 or where a crop would be too small.
// transformers gemma3/image_processing_gemma3.py, pan_and_scan.
std::int64_t pan_and_scan_crops(ImageSize size, std::int64_t max_crops) {
  const std::int64_t longer = std::max(size.width, size.height);
  const std::int64_t shorter = std::min(size.width, size.height);
  const double ratio = static_cast<double>(longer) / static_cast<double>(shorter);
  if (ratio < min_ratio) return 0;
  std::int64_t crops = truncated(std::floor(ratio + 0.5));
  crops = std::min(longer / min_crop_side, crops);
  crops = std::min(max_crops, std::max<std::int64_t>(2, crops));
  if (std::min(ceil_div(longer, crops), shorter) < min_crop_side) return 0;
  return crops;
}

TokenCount gemma3(ImageSize size, const TokenOptions& options) {
  const std::int64_t max_crops = *options.max_tiles;
  TokenCount count;
  count.tiles = 1 + (max_crops > 1 ? pan_and_scan_crops(size, max_crops) : 0);
  count.vision = count.tiles * gemma3_tokens;
  count.vision_encoder = count.tiles * gemma3_encoder_tokens;
  count.encoder_sequence = gemma3_encoder_tokens;
  count.resized = ImageSize{gemma3_side, gemma3_side};
  return count;
}

}  // namespace

std::span<const Family> gemma_families() {
  static const std::array families = {
      Family{.info = {.name = "paligemma",
                      .title = "PaliGemma and PaliGemma 2 at 224, 448 or 896",
                      .image = true,
                      .defaults = {.max_pixels = 224 * 224, .encoder = {.patch = patch}},
                      .rule = "one square of 224, 448 or 896 pixels: the image's own size where it "
                              "is one of these, else the largest within --max-pixels (50176); "
                              "(side/14)^2 tokens",
                      .source = "PaliGemma, arXiv:2407.07726, section 3.1; "
                                "huggingface/transformers paligemma/processing_paligemma.py"},
             .follows_encoder = true,
             .image = paligemma},
      Family{
          .info = {.name = "gemma3",
                   .title = "Gemma 3",
                   .image = true,
                   .defaults = {.max_tiles = 1, .encoder = {.patch = patch, .image = gemma3_side}},
                   .rule = "one 896x896 image: 4096 encoder tokens, 4x4 pooled to 256; pan and "
                           "scan is off, --max-tiles 4 adds up to 4 crops",
                   .source = "huggingface/transformers gemma3/image_processing_gemma3.py "
                             "(pan_and_scan), gemma3/processing_gemma3.py"},
          .image = gemma3}};
  return families;
}

}  // namespace trcost::workload::tokens
