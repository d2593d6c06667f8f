// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/price_date.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "json/strict_json.h"
#include "trcost/error.h"

namespace trcost::prices {

namespace {

// All of `text` as a whole number, or -1.
int whole_number(std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

bool is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int days_in_month(int year, int month) {
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// Empty if the text is no date.
std::optional<PriceDate> try_parse_date(std::string_view text) {
  if (text.empty()) return PriceDate{};
  const int year = whole_number(text.substr(0, 4));
  if (text.size() < 4 || year < 1990 || year > 2100) return std::nullopt;
  const std::string named_year(text.substr(0, 4));
  const std::string_view rest = text.substr(4);
  if (rest.empty()) return PriceDate{named_year, named_year + "-01-01", named_year + "-12-31"};
  const std::string given(text);
  if (rest == "-H1") return PriceDate{given, named_year + "-01-01", named_year + "-06-30"};
  if (rest == "-H2") return PriceDate{given, named_year + "-07-01", named_year + "-12-31"};
  const int month = rest.size() >= 3 && rest[0] == '-' ? whole_number(rest.substr(1, 2)) : -1;
  if (month < 1 || month > 12) return std::nullopt;
  const int last = days_in_month(year, month);
  if (rest.size() == 3) return PriceDate{given, given + "-01", given + "-" + std::to_string(last)};
  const int date = rest.size() == 6 && rest[3] == '-' ? whole_number(rest.substr(4, 2)) : -1;
  if (date < 1 || date > last) return std::nullopt;
  return PriceDate{given, given, given};
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
