// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <utility>

namespace trcost {

Page& Page::add(Piece piece) {
  pieces.push_back(std::move(piece));
  return *this;
}

}  // namespace trcost
