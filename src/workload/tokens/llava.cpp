// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include "rules.h"

namespace trcost::tokens {
namespace {

// CLIP ViT-L/14 at 336 pixels: 24 x 24 patches and a class token, which both LLaVAs drop before
// the projector (vision_feature_select_strategy "default").
constexpr std::int64_t clip_side = 336;
constexpr std::int64_t clip_grid = 24;
constexpr std::int64_t clip_patches = clip_grid * clip_grid;
constexpr std::int64_t clip_tokens = clip_patches + 1;

// Any image is padded or cropped to one square of 336 pixels: 577 encoder tokens, 576 kept.
TokenCount llava_15(ImageSize, const TokenOptions&) {
  TokenCount count;
  count.vision = clip_patches;
  count.vision_encoder = clip_tokens;
  count.encoder_sequence = clip_tokens;
  count.tiles = 1;
  count.resized = ImageSize{clip_side, clip_side};
  return count;
}

// image_grid_pinpoints of the released LLaVA-NeXT (v1.6) configurations.
constexpr std::array<ImageSize, 5> pinpoints = {
    {{672, 336}, {336, 672}, {672, 672}, {336, 1008}, {1008, 336}}};

// The canvas that keeps the most of the image's own pixels; of equals the one that wastes fewest,
// then the first. transformers image_processing_utils.select_best_resolution (same arithmetic in
// LLaVA's llava/mm_utils.py).
ImageSize best_canvas(ImageSize size) {
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  std::int64_t best_effective = 0;
  std::int64_t least_waste = std::numeric_limits<std::int64_t>::max();
  ImageSize best;
  for (const ImageSize canvas : pinpoints) {
    const double scale = std::min(static_cast<double>(canvas.width) / width,
                                  static_cast<double>(canvas.height) / height);
    const std::int64_t scaled = truncated(width * scale) * truncated(height * scale);
    const std::int64_t effective = std::min(scaled, size.width * size.height);
    const std::int64_t waste = canvas.width * canvas.height - effective;
    if (effective > best_effective || (effective == best_effective && waste < least_waste)) {
      best_effective = effective;
      least_waste = waste;
      best = canvas;
    }
  }
  return best;
}

// Features left of a columns x rows grid once the padding around the image is cut, each row ended
// by one newline embedding.
// transformers llava_next/processing_llava_next.py, _get_unpadded_features: the padding is halved
// with floor and cut on both sides, so an odd row or column of padding stays.
std::int64_t unpadded_features(ImageSize size, std::int64_t columns, std::int64_t rows) {
  const double grid_ratio = static_cast<double>(columns) / static_cast<double>(rows);
  if (aspect_ratio(size) > grid_ratio) {
    const std::int64_t filled = size.height * columns / size.width;
    rows -= (rows - filled) / 2 * 2;
  } else {
    const std::int64_t filled = size.width * rows / size.height;
    columns -= (columns - filled) / 2 * 2;
  }
  return columns * rows + rows;
}

TokenCount llava_next(ImageSize size, const TokenOptions&) {
  const ImageSize canvas = best_canvas(size);
  const std::int64_t columns = canvas.width / clip_side;
  const std::int64_t rows = canvas.height / clip_side;
  TokenCount count;
  count.tiles = columns * rows + 1;
  count.vision = clip_patches + unpadded_features(size, columns * clip_grid, rows * clip_grid);
  count.vision_encoder = count.tiles * clip_tokens;
  count.encoder_sequence = clip_tokens;
  count.resized = canvas;
  return count;
}

}  // namespace

std::span<const Family> llava_families() {
  static const std::array families = {
      Family{.info = {.name = "llava-1.5",
                      .title = "LLaVA-1.5 (CLIP ViT-L/14 at 336)",
                      .image = true,
                      .rule = "one 336x336 image: 577 encoder tokens, class token dropped, 576 to "
                              "the language model",
                      .source = "huggingface/transformers llava/processing_llava.py; "
                                "haotian-liu/LLaVA llava/mm_utils.py"},
             .image = llava_15},
      Family{.info = {.name = "llava-next",
                      .title = "LLaVA-NeXT (LLaVA-1.6) anyres",
                      .image = true,
                      .rule = "best of the canvases 336x672, 672x336, 672x672, 1008x336, 336x1008; "
                              "336-pixel tiles and the overview; 576 + the grid without padding + "
                              "one newline per row",
                      .source = "huggingface/transformers llava_next/processing_llava_next.py "
                                "(_get_unpadded_features); haotian-liu/LLaVA llava/mm_utils.py"},
             .image = llava_next}};
  return families;
}

}  // namespace trcost::tokens
