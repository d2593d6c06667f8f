// SPDX-License-Identifier: Apache-2.0
#include "estimate/cost_parts.h"

#include <cmath>
#include <stdexcept>

namespace trcost {
namespace {

// The part of the range that a row of the bill is; null for idle hours, which are two.
double CostParts::*place_of(Part part) {
  switch (part) {
    case Part::compute:
      return &CostParts::compute;
    case Part::servers:
    case Part::network:
    case Part::capital:
      return &CostParts::capital;
    case Part::colocation:
      return &CostParts::colocation;
    case Part::energy:
      return &CostParts::energy;
    case Part::experiments:
      return &CostParts::experiments;
    case Part::evaluation:
      return &CostParts::evaluation;
    case Part::dataset:
      return &CostParts::dataset;
    case Part::checkpoints:
    case Part::weights:
      return &CostParts::checkpoints;
    case Part::egress:
      return &CostParts::egress;
    case Part::idle:
      break;
  }
  return nullptr;
}

}  // namespace

CostParts cost_parts(const CostResult& cost) {
  CostParts out;
  double idle = 0;
  for (const LineItem& row : cost.items) {
    if (!row.included) continue;
    if (double CostParts::*place = place_of(row.part)) {
      out.*place += row.amount.value_or(0);
    } else {
      idle += row.amount.value_or(0);
    }
  }
  // Idle hours cost capital and space, as hours in use do.
  if (const double used = out.capital + out.colocation; idle > 0 && used > 0) {
    out.capital *= 1 + idle / used;
    out.colocation *= 1 + idle / used;
  }
  if (const double run = out.run(); run > 0) {
    out.experiments /= run;
    out.evaluation /= run;
  }
  if (std::abs(out.total() - cost.total.value_or(0)) > 1e-9 * cost.total.value_or(0)) {
    throw std::logic_error("an item of the bill is in no part of the range");
  }
  return out;
}

}  // namespace trcost
