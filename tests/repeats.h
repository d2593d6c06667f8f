// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>

/// Rounds of a random test: `rounds` in the gate, times TRCOST_TEST_REPEATS where that is set.
inline int repeats(int rounds) {
  static const char* const text = std::getenv("TRCOST_TEST_REPEATS");
  static const double factor = text ? std::atof(text) : 1;
  return std::max(1, static_cast<int>(rounds * factor));
}
