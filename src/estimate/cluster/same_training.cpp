// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/same_training.h"

namespace trcost::estimation {

namespace {

// A step with more sequences than that over what was asked for is another training, and so is one
// that takes twice the tokens for the same loss.
constexpr double kLargerGivenBatch = 1.125;
constexpr double kMostTokenCost = 1;

}  // namespace

bool same_training(double batch, std::optional<double> given, std::optional<double> token_cost) {
  if (given) return batch <= kLargerGivenBatch * *given;
  return token_cost.value_or(0) <= kMostTokenCost;
}

bool same_training(const Scenario& asked, const Estimate& answer) {
  if (!asked.stages.empty() || asked.has(Field::efficiency_mfu)) return true;
  return same_training(answer.layout.global_batch, asked.number(Field::train_global_batch),
                       answer.performance.batch_token_cost);
}

}  // namespace trcost::estimation
