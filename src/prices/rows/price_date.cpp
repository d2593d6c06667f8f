// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/price_date.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "json/strict_json.h"
#include "quantity/calendar.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::prices {

namespace {

// Empty if the text is no date.
std::optional<PriceDate> try_parse_date(std::string_view text) {
  if (text.empty()) return PriceDate{};
  std::optional<DateSpan> span = date_span(text);
  if (!span) return std::nullopt;
  return PriceDate{std::string(text), std::move(span->first), std::move(span->last)};
}

// The day of a valid YYYY-MM-DD.
std::chrono::sys_days day_of(std::string_view date) {
  const auto digits = [&](std::size_t from, std::size_t count) {
    return number_in<unsigned>(date.substr(from, count)).value_or(1);
  };
  return std::chrono::year(static_cast<int>(digits(0, 4))) / std::chrono::month(digits(5, 2)) /
         std::chrono::day(digits(8, 2));
}

}  // namespace

bool is_day(std::string_view text) {
  const std::optional<PriceDate> date = try_parse_date(text);
  return date && !date->first.empty() && date->first == date->last;
}

int days_between(std::string_view from, std::string_view to) {
  return static_cast<int>((day_of(to) - day_of(from)).count());
}

PriceDate price_date_at(const JsonValue& place, std::string_view text) {
  // The location is made for a message alone.
  if (std::optional<PriceDate> date = try_parse_date(text)) return *std::move(date);
  return parse_price_date(text, place.location());
}

PriceDate parse_price_date(std::string_view text, std::string_view location) {
  if (std::optional<PriceDate> date = try_parse_date(text)) return *std::move(date);
  throw Error(ErrorKind::data, fmt::format("\"{}\" is not a date", text.substr(0, 40)),
              "write YYYY-MM-DD, YYYY-MM, YYYY-H1, YYYY-H2 or YYYY, as precise as the source is",
              std::string(location));
}

}  // namespace trcost::prices
