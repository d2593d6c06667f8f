// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace trcost {

/// One step of the chain from question to answer, for --explain.
struct Derivation {
  std::string name;      ///< what comes out, e.g. `GPU-hours`
  std::string formula;   ///< in symbols
  std::string numbers;   ///< with the numbers put in
  std::string result;
  std::string source;
};

}  // namespace trcost
