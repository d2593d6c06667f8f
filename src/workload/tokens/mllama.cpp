// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "rules.h"

namespace trcost::tokens {
namespace {

// Llama 3.2 Vision: tiles of 560 pixels, 40 x 40 patches of 14 and a class token. The encoder pads
// each tile's sequence to a multiple of 8 and every image to the most tiles allowed.
// transformers mllama/modeling_mllama.py, MllamaVisionModel.forward; the tiles of one image attend
// to each other in one sequence.
constexpr std::int64_t tile_side = 560;
constexpr std::int64_t tile_tokens = 40 * 40 + 1;
constexpr std::int64_t padded_tile_tokens = 1608;

// The canvas that enlarges the image least, or where none can, the one that shrinks it least; of
// equals the smallest, then the first with fewest rows.
// transformers mllama/image_processing_mllama.py, get_optimal_tiled_canvas.
ImageSize optimal_canvas(ImageSize size, std::int64_t max_tiles) {
  double best_scale = 0;
  std::int64_t best_area = 0;
  ImageSize best;
  for (std::int64_t rows = 1; rows <= max_tiles; ++rows) {
    for (std::int64_t columns = 1; columns * rows <= max_tiles; ++columns) {
      const double scale =
          std::min(static_cast<double>(rows * tile_side) / static_cast<double>(size.height),
                   static_cast<double>(columns * tile_side) / static_cast<double>(size.width));
      const bool enlarges = scale >= 1;
      const bool best_enlarges = best_scale >= 1;
      const bool better = enlarges == best_enlarges
                              ? (enlarges ? scale < best_scale : scale > best_scale)
                              : enlarges;
      if (better || (scale == best_scale && rows * columns < best_area)) {
        best_scale = scale;
        best_area = rows * columns;
        best = {columns * tile_side, rows * tile_side};
      }
    }
  }
  return best;
}

TokenCount mllama(ImageSize size, const TokenOptions& options) {
  const ImageSize canvas = optimal_canvas(size, *options.max_tiles);
  TokenCount count;
  count.tiles = (canvas.width / tile_side) * (canvas.height / tile_side);
  count.vision = count.tiles * tile_tokens;
  count.vision_encoder = *options.max_tiles * padded_tile_tokens;
  count.encoder_sequence = count.vision_encoder;
  count.resized = canvas;
  return count;
}

}  // namespace

std::span<const Family> mllama_families() {
  static const std::array families = {
      Family{.info = {.name = "mllama",
                      .title = "Llama 3.2 Vision",
                      .image = true,
                      .defaults = {.max_tiles = 4},
                      .rule = "canvas of at most 4 tiles of 560 pixels; 1601 cross-attention keys "
                              "per tile; the encoder always computes 4 x 1608",
                      .source = "huggingface/transformers mllama/image_processing_mllama.py "
                                "(get_optimal_tiled_canvas), mllama/modeling_mllama.py"},
             .image = mllama}};
  return families;
}

}  // namespace trcost::tokens
