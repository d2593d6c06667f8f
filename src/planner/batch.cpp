// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "trcost/planner.h"

namespace trcost {

double default_global_batch(double training_tokens, double seq_length) {
  constexpr double kMebi = 1048576;
  const double practice = 4 * kMebi * std::pow(training_tokens / 2e12, 0.6);
  const double floor = std::min(128 * seq_length, 0.5 * kMebi);
  const double sequences = std::max(practice, floor) / seq_length;
  return std::exp2(std::max(0.0, std::round(std::log2(sequences))));
}

double cluster_global_batch(double usual, double seq_length, double gpus) {
  constexpr double kTokensPerGpu = 4096;
  constexpr double kMostGrowth = 4;
  constexpr double kMostTokens = 4 * 1048576;
  const double most = std::min(kMostGrowth * usual, std::floor(kMostTokens / seq_length));
  return std::max(usual, std::min(most, std::floor(gpus * kTokensPerGpu / seq_length)));
}

}  // namespace trcost
