// SPDX-License-Identifier: Apache-2.0
#include "report/workbook/cell_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "quantity/portable_math.h"

namespace trcost::report {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A number in words: `~$1,234.5k` is `~$`, 1234.5 with one decimal, and `k`.
struct NumberWords {
  std::string prefix;
  double number = 0;
  std::size_t decimals = 0;
  bool exponent = false, sign = false;
  std::string suffix;
};

std::optional<NumberWords> parse_words(std::string_view text) {
  const auto first = std::ranges::find_if(text, is_digit);
  if (first == text.end()) return std::nullopt;
  const auto start = static_cast<std::size_t>(first - text.begin());
  std::size_t end = start;
  while (end < text.size() && (is_digit(text[end]) || text[end] == ',' || text[end] == '.')) ++end;
  while (!is_digit(text[end - 1])) --end;  // the full stop of a sentence
  NumberWords out;
  std::string digits;
  std::ranges::copy_if(text.substr(start, end - start), std::back_inserter(digits),
                       [](char c) { return c != ','; });
  if (end + 2 < text.size() && text[end] == 'e' && (text[end + 1] == '+' || text[end + 1] == '-')) {
    const std::size_t from = end;
    end += 2;
    while (end < text.size() && is_digit(text[end])) ++end;
    digits += text.substr(from, end - from);
    out.exponent = true;
  }
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) {
    const std::size_t last = std::min(digits.find('e'), digits.size());
    out.decimals = last - point - 1;
  }
  if (std::from_chars(digits.data(), digits.data() + digits.size(), out.number).ec != std::errc()) {
    return std::nullopt;
  }
  out.prefix = text.substr(0, start);
  // A sign stands before the number or before its currency: `$-5`, `-$5`.
  const std::size_t sign = out.prefix.find_first_of("-+");
  if (sign != std::string::npos && (sign == 0 || sign + 1 == out.prefix.size())) {
    if (out.prefix[sign] == '-') out.number = -out.number;
    out.sign = out.prefix[sign] == '+';
    out.prefix.erase(sign, 1);
  }
  out.suffix = text.substr(end);
  if (std::ranges::any_of(out.suffix, is_digit)) return std::nullopt;
  return out;
}

// Returns the power of ten between a value and the number in words, or none.
std::optional<int> unit_power(double value, double number) {
  if (value == 0 || number == 0) return 0;
  if ((value < 0) != (number < 0)) return std::nullopt;
  constexpr double kRounding = 0.06;  // relative, of one digit: 1 for 1.04
  const double ratio = value / number;
  const int power = static_cast<int>(std::lround(portable_log10(ratio)));
  if (std::abs(ratio / power_of_ten(power) - 1) > kRounding) return std::nullopt;
  return power;
}

std::string in_quotes(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("\"{}\"", text);
}

std::string digits_format(std::size_t decimals) {
  return decimals == 0 ? std::string("#,##0") : "#,##0." + std::string(decimals, '0');
}

// Removes `k`, `M`, `B` or `T` after the digits, since a sheet shows the whole number.
std::string_view remove_scale(std::string_view suffix, int power) {
  constexpr std::string_view kScales = "kMBT";
  if (suffix.empty() || power <= 0 || power % 3 != 0) return suffix;
  const std::size_t at = kScales.find(suffix.front());
  if (at == std::string_view::npos || static_cast<int>(at) != power / 3 - 1) return suffix;
  return suffix.size() == 1 || suffix[1] == ' ' || suffix[1] == '/' ? suffix.substr(1) : suffix;
}

}  // namespace

std::optional<ShownNumber> shown_number(double value, std::string_view text) {
  const std::optional<NumberWords> words = parse_words(text);
  if (!words || words->suffix.find('"') != std::string::npos) return std::nullopt;
  if (words->exponent) return ShownNumber{value, "0.00E+00"};
  const std::optional<int> power = unit_power(value, words->number);
  std::string format = digits_format(words->decimals);
  if (words->suffix == "%" && power == -2) {
    format =
        (words->decimals == 0 ? std::string("0") : "0." + std::string(words->decimals, '0')) + "%";
    if (words->sign) format = fmt::format("+{0};-{0}", format);
    return ShownNumber{value, in_quotes(words->prefix) + format};
  }
  const std::string_view rest = power ? remove_scale(words->suffix, *power) : words->suffix;
  if (power && rest.size() != words->suffix.size()) {
    return ShownNumber{value, in_quotes(words->prefix) + digits_format(0) + in_quotes(rest)};
  }
  const double shown = power ? value / power_of_ten(*power) : words->number;
  return ShownNumber{shown, in_quotes(words->prefix) + format + in_quotes(words->suffix)};
}

ShownNumber shown_duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds >= 2 * kDay) return {seconds / kDay, "#,##0.0\" d\""};
  if (seconds < kMinute) return {seconds, "0.0000\" s\""};
  return {seconds / kHour, "#,##0.00\" h\""};
}

}  // namespace trcost::report
