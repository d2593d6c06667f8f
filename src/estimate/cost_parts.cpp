// SPDX-License-Identifier: Apache-2.0
#include "estimate/cost_parts.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace trcost {
namespace {

struct Place {
  std::string_view item;
  double CostParts::*part;
};
constexpr std::array<Place, 11> kPlaces = {{{"compute", &CostParts::compute},
                                            {"servers, depreciation", &CostParts::capital},
                                            {"network, depreciation", &CostParts::capital},
                                            {"colocation", &CostParts::colocation},
                                            {"energy", &CostParts::energy},
                                            {"experiments", &CostParts::experiments},
                                            {"evaluation", &CostParts::evaluation},
                                            {"dataset", &CostParts::dataset},
                                            {"full checkpoints", &CostParts::checkpoints},
                                            {"weights-only checkpoints", &CostParts::checkpoints},
                                            {"egress", &CostParts::egress}}};
constexpr std::string_view kIdle = "idle hours of the cluster";

}  // namespace

CostParts cost_parts(const CostResult& cost) {
  CostParts out;
  double idle = 0;
  for (const LineItem& row : cost.items) {
    if (!row.included) continue;
    if (row.item == kIdle) idle += row.amount.value_or(0);
    for (const Place& place : kPlaces) {
      if (place.item == row.item) out.*place.part += row.amount.value_or(0);
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
