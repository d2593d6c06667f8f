// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::json {

/// Appends text as a JSON string with its quotes. What is unprintable is escaped; bytes that are
/// not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
/// The same on its own.
std::string json_string(std::string_view text);

}  // namespace trcost::json
