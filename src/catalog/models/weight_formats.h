// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "quantity/choice.h"

namespace trcost {

/// Storage formats of served weights.
enum class WeightFormat : std::uint8_t { bf16, fp8, nvfp4, mxfp4, int4 };
inline constexpr int kWeightFormats = 5;

/// Bytes per parameter of a format (data/phases.md, B.1). Embeddings and the head stay 16-bit.
struct WeightFormatRow {
  double attention_bytes;  ///< per parameter of attention
  double mixture_bytes;    ///< per parameter of a mixture's attention, routers and shared experts
  double other_bytes;      ///< per parameter of dense feed-forwards and of experts
};
const WeightFormatRow& weight_format(WeightFormat format);
std::string_view weight_format_name(WeightFormat format);
/// The format of a name, also of `fp16` (bf16), `mxfp8` (fp8) and `fp4` (nvfp4). Empty for other
/// names.
std::optional<WeightFormat> parse_weight_format(std::string_view name);

/// Formats of served weights, empty for the fastest that the chip computes in. Those that a flag
/// offers come first, then other names of the same formats.
inline constexpr Choice<std::optional<WeightFormat>> kServedFormats[] = {
    {"bf16", WeightFormat::bf16},   {"fp8", WeightFormat::fp8},   {"nvfp4", WeightFormat::nvfp4},
    {"mxfp4", WeightFormat::mxfp4}, {"int4", WeightFormat::int4}, {"best", std::nullopt},
    {"fp16", WeightFormat::bf16},   {"mxfp8", WeightFormat::fp8}, {"fp4", WeightFormat::nvfp4}};
inline constexpr std::size_t kOfferedFormats = kWeightFormats + 1;

}  // namespace trcost
