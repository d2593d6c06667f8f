// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// OpenAI, "Images and vision" guide, "Calculating costs": low detail is 85 tokens; high detail
// fits the image into 2048 x 2048, shrinks the shorter side to 768, and counts tiles of 512.
constexpr std::int64_t kGpt4vBaseTokens = 85;
constexpr std::int64_t kGpt4vTileTokens = 170;
constexpr std::int64_t kGpt4vTileSide = 512;
constexpr std::int64_t kLongestSide = 2048;
constexpr std::int64_t kShortestSide = 768;

// Scales so that `side` becomes `limit`; the other side is rounded down to a whole pixel.
ImageSize scaled(ImageSize size, std::int64_t side, std::int64_t limit) {
  const auto length = [=](std::int64_t n) { return std::max<std::int64_t>(n * limit / side, 1); };
  return {length(size.width), length(size.height)};
}

TokenCount gpt4v(ImageSize size, const TokenOptions& options) {
  TokenCount count;
  if (*options.detail == ImageDetail::low) {
    count.vision = kGpt4vBaseTokens;
    count.tiles = 1;
    return count;
  }
  const std::int64_t longer = std::max(size.width, size.height);
  if (longer > kLongestSide) size = scaled(size, longer, kLongestSide);
  const std::int64_t shorter = std::min(size.width, size.height);
  if (shorter > kShortestSide) size = scaled(size, shorter, kShortestSide);
  count.tiles = ceil_div(size.width, kGpt4vTileSide) * ceil_div(size.height, kGpt4vTileSide);
  count.vision = kGpt4vBaseTokens + kGpt4vTileTokens * count.tiles;
  count.resized = size;
  return count;
}

}  // namespace

std::span<const Family> gpt4v_families() {
  static const std::array families = {
      Family{.info = {.name = "gpt-4v",
                      .title = "GPT-4V, GPT-4 Turbo, GPT-4o",
                      .image = true,
                      .defaults = {.detail = ImageDetail::high},
                      .rule = "fit into 2048x2048, shorter side at most 768, tiles of 512: 85 + "
                              "170 per tile; --detail low: 85. The encoder is not published",
                      .source = "OpenAI, Images and vision guide, Calculating costs"},
             .image = gpt4v}};
  return families;
}

}  // namespace trcost::workload::tokens
