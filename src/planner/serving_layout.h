// SPDX-License-Identifier: Apache-2.0
// How a replica of a served model is split, and how much it carries.
#pragma once

#include <optional>
#include <vector>

#include "performance/serving/serving_model.h"
#include "quantity/layers.h"
#include "trcost/layout.h"
#include "trcost/serving_point.h"

namespace trcost::planner {

/// What is looked for. Empty members are searched.
struct ServingSearch {
  ServingLoad load;
  std::optional<double> tokens_per_second_per_user;  ///< at least; instead of load.concurrency
  /// Where neither a concurrency nor a speed is asked for: no more requests than leave each user so
  /// many, if fewer do.
  std::optional<double> least_per_user;
  std::optional<int> gpus, tp, ep, dp;
  int most_gpus = 8;  ///< of a replica, where `gpus` is searched
};

struct ServingChoice {
  ServingLayout layout;
  std::optional<double> concurrency;  ///< of the load; empty: queued
  ServingPoint point;
  bool reached = true;  ///< the load or the speed wanted; else the point is as near as it comes
};

/// Numbers of accelerators that a replica may have: as asked, else the powers of two up to
/// most_gpus.
std::vector<int> replica_sizes(const ServingSearch& search);

/// Layouts of `gpus` accelerators that the heads divide into: tensor-parallel groups of attention,
/// and, for mixtures of experts, several of them side by side.
std::vector<ServingLayout> serving_layouts(const ServedModel& model, const ServingSearch& search,
                                           int gpus);

/// The layout with the most output tokens per second and GPU among those that carry the load; empty
/// where no replica holds the weights and one sequence.
std::optional<ServingChoice> choose_serving(const ServedModel& model, const ServingChip& chip,
                                            const Engine& engine, WeightFormat format,
                                            double cache_bytes, const ServingSearch& search);

/// The smallest power of two of accelerators, up to 1,024, that holds the weights and one request
/// in any layout with the degrees asked for.
std::optional<int> smallest_replica(const ServedModel& model, const ServingChip& chip,
                                    const Engine& engine, WeightFormat format, double cache_bytes,
                                    ServingSearch search);

/// The largest whole concurrency at which each user still gets so many tokens per second; 0 where
/// one user alone gets fewer.
double concurrency_at_speed(const ServingModel& model, ServingLoad load, double per_user);

}  // namespace trcost::planner
