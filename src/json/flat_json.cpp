// SPDX-License-Identifier: Apache-2.0
#include "json/flat_json.h"

#include <bit>

namespace trcost::json {

namespace {

// RFC 6901: ~ and / are escaped within a token.
void append_token(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

}  // namespace

double FlatJson::number(Index at) const {
  return std::bit_cast<double>(nodes_[at].value);
}

std::string FlatJson::pointer(Index at) const {
  std::string pointer;
  Index here = 0;
  while (here != at) {
    const bool in_object = nodes_[here].kind == FlatNode::Kind::object;
    std::size_t position = 0;
    Index child = here + 1;
    for (; next(child) <= at; child = next(child)) ++position;
    append_token(pointer, in_object ? key(child) : std::to_string(position));
    here = child;
  }
  return pointer;
}

}  // namespace trcost::json
