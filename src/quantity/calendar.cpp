// SPDX-License-Identifier: Apache-2.0
#include "quantity/calendar.h"

#include <fmt/core.h>

#include <chrono>

namespace trcost::quantity {
namespace {

// The number that two digits at `from` are, or 0.
unsigned two_digits(std::string_view text, std::size_t from) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  if (!digit(from) || !digit(from + 1)) return 0;
  return static_cast<unsigned>(10 * (text[from] - '0') + text[from + 1] - '0');
}

}  // namespace

std::optional<DateSpan> date_span(std::string_view text) {
  using namespace std::chrono;
  constexpr std::size_t kYear = 4, kMonth = 7, kDay = 10;
  const std::string given(text), year_text(text.substr(0, kYear));
  const unsigned century = two_digits(text, 0);
  const year of_year(static_cast<int>(100 * century + two_digits(text, 2)));
  const bool digits = year_text.find_first_not_of("0123456789") == std::string::npos;
  if (text.size() < kYear || !digits || of_year < year(1990) || of_year > year(2100)) {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(kYear);
  if (rest.empty()) return DateSpan{given + "-01-01", given + "-12-31"};
  if (rest == "-H1") return DateSpan{year_text + "-01-01", year_text + "-06-30"};
  if (rest == "-H2") return DateSpan{year_text + "-07-01", year_text + "-12-31"};
  const month of_month(rest[0] == '-' ? two_digits(rest, 1) : 0);
  if (!of_month.ok()) return std::nullopt;
  const auto days = static_cast<unsigned>((of_year / of_month / last).day());
  if (text.size() == kMonth) return DateSpan{given + "-01", fmt::format("{}-{}", given, days)};
  const bool has_day = text.size() == kDay && rest[3] == '-';
  const unsigned day_of_month = has_day ? two_digits(rest, 4) : 0;
  if (day_of_month < 1 || day_of_month > days) return std::nullopt;
  return DateSpan{given, given};
}

}  // namespace trcost::quantity
