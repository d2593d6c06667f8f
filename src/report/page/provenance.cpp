// SPDX-License-Identifier: Apache-2.0
#include "report/page/provenance.h"

#include "report/page/wording.h"
#include "trcost/report.h"

namespace trcost::report {

std::vector<Fact> provenance_facts(std::span<const Estimate> estimates,
                                   std::string_view price_data_date) {
  Report whole;
  whole.estimates = estimates;
  whole.price_data_date = price_data_date;
  return price_facts(whole);
}

}  // namespace trcost::report
