// SPDX-License-Identifier: Apache-2.0
#include "quantity/calendar.h"

#include <array>
#include <cstddef>

namespace trcost::quantity {

namespace {

constexpr int kEarliestYear = 1990, kLatestYear = 2100;

bool is_leap_year(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

// The number that `count` digits at `from` are, or -1.
int digits_at(std::string_view text, std::size_t from, std::size_t count) {
  if (text.size() < from + count) return -1;
  int value = 0;
  for (const char c : text.substr(from, count)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

bool is_date(std::string_view text) {
  constexpr std::size_t kYear = 4, kMonth = 7, kDay = 10;
  const int year = digits_at(text, 0, kYear);
  if (year < kEarliestYear || year > kLatestYear) return false;
  if (text.size() == kYear) return true;
  const std::string_view rest = text.substr(kYear);
  if (rest == "-H1" || rest == "-H2") return true;
  const int month = rest[0] == '-' ? digits_at(rest, 1, 2) : -1;
  if (month < 1 || month > 12) return false;
  if (text.size() == kMonth) return true;
  const int day = text.size() == kDay && rest[3] == '-' ? digits_at(rest, 4, 2) : -1;
  return day >= 1 && day <= days_in_month(year, month);
}

}  // namespace trcost::quantity
