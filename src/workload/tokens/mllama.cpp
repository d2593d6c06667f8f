// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// Llama 3.2 Vision: tiles of 560 pixels, 40 x 40 patches of 14 and a class token. The encoder pads
// each tile's sequence to a multiple of 8 and every image to the most tiles allowed.
// transformers mllama/modeling_mllama.py, MllamaVisionModel.forward; the tiles of one image attend
// to each other in one sequence.
constexpr std::int64_t kMllamaTileSide = 560;
constexpr std::int64_t kMllamaTileTokens = 40 * 40 + 1;
constexpr std::int64_t kPaddedTileTokens = 1608;

// The canvas that enlarges the image least, or where none can, the one that shrinks it least; of
// equals the smallest, then the first with fewest rows.
// transformers mllama/image_processing_mllama.py, get_optimal_tiled_canvas; the same choice in
// llama4/image_processing_llama4_fast.py, get_best_fit.
ImageSize optimal_canvas(ImageSize size, std::int64_t max_tiles, std::int64_t side) {
  double best_scale = 0;
  std::int64_t best_area = 0;
  ImageSize best;
  for (std::int64_t rows = 1; rows <= max_tiles; ++rows) {
    for (std::int64_t columns = 1; columns * rows <= max_tiles; ++columns) {
      const double scale =
          std::min(static_cast<double>(rows * side) / static_cast<double>(size.height),
                   static_cast<double>(columns * side) / static_cast<double>(size.width));
      const bool enlarges = scale >= 1;
      const bool best_enlarges = best_scale >= 1;
      const bool better = enlarges == best_enlarges
                              ? (enlarges ? scale < best_scale : scale > best_scale)
                              : enlarges;
      if (better || (scale == best_scale && rows * columns < best_area)) {
        best_scale = scale;
        best_area = rows * columns;
        best = {columns * side, rows * side};
      }
    }
  }
  return best;
}

TokenCount mllama(ImageSize size, const TokenOptions& options) {
  const ImageSize canvas = optimal_canvas(size, *options.max_tiles, kMllamaTileSide);
  TokenCount count;
  count.tiles = (canvas.width / kMllamaTileSide) * (canvas.height / kMllamaTileSide);
  count.vision = count.tiles * kMllamaTileTokens;
  count.vision_encoder = *options.max_tiles * kPaddedTileTokens;
  count.encoder_sequence = count.vision_encoder;
  count.resized = canvas;
  return count;
}

// Llama 4: tiles of 336 pixels, 24 x 24 patches of 14 and a class token, which goes before the
// pixel shuffle of 2 x 2; a whole image as one more tile where there are several.
constexpr TokenEncoder kLlama4Encoder = {.patch = 14, .image = 336, .merge = 2, .class_tokens = 1};

TokenCount llama4(ImageSize size, const TokenOptions& options) {
  const TokenEncoder& encoder = options.encoder;
  const ImageSize canvas = optimal_canvas(size, *options.max_tiles, encoder.image);
  const std::int64_t tiles = (canvas.width / encoder.image) * (canvas.height / encoder.image);
  const std::int64_t side = grid_side(encoder) / encoder.merge;
  TokenCount count;
  count.tiles = tiles > 1 ? tiles + 1 : tiles;
  count.vision = count.tiles * side * side;
  count.vision_encoder = count.tiles * tile_tokens(encoder);
  count.encoder_sequence = tile_tokens(encoder);
  count.resized = canvas;
  return count;
}

}  // namespace

std::span<const Family> mllama_families() {
  static const std::array families = {
      Family{
          .info = {.name = "mllama",
                   .title = "Llama 3.2 Vision",
                   .image = true,
                   .defaults = {.max_tiles = 4, .encoder = {.patch = 14, .image = kMllamaTileSide}},
                   .rule = "canvas of at most 4 tiles of 560 pixels; 1601 cross-attention keys "
                           "per tile; the encoder always computes 4 x 1608",
                   .source = "huggingface/transformers mllama/image_processing_mllama.py "
                             "(get_optimal_tiled_canvas), mllama/modeling_mllama.py"},
          .image = mllama},
      Family{.info = {.name = "llama4",
                      .title = "Llama 4 Scout and Maverick",
                      .image = true,
                      .defaults = {.max_tiles = 16, .encoder = kLlama4Encoder},
                      .rule = "canvas of at most 16 tiles of 336 pixels and, with several, the "
                              "overview; 577 encoder tokens and 144 after pixel shuffle per tile",
                      .source = "huggingface/transformers llama4/image_processing_llama4_fast.py "
                                "(get_best_fit), llama4/processing_llama4.py"},
             .follows_encoder = true,
             .image = llama4}};
  return families;
}

}  // namespace trcost::workload::tokens
