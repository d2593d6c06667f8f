// SPDX-License-Identifier: Apache-2.0
// Numbers of formulas: six digits, from which a reader, or a test, computes again.
#pragma once

#include <fmt/format.h>

#include <string>

#include "quantity/layers.h"

namespace trcost::quantity {

inline std::string digits(double value) {
  return fmt::format("{:.6g}", value);
}

inline std::string in_seconds(double value) {
  return digits(value) + " s";
}

}  // namespace trcost::quantity
