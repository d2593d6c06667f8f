// SPDX-License-Identifier: Apache-2.0
// Families that cut an image into tiles of a fixed size and add the whole image as one more:
// MiniCPM-V, Phi-3.5-vision, Phi-4-multimodal, DeepSeek-VL2, DeepSeek-OCR, Molmo, Ovis2.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// --- MiniCPM-V ----------------------------------------------------------------------------------

constexpr std::int64_t kMiniSide = 448, kMiniPatch = 14, kMiniQueries = 64;

double nearest_multiple(double length, double unit) {
  return std::max(std::nearbyint(length / unit) * unit, unit);
}

// Patches of an image resized to about 448 x 448 pixels of its own ratio.
std::int64_t mini_patches(double width, double height, bool upscale) {
  constexpr auto kSide = static_cast<double>(kMiniSide);
  if (width * height > kSide * kSide || upscale) {
    const double ratio = width / height;
    height = std::floor(kSide / std::sqrt(ratio));
    width = std::floor(height * ratio);
  }
  const auto patches = [](double length) {
    return truncated(nearest_multiple(length, static_cast<double>(kMiniPatch))) / kMiniPatch;
  };
  return patches(width) * patches(height);
}

// The grid of about as many slices as the image has squares of 448 pixels, nearest in the logarithm
// of the ratio. openbmb/MiniCPM-V-2_6 image_processing_minicpmv.py, get_sliced_grid.
TileGrid mini_grid(ImageSize size, std::int64_t most) {
  const std::int64_t wanted =
      std::min(ceil_div(size.width * size.height, kMiniSide * kMiniSide), most);
  TileGrid best;
  if (wanted <= 1) return best;
  const double log_ratio = portable_log(aspect_ratio(size));
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t slices : {wanted - 1, wanted, wanted + 1}) {
    if (slices == 1 || slices > most) continue;
    for (std::int64_t columns = 1; columns <= slices; ++columns) {
      if (slices % columns != 0) continue;
      const TileGrid grid{columns, slices / columns};
      const double error = std::abs(log_ratio - portable_log(static_cast<double>(grid.columns) /
                                                             static_cast<double>(grid.rows)));
      if (error >= least) continue;
      least = error;
      best = grid;
    }
  }
  return best;
}

// The whole image, and its slices if there are several: 64 queries of the resampler each.
TokenCount minicpm(ImageSize size, const TokenOptions& options) {
  const TileGrid grid = mini_grid(size, *options.max_tiles);
  const std::int64_t slices = grid.columns * grid.rows;
  const auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
  const std::int64_t whole = mini_patches(width, height, slices == 1);
  TokenCount count;
  count.tiles = slices > 1 ? slices + 1 : 1;
  count.vision = count.tiles * kMiniQueries;
  count.vision_encoder = whole;
  count.encoder_sequence = whole;
  if (slices > 1) {
    const auto columns = static_cast<double>(grid.columns), rows = static_cast<double>(grid.rows);
    const std::int64_t slice = mini_patches(nearest_multiple(width, columns) / columns,
                                            nearest_multiple(height, rows) / rows, true);
    count.vision_encoder = whole + slices * slice;
    count.encoder_sequence = std::max(whole, slice);
  }
  return count;
}

// --- Phi-3.5-vision -----------------------------------------------------------------------------

constexpr std::int64_t kPhiSide = 336;

