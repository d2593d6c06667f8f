// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/merge_warnings.h"

#include <algorithm>

namespace trcost::estimation {

std::vector<std::string> merge_warnings(const std::vector<const Estimate*>& estimates) {
  std::vector<std::string> lines;
  for (const Estimate* estimate : estimates) {
    for (const std::string& warning : estimate->warnings) {
      const bool everywhere = std::ranges::all_of(estimates, [&](const Estimate* other) {
        return std::ranges::find(other->warnings, warning) != other->warnings.end();
      });
      const bool named = warning.find(estimate->accelerator) != std::string::npos;
      std::string line = everywhere || named ? warning : estimate->accelerator + ": " + warning;
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace trcost::estimation
