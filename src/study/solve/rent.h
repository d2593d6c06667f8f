// SPDX-License-Identifier: Apache-2.0
// What a sum of money rents: dollars = accelerators x hours x price per accelerator-hour.
#pragma once

#include <optional>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/scenario.h"
#include "trcost/solve.h"

namespace trcost::study {

/// Three of accelerators, time, price and dollars; the fourth is sought. What is computed on the
/// cluster follows: the model, the tokens, or the pair of the scaling law that take that time.
struct RentQuestion {
  Scenario base;                  ///< `hardware.gpus` and the price where they are known; without
                                  ///< a price that of the price book, for each platform its own
  double budget = 0;              ///< USD
  std::optional<double> seconds;  ///< empty where the time is sought
  const FieldInfo* unknown =
      nullptr;  ///< hardware.gpus, hardware.deadline, cost.price_per_gpu_hour
};

/// The word of --for that seeks the time; others are fields.
inline constexpr std::string_view kTimeSought = "duration";
/// The field that such a question seeks, or null where `word` (of --for, may be empty) and what is
/// given ask something else: with a budget, `gpus` or `price` beside a time, `duration`, or no word
/// and a duration. `duration`: given by itself, not as the deadline that sizes a cluster.
const FieldInfo* rent_unknown(const Scenario& base, std::string_view word, bool duration);

/// Throws Error (usage) where too much or too little is known for one answer.
void check_rent(const RentQuestion& question);

struct RentAnswer {
  Solution solution;   ///< of the unknown; `achieved` is the rent in USD
  ClusterRun cluster;  ///< what it computes
};
/// GPUs = the most whole ones with GPUs x hours x price <= budget; hours = budget / (GPUs x price);
/// price = budget / (GPUs x hours). Throws Error (no_answer) where that is out of a field's range,
/// and what the estimate of the cluster throws.
RentAnswer solve_rent(const RentQuestion& question, std::string_view accelerator,
                      const Catalog& catalog);

/// The column `cluster.cost_usd`: rent alone, without storage and what else a bill may hold.
const EstimateColumn& rent_column();

}  // namespace trcost::study