// The image is scaled to as many tiles in its longer direction as leave at most `max_tiles` in all,
// and padded to whole tiles. Every tile has 12 x 12 tokens, every row of them a line mark.
// microsoft/Phi-3.5-vision-instruct image_processing_phi3_v.py; vllm
// model_executor/models/phi3v.py, get_phi3v_image_feature_size.
TokenCount phi3_vision(ImageSize size, const TokenOptions& options) {
  const bool tall = size.width < size.height;
  const ImageSize wide = tall ? ImageSize{size.height, size.width} : size;
  const double ratio = aspect_ratio(wide);
  std::int64_t columns = 1;
  const auto rows_of = [&](std::int64_t scale) {
    return truncated(std::ceil(static_cast<double>(scale) / ratio));
  };
  while (columns * rows_of(columns) <= *options.max_tiles) ++columns;
  columns = std::max<std::int64_t>(columns - 1, 1);
  const std::int64_t height = truncated(static_cast<double>(columns * kPhiSide) / ratio);
  std::int64_t rows = std::max<std::int64_t>(ceil_div(height, kPhiSide), 1);
  if (tall) std::swap(columns, rows);
  constexpr std::int64_t kTile = 12 * 12, kPatches = 577;
  TokenCount count;
  count.tiles = columns * rows + 1;
  count.vision = count.tiles * kTile + 1 + (rows + 1) * 12;
  count.vision_encoder = count.tiles * kPatches;
  count.encoder_sequence = kPatches;
  count.resized = ImageSize{columns * kPhiSide, rows * kPhiSide};
  return count;
}

// --- Phi-4-multimodal ---------------------------------------------------------------------------

constexpr std::int64_t kPhi4Side = 448;

// Tiles of 448 pixels that cover the image, at most 36, else the grid nearest in ratio. Padding has
// no tokens. transformers phi4_multimodal/image_processing_phi4_multimodal_fast.py.
TokenCount phi4(ImageSize size, const TokenOptions& options) {
  TileGrid grid{ceil_div(size.width, kPhi4Side), ceil_div(size.height, kPhi4Side)};
  if (grid.columns * grid.rows > *options.max_tiles) {
    grid = closest_grid(size, 1, *options.max_tiles, kPhi4Side);
  }
  const ImageSize canvas{grid.columns * kPhi4Side, grid.rows * kPhi4Side};
  const auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
  const double across = static_cast<double>(canvas.width) / width;
  const double down = static_cast<double>(canvas.height) / height;
  const bool wide = across < down;
  const std::int64_t padded_width = wide ? 0 : canvas.width - truncated(width * down);
  const std::int64_t padded_height = wide ? canvas.height - truncated(height * across) : 0;
  constexpr std::int64_t kPatch = 14, kGrid = kPhi4Side / kPatch;
  const std::int64_t columns = ceil_div(kGrid * grid.columns - padded_width / kPatch, 2);
  const std::int64_t rows = ceil_div(kGrid * grid.rows - padded_height / kPatch, 2);
  TokenCount count;
  count.tiles = grid.columns * grid.rows + 1;
  count.vision = 256 + 1 + columns * rows + rows + 16;
  count.vision_encoder = count.tiles * kGrid * kGrid;
  count.encoder_sequence = kGrid * kGrid;
  count.resized = canvas;
  return count;
}

// 100 frames per second, eight to a token. phi4_multimodal/processing_phi4_multimodal.py.
TokenCount phi4_audio(double seconds) {
  constexpr std::int64_t kWindow = 400, kHop = 160, kCompression = 8;
  const std::int64_t samples = truncated(std::nearbyint(seconds * 16000));
  const std::int64_t frames = samples < kWindow ? 1 : (samples - kWindow) / kHop + 1;
  TokenCount count;
  count.vision = ceil_div(frames, kCompression);
  count.vision_encoder = count.vision;
  count.encoder_sequence = count.vision;
  count.tiles = 1;
  return count;
}

// --- DeepSeek-VL2 -------------------------------------------------------------------------------

// Canvases of up to 9 tiles of 384 pixels (arXiv:2412.10302, section 2.1).
const std::vector<ImageSize>& deepseek_canvases() {
  static const std::vector<ImageSize> all = [] {
    constexpr std::int64_t kMost = 9;
    std::vector<ImageSize> out;
    for (std::int64_t tiles = 1; tiles <= kMost; ++tiles) {
      for (std::int64_t columns = 1; columns <= tiles; ++columns) {
        if (tiles % columns == 0) out.push_back({columns, tiles / columns});
      }
    }
    return out;
  }();
  return all;
}

