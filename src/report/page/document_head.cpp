// SPDX-License-Identifier: Apache-2.0
#include "report/page/document_head.h"

#include <fmt/format.h>

#include "trcost/version.h"

namespace trcost::report {

std::string made_by(std::string_view price_data_date) {
  if (price_data_date.empty()) return fmt::format("trcost {}", trcost_version());
  return fmt::format("trcost {}, price book of {}", trcost_version(), price_data_date);
}

}  // namespace trcost::report
