// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "catalog/strict_json.h"

namespace trcost {

struct JsonValue::Document {
  nlohmann::json root;
  std::string origin;
};

/// At most a line of `text`, with bytes that a terminal might act on replaced.
std::string printable(std::string_view text);

}  // namespace trcost
