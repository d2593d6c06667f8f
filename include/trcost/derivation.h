// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace trcost {

/// One step of the derivation of an answer, for --explain.
struct Derivation {
  std::string name;     ///< name of the result, e.g. `GPU-hours`
  std::string formula;  ///< in symbols
  /// The formula with its numbers. It evaluates to the result up to the digits shown. Words are
  /// units or names. Remarks follow a semicolon.
  std::string numbers;
  std::string result;
  std::string source;
};

}  // namespace trcost
