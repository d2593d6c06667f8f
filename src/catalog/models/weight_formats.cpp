// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "catalog/software/choices.h"

namespace trcost::catalog {

namespace {

// NVFP4: 4 bits and an 8-bit scale per 16 (NVIDIA, Introducing NVFP4); MXFP4: per 32 (OCP
// Microscaling Formats 1.0). gpt-oss keeps attention in 16 bits, NVIDIA's DeepSeek-R1-FP4 in 8.
constexpr std::array<WeightFormatRow, kWeightFormats> kFormats = {{
    {2, 2, 2},
    {1, 1, 1},
    {0.5625, 1, 0.5625},
    {2, 2, 0.53125},
    {2, 2, 0.53125},
}};

}  // namespace

std::string_view weight_format_name(WeightFormat format) {
  return word_of(kServedFormats, std::optional(format));
}

const WeightFormatRow& weight_format(WeightFormat format) {
  return kFormats[static_cast<std::size_t>(format)];
}

std::optional<WeightFormat> parse_weight_format(std::string_view name) {
  return find_value(kServedFormats, name).value_or(std::nullopt);
}

}  // namespace trcost::catalog
