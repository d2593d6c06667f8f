// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/software/engine.h"
#include "performance/serving/serving_model.h"
#include "quantity/layers.h"
#include "trcost/bill.h"
#include "trcost/serving.h"
#include "workload/served_model.h"

namespace trcost::study {

/// Inputs of a computed point.
struct ServedPoint {
  const ServedModel& model;
  const ServingChip& chip;
  const Engine& engine;
  const ServingModel& replica;
  const ServingLoad& load;
  double sold;
  double cache_bytes;
};

/// The chain from weights to dollars, each step with its numbers.
std::vector<Derivation> serving_derivations(const ServedPoint& point, const ServingRow& row);

}  // namespace trcost::study
