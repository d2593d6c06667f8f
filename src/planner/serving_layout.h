// SPDX-License-Identifier: Apache-2.0
// Layout of a replica of a served model, and the load that it carries.
#pragma once

#include <optional>
#include <vector>

#include "performance/serving/serving_model.h"
#include "quantity/layers.h"
#include "trcost/layout.h"
#include "trcost/serving_point.h"

namespace trcost::planner {

/// Request to the search of a serving layout. Empty members are searched.
struct ServingSearch {
  ServingLoad load;
  std::optional<double> tokens_per_second_per_user;  ///< at least, instead of load.concurrency
  /// Least speed per user that limits the requests if neither concurrency nor speed is specified.
  std::optional<double> least_per_user;
  std::optional<int> gpus, tp, ep, dp;
  int most_gpus = 8;  ///< of a replica, if `gpus` is searched
};

/// A layout with its operating point.
struct ServingChoice {
  ServingLayout layout;
  std::optional<double> concurrency;  ///< of the load, empty if requests queue
  ServingPoint point;
  bool reached = true;  ///< false if the point only comes near the requested load or speed
};

/// Numbers of accelerators that a replica may have: the given one, else powers of two up to
/// most_gpus.
std::vector<int> replica_sizes(const ServingSearch& search);

/// Layouts of `gpus` accelerators that the heads divide into: tensor-parallel groups of attention,
/// and, for mixtures of experts, several of them side by side.
std::vector<ServingLayout> serving_layouts(const ServedModel& model, const ServingSearch& search,
                                           int gpus);

/// The layout with the most output tokens per second and GPU among those that carry the load. Empty
/// if no replica fits the weights and one sequence.
std::optional<ServingChoice> choose_serving(const ServedModel& model, const ServingChip& chip,
                                            const Engine& engine, WeightFormat format,
                                            double cache_bytes, const ServingSearch& search);

/// Smallest power of two of accelerators, up to 1,024, that fits the weights and one request in any
/// layout with the given degrees.
std::optional<int> smallest_replica(const ServedModel& model, const ServingChip& chip,
                                    const Engine& engine, WeightFormat format, double cache_bytes,
                                    ServingSearch search);

/// Largest whole concurrency at which each user gets `per_user` tokens per second, 0 if a single
/// user gets fewer.
double concurrency_at_speed(const ServingModel& model, ServingLoad load, double per_user);

}  // namespace trcost::planner
