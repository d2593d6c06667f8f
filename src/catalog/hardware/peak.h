// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// Dense FLOP/s of a chip in a format; empty where it lacks it.
inline std::optional<double> peak_flops(const Accelerator& chip, Precision precision) {
  return chip.peak_flops[static_cast<std::size_t>(precision)];
}

}  // namespace trcost::catalog
