// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "quantity/choice.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// Storage formats of served weights.
enum class WeightFormat : std::uint8_t { bf16, fp8, nvfp4, mxfp4, int4 };
inline constexpr int kWeightFormats = 5;

/// Bytes per parameter of a format (data/phases.md, B.1). Embeddings and the head stay 16-bit.
struct WeightFormatRow {
  double attention_bytes;  ///< per parameter of attention
  double mixture_bytes;    ///< per parameter of a mixture's attention, routers and shared experts
  double other_bytes;      ///< per parameter of dense feed-forwards and of experts
};

// NVFP4: 4 bits and an 8-bit scale per 16 (NVIDIA, Introducing NVFP4). MXFP4: per 32 (OCP
// Microscaling Formats 1.0). gpt-oss keeps attention in 16 bits, NVIDIA's DeepSeek-R1-FP4 in 8.
// GPTQ and AWQ store every linear layer of a dense model in 4 bits, and Kimi-K2 the experts alone
// (quantization_config of their files).
inline constexpr WeightFormatRow kWeightFormatRows[kWeightFormats] = {
    {2, 2, 2}, {1, 1, 1}, {0.5625, 1, 0.5625}, {2, 2, 0.53125}, {0.53125, 2, 0.53125}};
constexpr const WeightFormatRow& weight_format(WeightFormat format) {
  return kWeightFormatRows[static_cast<std::size_t>(format)];
}

/// Formats of served weights, empty for the fastest that the chip computes in. Those that a flag
/// offers come first, then other names of the same formats.
inline constexpr Choice<std::optional<WeightFormat>> kServedFormats[] = {
    {"bf16", WeightFormat::bf16},   {"fp8", WeightFormat::fp8},   {"nvfp4", WeightFormat::nvfp4},
    {"mxfp4", WeightFormat::mxfp4}, {"int4", WeightFormat::int4}, {"best", std::nullopt},
    {"fp16", WeightFormat::bf16},   {"mxfp8", WeightFormat::fp8}, {"fp4", WeightFormat::nvfp4}};
inline constexpr std::size_t kOfferedFormats = kWeightFormats + 1;

constexpr std::string_view weight_format_name(WeightFormat format) {
  return word_of(kServedFormats, std::optional(format));
}
/// The format of a name, also of `fp16` (bf16), `mxfp8` (fp8) and `fp4` (nvfp4). Empty for other
/// names.
constexpr std::optional<WeightFormat> parse_weight_format(std::string_view name) {
  return find_value(kServedFormats, name).value_or(std::nullopt);
}

}  // namespace trcost::catalog
