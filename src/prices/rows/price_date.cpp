// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/price_date.h"

#include <fmt/format.h>

#include <optional>

#include "json/strict_json.h"
#include "quantity/calendar.h"
#include "trcost/error.h"

namespace trcost::prices {

namespace {

// Empty if the text is no date.
std::optional<PriceDate> try_parse_date(std::string_view text) {
  if (text.empty()) return PriceDate{};
  if (!is_date(text)) return std::nullopt;
  const std::string given(text);
  const std::string_view rest = text.substr(4);
  const std::string year(text.substr(0, 4));
  if (rest.empty()) return PriceDate{given, year + "-01-01", year + "-12-31"};
  if (rest == "-H1") return PriceDate{given, year + "-01-01", year + "-06-30"};
  if (rest == "-H2") return PriceDate{given, year + "-07-01", year + "-12-31"};
  if (rest.size() > 3) return PriceDate{given, given, given};
  const int month = 10 * (rest[1] - '0') + (rest[2] - '0');
  return PriceDate{given, given + "-01",
                   fmt::format("{}-{}", given, days_in_month(std::stoi(year), month))};
}

// Days since 1970-01-01 of the proleptic Gregorian calendar (Hinnant, days_from_civil). `date` is a
// valid YYYY-MM-DD.
int day_number(std::string_view date) {
  const auto digits = [&](std::size_t from, std::size_t count) {
    int value = 0;
    for (const char c : date.substr(from, count)) value = value * 10 + (c - '0');
    return value;
  };
  const int month = digits(5, 2);
  const int year = digits(0, 4) - (month <= 2 ? 1 : 0);
  const int era = year / 400;
  const int year_of_era = year - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + digits(8, 2) - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

}  // namespace

bool is_day(std::string_view text) {
  const std::optional<PriceDate> date = try_parse_date(text);
  return date && !date->first.empty() && date->first == date->last;
}

int days_between(std::string_view from, std::string_view to) {
  return day_number(to) - day_number(from);
}

PriceDate price_date_at(const JsonValue& place, std::string_view text) {
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
