// SPDX-License-Identifier: Apache-2.0
// What a scenario says of the dimensions of parallelism: the field of each.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/layout.h"
#include "trcost/scenario.h"

namespace trcost::scenario {

/// The field `layout.NAME` of each of kDimensions; a dimension without its row does not compile.
inline constexpr std::array<Field, kDimensionCount> kDimensionFields = [] {
  constexpr std::string_view kGroup = "layout.";
  std::array<Field, kDimensionCount> out{};
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    bool found = false;
#define TRCOST_FIELD(id, path, ...)                                                \
  if (const std::string_view at = path;                                            \
      at.starts_with(kGroup) && at.substr(kGroup.size()) == kDimensions[i].name) { \
    out[i] = Field::id;                                                            \
    found = true;                                                                  \
  }
#include "trcost/fields.def"
#undef TRCOST_FIELD
    if (!found) throw "a dimension has no row in fields.def";
  }
  return out;
}();

}  // namespace trcost::scenario