// 27 x 27 patches of a tile become 14 x 14 tokens. Each row of the whole image and of the canvas
// ends in a line mark, and one mark stands between the two.
// deepseek-ai/DeepSeek-VL2 deepseek_vl2/models/processing_deepseek_vl_v2.py, tokenize_with_images.
TokenCount deepseek_vl2(ImageSize size, const TokenOptions&) {
  constexpr std::int64_t kSide = 384, kTokens = 14, kPatches = 27 * 27;
  const ImageSize tiles = best_canvas(size, deepseek_canvases(), kSide);
  TokenCount count;
  count.tiles = tiles.width * tiles.height + 1;
  count.vision = kTokens * (kTokens + 1) + 1 + tiles.height * kTokens * (tiles.width * kTokens + 1);
  count.vision_encoder = count.tiles * kPatches;
  count.encoder_sequence = kPatches;
  count.resized = ImageSize{tiles.width * kSide, tiles.height * kSide};
  return count;
}

// --- DeepSeek-OCR -------------------------------------------------------------------------------

// The whole image at 1024 pixels has 16 x 16 tokens. If a side is above 640, 2 to 6 tiles of 640
// pixels have 10 x 10 each. Rows end in a mark. deepseek-ai/DeepSeek-OCR
// DeepSeek-OCR-vllm/process/image_process.py ("Gundam": base_size 1024, image_size 640).
TokenCount deepseek_ocr(ImageSize size, const TokenOptions& options) {
  constexpr std::int64_t kTile = 640, kBase = 1024, kBaseTokens = 16, kTileTokens = 10;
  constexpr std::int64_t kBasePatches = 64 * 64, kTilePatches = 40 * 40;
  TokenCount count;
  count.tiles = 1;
  count.vision = kBaseTokens * (kBaseTokens + 1) + 1;
  count.vision_encoder = kBasePatches;
  count.encoder_sequence = kBasePatches;
  count.resized = ImageSize{kBase, kBase};
  if (size.width <= kTile && size.height <= kTile) return count;
  const TileGrid grid = closest_grid(size, 2, std::max<std::int64_t>(2, *options.max_tiles), kTile);
  count.tiles += grid.columns * grid.rows;
  count.vision += kTileTokens * grid.rows * (kTileTokens * grid.columns + 1);
  *count.vision_encoder += (count.tiles - 1) * kTilePatches;
  return count;
}

// --- Molmo --------------------------------------------------------------------------------------

// Crops of 336 pixels overlap by 4 patches on each side, so that a window is 16 patches wide.
// Chosen is the grid that needs the least enlargement, else the least reduction, computed in 32
// bits. allenai/Molmo-7B-D-0924 image_preprocessing_molmo.py, select_tiling, get_num_patches.
TileGrid molmo_grid(ImageSize size, std::int64_t most) {
  constexpr std::int64_t kWindow = 224, kMargin = 112;
  const auto height = static_cast<float>(size.height - kMargin);
  const auto width = static_cast<float>(size.width - kMargin);
  TileGrid enlarging, reducing;
  float least = std::numeric_limits<float>::infinity();
  float greatest = -std::numeric_limits<float>::infinity();
  for (std::int64_t tiles = 1; tiles <= most; ++tiles) {
    for (std::int64_t rows = 1; rows <= tiles; ++rows) {
      if (tiles % rows != 0) continue;
      const TileGrid grid{tiles / rows, rows};
      const float scale = std::min(static_cast<float>(grid.rows * kWindow) / height,
                                   static_cast<float>(grid.columns * kWindow) / width);
      if (scale >= 1 && scale < least) {
        least = scale;
        enlarging = grid;
      }
      if (scale > greatest) {
        greatest = scale;
        reducing = grid;
      }
    }
  }
  return greatest < 1 ? reducing : enlarging;
}

