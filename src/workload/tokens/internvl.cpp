// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// InternViT at 448 pixels: 32 x 32 patches of 14 and a class token; pixel shuffle 2x2 leaves 256.
constexpr TokenEncoder kInternVlEncoder = {
    .patch = 14, .image = 448, .merge = 2, .class_tokens = 1};

// Tokens of a tile in the language model.
std::int64_t tile_vision(const TokenEncoder& encoder) {
  const std::int64_t side = grid_side(encoder) / encoder.merge;
  return side * side;
}

// Tiles of the closest grid, and a thumbnail when there is more than one tile. Small images are
// scaled up to the grid. dynamic_preprocess with use_thumbnail, max_num 12 as the model cards set.
TokenCount internvl(ImageSize size, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  const TileGrid grid = closest_grid(size, 1, *options.max_tiles, encoder.image);
  const std::int64_t tiles = grid.columns * grid.rows;
  TokenCount count;
  count.tiles = tiles > 1 ? tiles + 1 : tiles;
  count.vision = count.tiles * tile_vision(encoder);
  count.vision_encoder = count.tiles * tile_tokens(encoder);
  count.encoder_sequence = tile_tokens(encoder);
  count.resized = ImageSize{grid.columns * encoder.image, grid.rows * encoder.image};
  return count;
}

// One tile per frame. OpenGVLab/InternVL README, load_video with max_num = 1; the number of frames
// is the caller's, here seconds x fps, at least 1.
TokenCount internvl_video(const VideoClip& clip, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  TokenCount count;
  count.frames =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(clip.seconds * clip.fps)));
  count.tiles = *count.frames;
  count.vision = count.tiles * tile_vision(encoder);
  count.vision_encoder = count.tiles * tile_tokens(encoder);
  count.encoder_sequence = tile_tokens(encoder);
  count.resized = ImageSize{encoder.image, encoder.image};
  return count;
}

}  // namespace

TileGrid closest_grid(ImageSize size, std::int64_t least, std::int64_t most,
                      std::int64_t tile_side) {
  const double ratio = aspect_ratio(size);
  const auto area = static_cast<double>(size.width * size.height);
  double best_difference = std::numeric_limits<double>::infinity();
  TileGrid best;
  for (std::int64_t tiles = least; tiles <= most; ++tiles) {
    for (std::int64_t columns = 1; columns <= tiles; ++columns) {
      if (tiles % columns != 0) continue;
      const TileGrid grid{columns, tiles / columns};
      const double difference =
          std::abs(ratio - static_cast<double>(grid.columns) / static_cast<double>(grid.rows));
      const bool larger_equal = difference == best_difference &&
                                area > 0.5 * static_cast<double>(tile_side * tile_side * tiles);
      if (difference < best_difference || larger_equal) {
        best_difference = difference;
        best = grid;
      }
    }
  }
  return best;
}

std::span<const Family> internvl_families() {
  static const std::array families = {
      Family{.info = {.name = "internvl",
                      .title = "InternVL 1.5, 2, 2.5, 3, 3.5",
                      .image = true,
                      .video = true,
                      .defaults = {.max_tiles = 12, .encoder = kInternVlEncoder},
                      .rule = "grid of at most 12 tiles of 448 pixels nearest in aspect ratio, "
                              "scaled up if need be, and a thumbnail; 1025 encoder tokens and 256 "
                              "after pixel shuffle per tile",
                      .video_rule = "one 448-pixel tile per frame, seconds x fps frames",
                      .source = "OpenGVLab/InternVL internvl_chat/internvl/train/dataset.py "
                                "(dynamic_preprocess)"},
             .follows_encoder = true,
             .image = internvl,
             .video = internvl_video}};
  return families;
}

}  // namespace trcost::workload::tokens
