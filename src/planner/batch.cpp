// SPDX-License-Identifier: Apache-2.0
#include "planner/batch.h"

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"

namespace trcost::planner {
namespace {

constexpr double kMebi = 1048576;

}  // namespace

UsualBatch compute_usual_batch(double training_tokens, double seq_length) {
  const double practice = 4 * kMebi * portable_pow(training_tokens / 2e12, 0.6);
  const double floor = std::min(128 * seq_length, 0.5 * kMebi);
  const double tokens = std::max(practice, floor);
  const double power = std::round(portable_log2(tokens / seq_length));
  return {seq_length, tokens, std::ldexp(1.0, static_cast<int>(std::max(0.0, power)))};
}

double critical_batch_tokens(double training_tokens) {
  // The exponents 0.462 and 0.47 of the two papers agree. The factor is confirmed by the published
  // batches of test_batch.cpp, all between a sixteenth of the critical batch and the whole.
  constexpr double kSequences = 0.0471, kExponent = 0.462, kTokensPerSequence = 2048;
  return kTokensPerSequence * kSequences * portable_pow(training_tokens, kExponent);
}

double batch_cost(double batch, double usual, double critical) {
  if (batch >= usual) return (1 + batch / critical) / (1 + usual / critical);
  constexpr double kAtHalf = 0.05;
  const double halvings = portable_log2(usual / batch);
  return 1 + kAtHalf * halvings * halvings;
}

double cluster_global_batch(const UsualBatch& usual, double gpus) {
  constexpr double kTokensPerGpu = 4096;
  constexpr double kMostGrowth = 4;
  const double most = std::min(kMostGrowth * usual.tokens, 4 * kMebi);
  return std::max(usual.sequences,
                  std::floor(std::min(most, gpus * kTokensPerGpu) / usual.seq_length));
}

}  // namespace trcost::planner