TokenCount molmo(ImageSize size, const TokenOptions& options) {
  constexpr std::int64_t kWhole = 12 * 12, kPatches = 577;
  const TileGrid grid = molmo_grid(size, *options.max_tiles);
  const auto tokens = [](std::int64_t crops) { return 8 * crops + 4; };
  TokenCount count;
  count.tiles = grid.columns * grid.rows + 1;
  count.vision = kWhole + tokens(grid.rows) * tokens(grid.columns);
  count.vision_encoder = count.tiles * kPatches;
  count.encoder_sequence = kPatches;
  return count;
}

// --- Ovis2 --------------------------------------------------------------------------------------

constexpr std::int64_t kOvisSide = 448;

// Pixels that a piece keeps once its longer side is scaled down to a tile.
double kept_area(std::int64_t width, std::int64_t height) {
  auto longer = static_cast<double>(std::max(width, height));
  auto shorter = static_cast<double>(std::min(width, height));
  constexpr auto kSide = static_cast<double>(kOvisSide);
  if (longer > kSide) {
    shorter = shorter / longer * kSide;
    longer = kSide;
  }
  return longer * shorter;
}

double kept_share(ImageSize size, TileGrid grid) {
  const std::int64_t width = size.width / grid.columns, height = size.height / grid.rows;
  double kept = 0;
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      const bool last = column == grid.columns - 1, bottom = row == grid.rows - 1;
      kept += kept_area(last ? size.width - column * width : width,
                        bottom ? size.height - row * height : height);
    }
  }
  return kept / static_cast<double>(size.width * size.height);
}

// The fewest tiles that keep 90% of the image's pixels, else the grid that keeps the most.
// transformers ovis2/image_processing_ovis2.py, get_min_tile_covering_grid; at most 9 tiles in
// AIDC-AI/Ovis2's README (max_partition).
TileGrid ovis_grid(ImageSize size, std::int64_t most) {
  constexpr double kEnough = 0.9;
  TileGrid best, fullest;
  double best_share = -1, most_share = -1;
  std::int64_t best_tiles = 0;
  for (std::int64_t tiles = 1; tiles <= most; ++tiles) {
    for (std::int64_t rows = 1; rows <= tiles; ++rows) {
      if (tiles % rows != 0) continue;
      const TileGrid grid{tiles / rows, rows};
      const double share = kept_share(size, grid);
      if (share > kEnough && (best_tiles == 0 || tiles == best_tiles) && share > best_share) {
        best = grid;
        best_tiles = tiles;
        best_share = share;
      }
      if (share > most_share) {
        most_share = share;
        fullest = grid;
      }
    }
  }
  return best_tiles > 0 ? best : fullest;
}

TokenCount ovis(ImageSize size, const TokenOptions& options) {
  constexpr std::int64_t kTokens = 256, kPatches = 1024;
  const TileGrid grid = ovis_grid(size, *options.max_tiles);
  const std::int64_t tiles = grid.columns * grid.rows;
  TokenCount count;
  count.tiles = tiles > 1 ? tiles + 1 : 1;
  count.vision = count.tiles * kTokens;
  count.vision_encoder = count.tiles * kPatches;
  count.encoder_sequence = kPatches;
  count.resized = ImageSize{grid.columns * kOvisSide, grid.rows * kOvisSide};
  return count;
}

}  // namespace

