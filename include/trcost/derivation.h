// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace trcost {

/// One step of the chain from question to answer, for --explain.
struct Derivation {
  std::string name;     ///< what comes out, e.g. `GPU-hours`
  std::string formula;  ///< in symbols
  /// With the numbers put in: evaluates to the result up to the digits shown, in which words are
  /// units or names; after a semicolon what else belongs to it.
  std::string numbers;
  std::string result;
  std::string source;
};

}  // namespace trcost
