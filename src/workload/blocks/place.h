// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "quantity/layers.h"

namespace trcost::workload {

/// Where equal blocks stand in a pipeline.
enum class Place : std::uint8_t {
  before,  ///< in front of the first layer, on its stage: an encoder
  first,   ///< leading layers
  spread,  ///< evenly
  last,    ///< after the last layer
};
inline constexpr std::size_t kPlaces = 4;

constexpr std::size_t place_index(Place place) noexcept {
  return static_cast<std::size_t>(place);
}

}  // namespace trcost::workload
