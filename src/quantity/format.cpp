// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>

#include "quantity/layers.h"
#include "quantity/quantity.h"
#include "trcost/numbers.h"

namespace trcost::quantity {

namespace {

struct Scale {
  double from;
  double divisor;
  std::string_view suffix;
};

constexpr Scale kCounts[] = {{1e15, 0, ""},   {1e12, 1e12, "T"}, {1e9, 1e9, "B"},
                             {1e6, 1e6, "M"}, {1e4, 1e3, "k"},   {0, 1, ""}};
constexpr Scale kBytes[] = {{1e18, 1e18, " EB"}, {1e15, 1e15, " PB"}, {1e12, 1e12, " TB"},
                            {1e9, 1e9, " GB"},   {1e6, 1e6, " MB"},   {1e3, 1e3, " kB"},
                            {0, 1, " B"}};
constexpr Scale kDurations[] = {{2 * kHoursPerYear * 3600, kHoursPerYear * 3600, " y"},
                                {2 * kSecondsPerDay, kSecondsPerDay, " d"},
                                {2 * kSecondsPerHour, kSecondsPerHour, " h"},
                                {120, 60, " min"},
                                {0.1, 1, " s"},
                                {1e-4, 1e-3, " ms"},
                                {0, 1e-6, " us"}};
constexpr Scale kMoney[] = {{1e15, 0, ""},   {1e12, 1e12, "T"}, {1e9, 1e9, "B"},
                            {1e6, 1e6, "M"}, {1e4, 1e3, "k"},   {0, 1, ""}};

// Larger numbers are read by their exponent, not by their digits.
constexpr double kMostWhole = 1e15;
constexpr double kMostDigits = 1e10;

// The value that `significant` digits show, and its power of ten: 9.9997 is 1.00e1 in three of
// them.
struct Rounded {
  double value;
  int exponent = 0;
};

Rounded rounded(double value, int significant) {
  const std::string text = fmt::format("{:.{}e}", value, significant - 1);
  const char* const end = text.data() + text.size();
  Rounded out{value};
  std::from_chars(text.data(), end, out.value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return out;  // infinite
  const char* const sign = text.data() + e + 1;
  std::from_chars(*sign == '+' ? sign + 1 : sign, end, out.exponent);
  return out;
}

std::string scientific(double value, int significant) {
  return fmt::format("{:.{}e}", value, significant - 1);
}

// `significant` digits in fixed notation, without an exponent for what tables hold.
std::string significant_digits(double exact, int significant) {
  const auto [value, exponent] = rounded(exact, significant);
  if (value == 0) return "0";
  if (std::abs(value) >= kMostDigits) return scientific(value, significant);
  constexpr int kLeastExponent = -5;
  if (exponent < kLeastExponent) return scientific(value, significant);
  const int decimals = significant - 1 - exponent;
  if (decimals < 0) return fmt::format("{:.0f}", exact);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string scaled(double value, std::span<const Scale> scales, int significant) {
  const double shown = std::abs(rounded(value, significant).value);
  for (const Scale& scale : scales) {
    if (shown >= scale.from) {
      if (scale.divisor == 0) return scientific(value, significant);
      return significant_digits(value / scale.divisor, significant) + std::string(scale.suffix);
    }
  }
  return significant_digits(value, significant);
}

}  // namespace

}  // namespace trcost::quantity

namespace trcost {

std::string format_number(double value, NumberKind kind, int significant) {
  switch (kind) {
    case NumberKind::integer:
      if (std::abs(value) < kMostWhole) return fmt::format("{:.0f}", value);
      [[fallthrough]];
    case NumberKind::count:
      if (std::abs(value) < 1e4 && value == std::floor(value)) return fmt::format("{:.0f}", value);
      return scaled(value, kCounts, significant);
    case NumberKind::bytes:
      return scaled(value, kBytes, significant);
    case NumberKind::rate:
      return scaled(value, kBytes, significant) + "/s";
    case NumberKind::duration:
      return scaled(value, kDurations, significant);
    case NumberKind::money:
      if (std::abs(value) < 1e4 && std::abs(value) >= 0.1) return fmt::format("${:.2f}", value);
      return "$" + scaled(value, kMoney, significant);
    case NumberKind::fraction:
      return significant_digits(value * 100, significant) + "%";
    case NumberKind::number:
      break;
  }
  return significant_digits(value, significant);
}

std::string grouped(double value, int decimals) {
  constexpr double kMostGrouped = 1e15;  // larger numbers are read by their exponent
  if (std::abs(value) >= kMostGrouped) return format_number(value, NumberKind::number);
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  std::size_t at = text.find('.');
  if (at == std::string::npos) at = text.size();
  while (at > 3) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return value < 0 ? "-" + text : text;
}

std::string unit_money(double usd) {
  constexpr double kSmallest = 0.001;  // below, four decimals say too little
  constexpr double kNoise = 1e-7;
  if (usd != 0 && std::abs(usd) < kSmallest) return format_number(usd, NumberKind::money);
  for (const int decimals : {2, 3}) {
    const double unit = decimals == 2 ? 0.01 : 0.001;
    if (std::abs(usd - std::round(usd / unit) * unit) < kNoise) return "$" + grouped(usd, decimals);
  }
  return "$" + grouped(usd, 4);
}

void append_exact(std::string& out, double value) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  char buffer[32];
  if (value == std::floor(value) && std::abs(value) <= kExactIntegers) {
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, static_cast<long long>(value)).ptr;
    out.append(buffer, end);
    return;
  }
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

std::string format_exact(double value) {
  std::string out;
  append_exact(out, value);
  return out;
}

}  // namespace trcost
