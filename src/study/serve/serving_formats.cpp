// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_formats.h"

#include <fmt/format.h>

#include "catalog/models/weight_formats.h"
#include "catalog/software/engine.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

WeightFormat fastest_format(const ServingChip& chip) {
  if (chip.fp4) return WeightFormat::nvfp4;
  return chip.fp8 ? WeightFormat::fp8 : WeightFormat::bf16;
}

}  // namespace

WeightFormat choose_format(const ServingQuestion& q, const Model& model, const ServingChip& chip) {
  if (q.precision.empty()) {
    if (const auto released = parse_weight_format(model.released_format)) return *released;
    return chip.fp8 ? WeightFormat::fp8 : WeightFormat::bf16;
  }
  if (const auto offered = find_value(kServedFormats, q.precision)) {
    return offered->value_or(fastest_format(chip));
  }
  throw Error(ErrorKind::usage, fmt::format("unknown format \"{}\"", q.precision.substr(0, 40)),
              fmt::format("one of {}", fmt::join(words_in(kServedFormats, kOfferedFormats), ", ")),
              "--precision");
}

bool choose_cache(const ServingQuestion& q, const Engine& engine, WeightFormat format) {
  if (q.cache_precision.empty()) return engine.eight_bit_cache && format != WeightFormat::bf16;
  if (const auto eight_bit = find_value(kCacheFormats, q.cache_precision)) return *eight_bit;
  throw Error(
      ErrorKind::usage,
      fmt::format("unknown format of the cache \"{}\"", q.cache_precision.substr(0, 40)),
      fmt::format("one of {}", fmt::join(words_in(kCacheFormats, kOfferedCacheFormats), ", ")),
      "--kv-precision");
}

void note_format(const ServingQuestion& q, const ServingRow& row, const ServingChip& chip,
                 Notes& notes) {
  if (!parse_weight_format(q.precision)) return;  // chosen for the chip
  const double bytes = weight_format(row.format).other_bytes;
  const bool four_bit = bytes < 1, eight_bit = bytes == 1;
  if ((!four_bit || chip.fp4) && (!eight_bit || chip.fp8)) return;
  notes.warn(
      fmt::format("{} does not compute in {}: weights are stored in it and multiplied in bf16",
                  row.accelerator, weight_format_name(row.format)));
}

}  // namespace trcost::study
