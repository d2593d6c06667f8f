// SPDX-License-Identifier: Apache-2.0
// What a training costs with the tokens that published models saw, where nobody said how many: the
// compute-optimal number is the least that makes sense, and a tenth to a hundredth of practice.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/estimate.h"

namespace trcost {

/// A published model and the tokens that it was pre-trained on.
struct TokenExample {
  std::string name;
  double params = 0;  ///< of the whole model
  double tokens = 0;
  std::string source;
};

/// The same question with another number of tokens, on the same platform.
struct TokenAlternative {
  double tokens = 0;
  TokenExample example;  ///< the published model of this budget that is nearest in size
  std::string accelerator;
  double gpus = 0;
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
};

/// Estimates of `scenario` on the platform of `optimal`, one per budget of data/runs/
/// token_budgets.json that is clearly more than its compute-optimal tokens. Empty where tokens or
/// samples were given, in stages, where the language model does not learn as a whole, and for a
/// budget without an answer.
std::vector<TokenAlternative> token_alternatives(const Scenario& scenario, const Catalog& catalog,
                                                 const Estimate& optimal);

}  // namespace trcost
