// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <utility>

namespace trcost::report {

Page& Page::add(Piece piece) {
  pieces.push_back(std::move(piece));
  return *this;
}

Ranges platform_ranges(std::string title) {
  return {std::move(title),
          {},
          Table({{"platform"},
                 {"P10", "", Align::right},
                 {"P50", "", Align::right},
                 {"P90", "", Align::right}}),
          false};
}

}  // namespace trcost::report
