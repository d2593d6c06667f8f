// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "catalog/engine.h"
#include "performance/serving_model.h"
#include "trcost/derivation.h"
#include "trcost/serving.h"
#include "workload/served_model.h"

namespace trcost {

/// What a point was computed from.
struct ServedPoint {
  const ServedModel& model;
  const ServingChip& chip;
  const Engine& engine;
  const ServingModel& replica;
  const ServingLoad& load;
  double sold;
  double cache_bytes;
  double concurrency;
};

/// The chain from weights to dollars, each step with its numbers put in.
std::vector<Derivation> serving_derivations(const ServedPoint& of, const ServingRow& row);

}  // namespace trcost
