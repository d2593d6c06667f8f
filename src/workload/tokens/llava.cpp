// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// CLIP ViT-L/14 at 336 pixels: 24 x 24 patches and a class token, which both LLaVAs drop before
// the projector (vision_feature_select_strategy "default").
constexpr TokenEncoder kClipTower = {.patch = 14, .image = 336, .class_tokens = 1};
// SigLIP so400m/14 at 384 pixels: 27 x 27 patches, no class token.
constexpr TokenEncoder kSiglipTower = {.patch = 14, .image = 384, .class_tokens = 0};

// Patches of one square in the language model.
std::int64_t patches(const TokenEncoder& encoder) {
  return grid_side(encoder) * grid_side(encoder);
}

// Any image is padded or cropped to one square, at release of 336 pixels: 577 encoder tokens, 576
// kept.
TokenCount llava_15(ImageSize, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  TokenCount count;
  count.vision = patches(encoder);
  count.vision_encoder = tile_tokens(encoder);
  count.encoder_sequence = count.vision_encoder;
  count.tiles = 1;
  count.resized = ImageSize{encoder.image, encoder.image};
  return count;
}

// Canvases stand in tiles, columns x rows, in the order of the released configurations.

// image_grid_pinpoints of LLaVA-NeXT (v1.6): 336x672 to 336x1008.
constexpr std::array<ImageSize, 5> kNextCanvases = {{{2, 1}, {1, 2}, {2, 2}, {1, 3}, {3, 1}}};

// image_grid_pinpoints of LLaVA-OneVision: 384 to 2304 in both sides.
constexpr std::int64_t kOnevisionSide = 6;
constexpr std::array<ImageSize, 36> kOnevisionCanvases = [] {
  std::array<ImageSize, 36> all{};
  std::int64_t i = 0;
  for (ImageSize& canvas : all) {
    canvas = {i % kOnevisionSide + 1, i / kOnevisionSide + 1};
    ++i;
  }
  return all;
}();

// Columns and rows left of a grid once the padding around the image is cut.
// transformers llava_next/processing_llava_next.py, _get_unpadded_features: the padding is halved
// with floor and cut on both sides, so an odd row or column of padding stays.
ImageSize unpadded(ImageSize size, ImageSize grid) {
  const double grid_ratio = aspect_ratio(grid);
  if (aspect_ratio(size) > grid_ratio) {
    const std::int64_t filled = size.height * grid.width / size.width;
    grid.height -= (grid.height - filled) / 2 * 2;
  } else {
    const std::int64_t filled = size.width * grid.height / size.height;
    grid.width -= (grid.width - filled) / 2 * 2;
  }
  return grid;
}

// Features of a grid, each row ended by one newline embedding.
std::int64_t features(ImageSize grid) {
  return grid.width * grid.height + grid.height;
}

// The grid shrunk to about nine tiles' worth of features where it has more than 1.21 times that.
// transformers llava_onevision/processing_llava_onevision.py, vision_aspect_ratio "anyres_max_9".
ImageSize at_most_nine_tiles(ImageSize grid, std::int64_t tile_patches) {
  constexpr double kTiles = 9, kSlack = 1.1;
  const double ratio = std::sqrt(static_cast<double>(grid.width * grid.height) /
                                 (kTiles * static_cast<double>(tile_patches)));
  if (ratio <= kSlack) return grid;
  // Python's n // ratio: the floor of the exact quotient, where a rounded one may be the next
  // whole.
  const auto shrunk = [&](std::int64_t n) {
    const auto whole = static_cast<double>(n);
    return truncated(std::nearbyint((whole - std::fmod(whole, ratio)) / ratio));
  };
  return {shrunk(grid.width), shrunk(grid.height)};
}

// The tiles of the best canvas and the whole image as one more, before any shrinking.
TokenCount canvas_of(ImageSize tiles, const TokenEncoder& encoder) {
  TokenCount count;
  count.tiles = tiles.width * tiles.height + 1;
  count.vision_encoder = count.tiles * tile_tokens(encoder);
  count.encoder_sequence = tile_tokens(encoder);
  count.resized = ImageSize{tiles.width * encoder.image, tiles.height * encoder.image};
  return count;
}

ImageSize patch_grid(ImageSize tiles, const TokenEncoder& encoder) {
  return {tiles.width * grid_side(encoder), tiles.height * grid_side(encoder)};
}

