// SPDX-License-Identifier: Apache-2.0
// Clusters for a budget: dollars = accelerators x hours x price per accelerator-hour.
#pragma once

#include <optional>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/scenario.h"
#include "trcost/solve.h"

namespace trcost::study {

/// Three of accelerators, time, price and dollars. The fourth is sought, and then the model, the
/// tokens, or their pair by the scaling law that the cluster computes in that time.
struct RentQuestion {
  Scenario base;                  ///< with `hardware.gpus` and the price, if known. The default
                                  ///< price is that of the price book for each platform
  double budget = 0;              ///< USD
  std::optional<double> seconds;  ///< empty if the time is sought
  const FieldInfo* unknown =
      nullptr;  ///< hardware.gpus, hardware.deadline, cost.price_per_gpu_hour
};

/// The word of --for that seeks the time. Others are fields.
inline constexpr std::string_view kTimeSought = "duration";
/// The field that a budget question seeks, or null if `word` (of --for, may be empty) and the
/// scenario ask another question. Budget questions are `gpus` or `price` with a time, `duration`,
/// and no word with a duration. `duration` is true if it is set by --duration, not as the deadline.
const FieldInfo* rent_unknown(const Scenario& base, std::string_view word, bool duration);

/// Throws Error (usage) if too much or too little is known for one answer.
void check_rent(const RentQuestion& question);

struct RentAnswer {
  Solution solution;  ///< of the unknown. `achieved` is the rent in USD
  ClusterRun cluster;
};
/// Solves for GPUs (the most whole ones with GPUs x hours x price <= budget), hours (budget / (GPUs
/// x price)) or price (budget / (GPUs x hours)). Throws Error (no_answer) for a result out of a
/// field's range, and the errors of the cluster's estimate.
RentAnswer solve_rent(const RentQuestion& question, std::string_view accelerator,
                      const Catalog& catalog);

/// The column `cluster.cost_usd`: rent without storage and the other items of a bill.
const EstimateColumn& rent_column();

}  // namespace trcost::study
