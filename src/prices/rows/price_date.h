// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::json {
class JsonValue;
}  // namespace trcost::json

namespace trcost::prices {

/// A date as precise as its source: a day, a month, a half-year, a year, or unknown.
struct PriceDate {
  std::string text;   ///< `2026-09-19`, `2026-05`, `2025-H2`, `2026`, or empty
  std::string first;  ///< first possible day, YYYY-MM-DD. Empty if unknown
  std::string last;   ///< last possible day
};

/// Whether the text is a day, YYYY-MM-DD.
bool is_day(std::string_view text);

/// Days from one YYYY-MM-DD to another. Negative if `to` is the earlier one.
int days_between(std::string_view from, std::string_view to);

/// Throws Error (data) at `location` if the text is no date.
PriceDate parse_price_date(std::string_view text, std::string_view location);

/// As parse_price_date() for a text at that place of a file.
PriceDate price_date_at(const JsonValue& place, std::string_view text);

}  // namespace trcost::prices
