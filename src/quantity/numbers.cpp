// SPDX-License-Identifier: Apache-2.0
#include "trcost/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>

#include "quantity/layers.h"
#include "quantity/quantity.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::quantity {

namespace {

struct Unit {
  std::string_view suffix;
  double factor;
};

constexpr double kKi = 1024.0;
constexpr Unit kCountUnits[] = {{"k", 1e3},  {"K", 1e3},       {"M", 1e6},           {"G", 1e9},
                                {"B", 1e9},  {"bn", 1e9},      {"T", 1e12},          {"P", 1e15},
                                {"Ki", kKi}, {"Mi", kKi* kKi}, {"Gi", kKi* kKi* kKi}};
constexpr Unit kByteUnits[] = {{"B", 1},
                               {"kB", 1e3},
                               {"KB", 1e3},
                               {"MB", 1e6},
                               {"GB", 1e9},
                               {"TB", 1e12},
                               {"PB", 1e15},
                               {"KiB", kKi},
                               {"MiB", kKi* kKi},
                               {"GiB", kKi* kKi* kKi},
                               {"TiB", kKi* kKi* kKi* kKi},
                               {"k", 1e3},
                               {"M", 1e6},
                               {"G", 1e9},
                               {"T", 1e12},
                               {"Ki", kKi},
                               {"Mi", kKi* kKi},
                               {"Gi", kKi* kKi* kKi}};
constexpr Unit kDurationUnits[] = {{"ms", 1e-3},
                                   {"s", 1},
                                   {"sec", 1},
                                   {"secs", 1},
                                   {"second", 1},
                                   {"seconds", 1},
                                   {"min", 60},
                                   {"m", 60},
                                   {"mins", 60},
                                   {"minute", 60},
                                   {"minutes", 60},
                                   {"h", 3600},
                                   {"hr", 3600},
                                   {"hrs", 3600},
                                   {"hour", 3600},
                                   {"hours", 3600},
                                   {"d", 86400},
                                   {"day", 86400},
                                   {"days", 86400},
                                   {"w", 604800},
                                   {"wk", 604800},
                                   {"week", 604800},
                                   {"weeks", 604800},
                                   {"mo", kHoursPerMonth * 3600},
                                   {"month", kHoursPerMonth * 3600},
                                   {"months", kHoursPerMonth * 3600},
                                   {"y", kHoursPerYear * 3600},
                                   {"yr", kHoursPerYear * 3600},
                                   {"year", kHoursPerYear * 3600},
                                   {"years", kHoursPerYear * 3600}};
constexpr Unit kMoneyUnits[] = {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"bn", 1e9}};

struct Kind {
  std::string_view what;
  std::string_view examples;
  std::span<const Unit> units;
};

Kind kind_info(NumberKind kind) {
  switch (kind) {
    case NumberKind::count:
      return {"a count", "10e9, 10B, 1.5T, 128k", kCountUnits};
    case NumberKind::integer:
      return {"a whole number", "8, 4096, 16k", kCountUnits};
    case NumberKind::bytes:
      return {"a size", "80GB, 80GiB, 4096", kByteUnits};
    case NumberKind::rate:
      return {"a rate", "400GB/s, 50e9", kByteUnits};
    case NumberKind::duration:
      return {"a duration", "30d, 6mo, 90min, 20h", kDurationUnits};
    case NumberKind::money:
      return {"an amount of dollars", "2.10, $2.10, 1.5M", kMoneyUnits};
    case NumberKind::fraction:
      return {"a fraction", "0.45, 45%", {}};
    case NumberKind::number:
      break;
  }
  return {"a number", "1.25, 2e3", {}};
}

// At most this much of what was typed is quoted back.
constexpr std::size_t kQuotedLength = 60;

[[noreturn]] void refuse(std::string_view text, const Kind& kind, std::string_view why) {
  const std::string shown = text.size() > kQuotedLength
                                ? std::string(text.substr(0, kQuotedLength)) + "..."
                                : std::string(text);
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not {}: {}", shown, kind.what, why),
              fmt::format("write it like {}", kind.examples));
}

