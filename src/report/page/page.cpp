// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <fmt/core.h>

#include <utility>

#include "trcost/version.h"

namespace trcost::report {

Page& Page::add(Piece piece) {
  pieces.push_back(std::move(piece));
  return *this;
}

Ranges platform_ranges(std::string title) {
  return {.title = std::move(title),
          .rows = {},
          .numbers = Table(
              {{"platform"}, number_column("P10"), number_column("P50"), number_column("P90")}),
          .in_text = false};
}

std::string made_by(std::string_view price_data_date) {
  if (price_data_date.empty()) return fmt::format("trcost {}", trcost_version());
  return fmt::format("trcost {}, price book of {}", trcost_version(), price_data_date);
}

}  // namespace trcost::report