std::span<const Family> crop_families() {
  static const std::array families = {
      Family{.info = {.name = "minicpm-v",
                      .title = "MiniCPM-V 2.6, 4 and 4.5, MiniCPM-o 2.6",
                      .image = true,
                      .defaults = {.max_tiles = 9, .encoder = {.patch = kMiniPatch}},
                      .rule = "up to 9 slices of about 448x448 pixels and the whole image, 64 "
                              "tokens each",
                      .source = "openbmb/MiniCPM-V-2_6 image_processing_minicpmv.py"},
             .image = minicpm},
      Family{.info = {.name = "phi-3.5-vision",
                      .title = "Phi-3.5-vision (Phi-3-vision: --max-tiles 16)",
                      .image = true,
                      .defaults = {.max_tiles = 4, .encoder = {.patch = 14, .image = kPhiSide}},
                      .rule = "up to 4 tiles of 336 pixels and the whole image, 144 tokens each, "
                              "and a mark per row",
                      .source = "microsoft/Phi-3.5-vision-instruct image_processing_phi3_v.py; "
                                "vllm-project/vllm model_executor/models/phi3v.py"},
             .image = phi3_vision},
      Family{.info = {.name = "phi-4-mm",
                      .title = "Phi-4-multimodal",
                      .image = true,
                      .audio = true,
                      .defaults = {.max_tiles = 36, .encoder = {.patch = 14, .image = kPhi4Side}},
                      .rule = "tiles of 448 pixels that cover the image, at most 36, and the whole "
                              "image; 256 tokens each without padding, and a mark per row",
                      .audio_rule = "100 frames per second, eight to a token: 12.5 tokens per "
                                    "second",
                      .source = "huggingface/transformers "
                                "phi4_multimodal/image_processing_phi4_multimodal_fast.py, "
                                "phi4_multimodal/processing_phi4_multimodal.py"},
             .image = phi4,
             .audio = phi4_audio},
      Family{
          .info = {.name = "deepseek-vl2",
                   .title = "DeepSeek-VL2",
                   .image = true,
                   .defaults = {.encoder = {.patch = 14, .image = 384}},
                   .rule = "best canvas of up to 9 tiles of 384 pixels and the whole image, 14x14 "
                           "tokens each, and a mark per row",
                   .source = "deepseek-ai/DeepSeek-VL2 "
                             "deepseek_vl2/models/processing_deepseek_vl_v2.py; "
                             "arXiv:2412.10302, section 2.1"},
          .image = deepseek_vl2},
      Family{
          .info = {.name = "deepseek-ocr",
                   .title = "DeepSeek-OCR (Gundam)",
                   .image = true,
                   .defaults = {.max_tiles = 6, .encoder = {.patch = 16, .image = 1024}},
                   .rule = "the whole image at 1024 pixels in 16x16 tokens; above 640 pixels 2 to "
                           "6 tiles of 640 in 10x10 each; a mark per row",
                   .source = "deepseek-ai/DeepSeek-OCR DeepSeek-OCR-vllm/process/"
                             "image_process.py; arXiv:2510.18234, section 3.2"},
          .image = deepseek_ocr},
      Family{.info = {.name = "molmo",
                      .title = "Molmo",
                      .image = true,
                      .defaults = {.max_tiles = 12, .encoder = {.patch = 14, .image = 336}},
                      .rule = "up to 12 overlapping crops of 336 pixels and the whole image; (8 "
                              "rows + 4) x (8 columns + 4) + 144 tokens without row marks",
                      .source = "allenai/Molmo-7B-D-0924 image_preprocessing_molmo.py; "
                                "vllm-project/vllm model_executor/models/molmo.py"},
             .image = molmo},
      Family{.info = {.name = "ovis",
                      .title = "Ovis2",
                      .image = true,
                      .defaults = {.max_tiles = 9, .encoder = {.patch = 14, .image = kOvisSide}},
                      .rule = "the fewest of up to 9 tiles of 448 pixels that keep 90% of the "
                              "pixels, and the whole image; 256 tokens each",
                      .source = "huggingface/transformers ovis2/image_processing_ovis2.py, "
                                "ovis2/processing_ovis2.py; AIDC-AI/Ovis2 README"},
             .image = ovis}};
  return families;
}

}  // namespace trcost::workload::tokens