double unit_factor(std::string_view suffix, std::string_view text, const Kind& kind,
                   NumberKind number_kind) {
  if (number_kind == NumberKind::rate && suffix.ends_with("/s")) suffix.remove_suffix(2);
  if (number_kind == NumberKind::fraction && suffix == "%") return 0.01;
  if (suffix.empty()) return 1;
  for (const Unit& unit : kind.units) {
    if (unit.suffix == suffix) return unit.factor;
  }
  std::string known;
  for (const Unit& unit : kind.units)
    known += (known.empty() ? "" : " ") + std::string(unit.suffix);
  refuse(text, kind,
         known.empty() ? fmt::format("unknown unit \"{}\"", suffix.substr(0, kQuotedLength))
                       : fmt::format("unknown unit \"{}\" (known: {})",
                                     suffix.substr(0, kQuotedLength), known));
}

}  // namespace

}  // namespace trcost::quantity

namespace trcost {

double parse_number(std::string_view text, NumberKind kind) {
  const Kind info = kind_info(kind);
  std::string_view rest = trim(text);
  if (kind == NumberKind::money) {
    if (rest.starts_with('$')) rest.remove_prefix(1);
    if (rest.ends_with('$')) rest.remove_suffix(1);
    rest = trim(rest);
  }
  if (rest.empty()) refuse(text, info, "it is empty");
  if (rest.front() == '-') refuse(text, info, "negative values are not allowed");
  if (rest.front() == '+') refuse(text, info, "write it without a sign");
  if (rest.front() != '.' && (rest.front() < '0' || rest.front() > '9')) {
    refuse(text, info, "it does not start with a digit");
  }
  double value = 0;
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (status == std::errc::result_out_of_range) refuse(text, info, "outside the range of numbers");
  if (status != std::errc()) refuse(text, info, "it is not a number");
  const std::string_view suffix = trim(rest.substr(static_cast<std::size_t>(end - rest.data())));
  if (value == 0 && !suffix.empty() && (suffix.front() == 'x' || suffix.front() == 'X')) {
    refuse(text, info, "hexadecimal is not allowed");
  }
  if (!suffix.empty() && suffix.front() == ',') {
    refuse(text, info, "one number is wanted, without separators (sweep --vary tries several)");
  }
  value *= unit_factor(suffix, text, info, kind);
  if (!std::isfinite(value)) refuse(text, info, "outside the range of numbers");
  if (kind == NumberKind::integer && value != std::floor(value)) {
    refuse(text, info, "it has a fraction");
  }
  // 16.6T x 1e12 leaves rounding noise behind the decimal point that nobody wrote.
  if (kind == NumberKind::count && value >= 1 &&
      std::abs(value - std::round(value)) < 1e-9 * value) {
    value = std::round(value);
  }
  return value;
}

PixelSize parse_pixel_size(std::string_view text) {
  constexpr double kLargestSide = 1e6;
  const std::string_view trimmed = trim(text);
  const std::size_t x = trimmed.find_first_of("xX");
  const auto refuse_size = [&](std::string_view why) {
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" is not an image size: {}", text.substr(0, kQuotedLength), why),
                "write width x height in pixels, like 1920x1080, or the one side of a square");
  };
  PixelSize size;
  const auto side = [&](std::string_view part) -> std::int64_t {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (status != std::errc() || end != part.data() + part.size()) {
      refuse_size("its sides have to be whole numbers of pixels");
    }
    if (value < 1 || static_cast<double>(value) > kLargestSide) {
      refuse_size("a side has to be from 1 to 1000000 pixels");
    }
    return value;
  };
  size.width = side(trimmed.substr(0, x));
  size.height = x == std::string_view::npos ? size.width : side(trimmed.substr(x + 1));
  return size;
}

}  // namespace trcost
