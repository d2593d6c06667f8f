// SPDX-License-Identifier: Apache-2.0
#include "report/provenance.h"

#include <array>

#include "report/wording.h"
#include "trcost/report.h"

namespace trcost {

std::span<const std::string_view> provenance_paths() {
  static constexpr std::array<std::string_view, 4> kPaths = {
      "cost.price_class", "cost.price_imputed", "cost.price_date", "cost.provider"};
  return kPaths;
}

std::vector<Fact> provenance_facts(std::span<const Estimate> estimates,
                                   std::string_view price_data_date) {
  Report whole;
  whole.estimates = estimates;
  whole.price_data_date = price_data_date;
  return price_facts(whole);
}

}  // namespace trcost