TokenCount llava_next(ImageSize size, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  const ImageSize tiles = best_canvas(size, kNextCanvases, encoder.image);
  TokenCount count = canvas_of(tiles, encoder);
  count.vision = patches(encoder) + features(unpadded(size, patch_grid(tiles, encoder)));
  return count;
}

TokenCount llava_onevision(ImageSize size, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  const ImageSize tiles = best_canvas(size, kOnevisionCanvases, encoder.image);
  TokenCount count = canvas_of(tiles, encoder);
  const ImageSize grid = unpadded(size, patch_grid(tiles, encoder));
  count.vision = patches(encoder) + features(at_most_nine_tiles(grid, patches(encoder)));
  return count;
}

// One square per frame, pooled 2 x 2 with the odd row and column kept: 27 x 27 become 14 x 14; one
// newline ends the clip. modeling_llava_onevision.py, apply_pooling; the number of frames is the
// caller's, here seconds x fps, at least 1.
TokenCount llava_onevision_video(const VideoClip& clip, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  const std::int64_t pooled = ceil_div(grid_side(encoder), 2);
  TokenCount count;
  count.frames = std::max<std::int64_t>(1, truncated(std::floor(clip.seconds * clip.fps)));
  count.tiles = *count.frames;
  count.vision = count.tiles * pooled * pooled + 1;
  count.vision_encoder = count.tiles * tile_tokens(encoder);
  count.encoder_sequence = tile_tokens(encoder);
  count.resized = ImageSize{encoder.image, encoder.image};
  return count;
}

}  // namespace

ImageSize best_canvas(ImageSize size, std::span<const ImageSize> canvases, std::int64_t tile) {
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  std::int64_t best_effective = 0;
  std::int64_t least_waste = std::numeric_limits<std::int64_t>::max();
  ImageSize best;
  for (const ImageSize tiles : canvases) {
    const ImageSize canvas{tiles.width * tile, tiles.height * tile};
    const double scale = std::min(static_cast<double>(canvas.width) / width,
                                  static_cast<double>(canvas.height) / height);
    const std::int64_t scaled = truncated(width * scale) * truncated(height * scale);
    const std::int64_t effective = std::min(scaled, size.width * size.height);
    const std::int64_t waste = canvas.width * canvas.height - effective;
    if (effective > best_effective || (effective == best_effective && waste < least_waste)) {
      best_effective = effective;
      least_waste = waste;
      best = tiles;
    }
  }
  return best;
}

std::span<const Family> llava_families() {
  static const std::array families = {
      Family{.info = {.name = "llava-1.5",
                      .title = "LLaVA-1.5 (CLIP ViT-L/14 at 336)",
                      .image = true,
                      .defaults = {.encoder = kClipTower},
                      .rule = "one 336x336 image: 577 encoder tokens, class token dropped, 576 to "
                              "the language model",
                      .source = "huggingface/transformers llava/processing_llava.py; "
                                "haotian-liu/LLaVA llava/mm_utils.py"},
             .follows_encoder = true,
             .image = llava_15},
      Family{.info = {.name = "llava-next",
                      .title = "LLaVA-NeXT (LLaVA-1.6) anyres",
                      .image = true,
                      .defaults = {.encoder = kClipTower},
                      .rule = "best of the canvases 336x672, 672x336, 672x672, 1008x336, 336x1008; "
                              "336-pixel tiles and the overview; 576 + the grid without padding + "
                              "one newline per row",
                      .source = "huggingface/transformers llava_next/processing_llava_next.py "
                                "(_get_unpadded_features); haotian-liu/LLaVA llava/mm_utils.py"},
             .follows_encoder = true,
             .image = llava_next},
      Family{
          .info = {.name = "llava-onevision",
                   .title = "LLaVA-OneVision (SigLIP at 384, anyres_max_9)",
                   .image = true,
                   .video = true,
                   .defaults = {.encoder = kSiglipTower},
                   .rule = "best canvas of up to 6 x 6 tiles of 384 pixels and the overview, 729 "
                           "encoder tokens each; 729 + the grid without padding, shrunk to nine "
                           "tiles' worth, + one newline per row",
                   .video_rule = "one 384-pixel square per frame, seconds x fps frames; pooled "
                                 "to 196 tokens each, one newline",
                   .source = "huggingface/transformers "
                             "llava_onevision/processing_llava_onevision.py, "
                             "llava_onevision/modeling_llava_onevision.py"},
          .follows_encoder = true,
          .image = llava_onevision,
          .video = llava_onevision_video}};
  return families;
}

}  // namespace trcost::workload::tokens
