// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trcost {

/// Kinds of written numbers, each with one parser.
enum class NumberKind : std::uint8_t {
  count,     ///< `10e9`, `10B`, `1.5T`, `128k`, `64Ki`; B is a billion
  integer,   ///< as `count`, and must be whole
  bytes,     ///< `80GB`, `80GiB`, `4096`; B is bytes
  rate,      ///< bytes per second: `400GB/s`, `50e9`
  duration,  ///< seconds: `30d`, `6mo`, `90min`, `3600`, `20h`; a month is 730.5 h
  money,     ///< US dollars: `$2.10`, `2.1`, `1.5M`, `117M$`
  fraction,  ///< `0.45`, `45%`
  number,    ///< a plain number such as `1.25`
};

/// Parses all of `text`. Refuses nan, inf, hexadecimal, negative values, trailing characters and
/// numbers outside the range of a double with an Error (kind usage) that quotes the text and shows
/// examples of what is allowed. Result in base units.
double parse_number(std::string_view text, NumberKind kind);

/// Formats a number for people, with three significant digits by default: `10.0B`, `1.20e+25`
/// beyond the largest unit, `5.57e-08` below 1e-5, `80 GB`, `30.0 d`, `$1.23M`, `45.0%`. Never
/// locale dependent.
std::string format_number(double value, NumberKind kind, int significant = 3);

/// The shortest text that parses back to the same double, `.` as decimal point, no thousands
/// separator, integers without exponent up to 2^53. The value has to be finite.
std::string format_exact(double value);

/// `1,234,567.8`.
std::string grouped(double value, int decimals);

/// Formats a unit price in cents, or with up to four decimals where cents differ by over 0.4%:
/// `$2.82`, `$0.0826`.
std::string unit_money(double usd);
/// Returns it with the digits that reproduce an amount in a bill: `$4.675`.
std::string billed_unit_money(double usd);
/// Returns it with all digits that a price has, for formulas that are recomputed.
std::string exact_unit_money(double usd);

/// Appends format_exact() of a number.
void append_exact(std::string& out, double value);

/// An image size written `1920x1080`.
struct PixelSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

/// Parses `WxH`, or the one side of a square, each 1 to 1e6 pixels. Throws Error (usage).
PixelSize parse_pixel_size(std::string_view text);

}  // namespace trcost
