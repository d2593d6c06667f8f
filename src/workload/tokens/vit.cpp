// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "workload/tokens/rules.h"

namespace trcost::workload::tokens {

namespace {

// tokens = ceil(H/p) * ceil(W/p), and a class token in an encoder that has one.
// Dosovitskiy et al. 2021 (2010.11929), section 3.1: N = HW/p^2 patches and a learnable class
// token; a side that p does not divide is padded up.
TokenCount vit(ImageSize size, const TokenOptions& options) {
  const std::int64_t patch = options.encoder.patch;
  const std::int64_t columns = ceil_div(size.width, patch);
  const std::int64_t rows = ceil_div(size.height, patch);
  TokenCount count;
  count.vision = columns * rows;
  count.vision_encoder = count.vision + *options.encoder.class_tokens;
  count.encoder_sequence = count.vision_encoder;
  count.tiles = 1;
  count.resized = ImageSize{columns * patch, rows * patch};
  return count;
}

}  // namespace

std::span<const Family> vit_families() {
  static const std::array families = {Family{
      .info = {.name = "vit",
               .title = "Generic vision transformer",
               .image = true,
               .defaults = {.patch = 14, .encoder = {.patch = 14, .class_tokens = 1}},
               .rule =
                   "ceil(H/p) x ceil(W/p) patches of the encoder's p pixels (14, or --patch); a "
                   "class token counts in the encoder only",
               .source = "Dosovitskiy et al. 2021, arXiv:2010.11929, section 3.1"},
      .follows_encoder = true,
      .image = vit}};
  return families;
}

}  // namespace trcost::workload::tokens
