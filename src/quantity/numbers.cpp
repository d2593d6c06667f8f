// SPDX-License-Identifier: Apache-2.0
#include "trcost/numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "quantity/currency.h"
#include "quantity/layers.h"
#include "quantity/quantity.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::quantity {

namespace {

// A unit, and its spellings.
struct Unit {
  std::string_view suffixes;
  double factor;
};

constexpr double kKi = 1024.0;
constexpr Unit kCountUnits[] = {
    {"k K thousand", 1e3},  {"M m million", 1e6}, {"G g B b bn billion", 1e9},
    {"T t trillion", 1e12}, {"P", 1e15},          {"Ki", kKi},
    {"Mi", kKi* kKi},       {"Gi", kKi* kKi* kKi}};
constexpr Unit kByteUnits[] = {{"B", 1},
                               {"kB KB k", 1e3},
                               {"MB M", 1e6},
                               {"GB G", 1e9},
                               {"TB T", 1e12},
                               {"PB", 1e15},
                               {"KiB Ki", kKi},
                               {"MiB Mi", kKi* kKi},
                               {"GiB Gi", kKi* kKi* kKi},
                               {"TiB", kKi* kKi* kKi* kKi}};
constexpr Unit kBitUnits[] = {{"b bit", 1.0 / 8},
                              {"kb kbit", 1e3 / 8},
                              {"Mb Mbit", 1e6 / 8},
                              {"Gb Gbit", 1e9 / 8},
                              {"Tb Tbit", 1e12 / 8}};
constexpr Unit kDurationUnits[] = {{"ms", 1e-3},
                                   {"s sec secs second seconds", 1},
                                   {"m min mins minute minutes", 60},
                                   {"h hr hrs hour hours", 3600},
                                   {"d day days", 86400},
                                   {"w wk week weeks", 604800},
                                   {"mo month months", kHoursPerMonth * 3600},
                                   {"y yr year years", kHoursPerYear * 3600}};
constexpr Unit kMoneyUnits[] = {
    {"k K thousand", 1e3}, {"M m million", 1e6}, {"B b bn billion", 1e9}};

// The unit of a suffix, or null.
const Unit* find_unit(std::span<const Unit> units, std::string_view suffix) {
  const auto found = std::ranges::find_if(units, [&](const Unit& unit) {
    return std::ranges::count(split_text(unit.suffixes, " "), suffix) > 0;
  });
  return found == units.end() ? nullptr : &*found;
}

struct Kind {
  std::string_view what;
  std::string_view examples;  // one of each usual unit
  std::span<const Unit> units;
};

Kind kind_info(NumberKind kind) {
  switch (kind) {
    case NumberKind::count:
      return {"a count", "10e9, 128k, 300M, 10B, 1.5T, 2 trillion", kCountUnits};
    case NumberKind::integer:
      return {"a whole number", "8, 4096, 16k", kCountUnits};
    case NumberKind::bytes:
      return {"a size", "4096, 512MB, 80GB, 80GiB, 1TB", kByteUnits};
    case NumberKind::rate:
      return {"a rate", "50e9, 50GB/s, 400Gb/s, 400Gbps", kByteUnits};
    case NumberKind::duration:
      return {"a duration", "20s, 90min, 20h, 30d, 2w, 6mo, 1y", kDurationUnits};
    case NumberKind::money:
      return {"an amount of dollars", "2.10, $2.10, 50k, 1.5M, 2 million", kMoneyUnits};
    case NumberKind::fraction:
      return {"a fraction", "0.45, 45%", {}};
    case NumberKind::number:
      break;
  }
  return {"a number", "1.25, 2e3", {}};
}

// Longest part of the input that a message quotes.
constexpr std::size_t kQuotedLength = 60;
constexpr double kWholeDollars = 99.995;  // from here on, cents say nothing
constexpr double kSmallestUnit = 0.001;   // below, four decimals say too little

[[noreturn]] void refuse(std::string_view text, const Kind& kind, std::string_view why,
                         std::string hint = {}) {
  const std::string shown = text.size() > kQuotedLength
                                ? std::string(text.substr(0, kQuotedLength)) + "..."
                                : std::string(text);
  if (hint.empty()) hint = fmt::format("write it like {}", kind.examples);
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not {}: {}", shown, kind.what, why),
              std::move(hint));
}

// Refuses what a shell leaves of an amount with a dollar sign that is not in quotes: it replaces $5
// in $5M, $2 in $2.10 and $0 in $0.50.
void refuse_lost_digits(std::string_view text, std::string_view amount, const Kind& kind) {
  const bool lost = amount.front() == '.' || amount.find("sh.") != std::string_view::npos ||
                    find_unit(kMoneyUnits, amount) != nullptr ||
                    (amount.front() == '0' && find_unit(kMoneyUnits, trim(amount.substr(1))));
  if (!lost || text.starts_with('$')) return;
  refuse(text, kind, "the first digits are missing, as when a shell replaces $5 in $5M",
         "write 5M, or '$5M' in quotes. An amount below one dollar is 0.50");
}

// Refuses an amount in another currency.
void refuse_foreign_money(std::string_view text, const Kind& kind) {
  constexpr std::string_view kOthers[] = {"\u20ac", "\u00a3", "\u00a5", "eur",
                                          "gbp",    "chf",    "jpy",    "cny"};
  const std::string lower = lower_case(text);
  const bool foreign = std::ranges::any_of(
      kOthers, [&](std::string_view sign) { return lower.find(sign) != std::string::npos; });
  if (!foreign) return;
  refuse(text, kind, "flags take US dollars",
         "convert it and write dollars, such as 50k or 5M. --currency EUR --rate 0.92 shows the "
         "answer in euros");
}

double unit_factor(std::string_view suffix, std::string_view text, const Kind& kind,
                   NumberKind number_kind) {
  if (number_kind == NumberKind::rate) {
    if (suffix.ends_with("/s") || suffix.ends_with("ps")) suffix.remove_suffix(2);
    if (const Unit* bits = find_unit(kBitUnits, suffix)) return bits->factor;
  }
  if (number_kind == NumberKind::fraction && suffix == "%") return 0.01;
  if (suffix.empty()) return 1;
  if (const Unit* unit = find_unit(kind.units, suffix)) return unit->factor;
  const bool counts = number_kind == NumberKind::count || number_kind == NumberKind::integer;
  if (counts &&
      (suffix == "kB" || suffix == "KB" || suffix == "MB" || suffix == "GB" || suffix == "TB")) {
    refuse(text, kind, fmt::format("{} is a unit of bytes", suffix),
           fmt::format("write {}{}", text.substr(0, text.find(suffix)), suffix.substr(0, 1)));
  }
  const std::string why = fmt::format("unknown unit \"{}\"", suffix.substr(0, kQuotedLength));
  const std::string_view bare = trim(text.substr(0, text.rfind(suffix)));
  constexpr std::size_t kDateLength = std::string_view("2027-01-31").size();
  if (suffix.front() == '-' && text.size() == kDateLength && text[4] == '-' && text[7] == '-') {
    refuse(text, kind, "it is a date");
  }
  if (suffix.front() == '-') {
    refuse(text, kind, why, fmt::format("write a range as {}..{}", bare, trim(suffix.substr(1))));
  }
  if (suffix == "%") {
    if (const auto percent = number_in<double>(bare)) {
      refuse(text, kind, why, fmt::format("write {} for {}%", format_exact(*percent / 100), bare));
    }
  }
  if (counts && suffix.starts_with("b-a")) {
    refuse(text, kind, why, "a mixture of experts needs its shape: --model NAME or config.json");
  }
  if (suffix.front() == '/' || (kind.units.empty() && !find_unit(kDurationUnits, suffix))) {
    refuse(text, kind, why, fmt::format("write {}, without a unit", bare));
  }
  refuse(text, kind, why);
}

// A hint for a number with separators: 2,35 has a decimal comma, 1,000,000 and 1.000.000 group
// thousands. Empty for other numbers, and for a whole one with decimals.
std::string without_separators(std::string_view text, NumberKind kind) {
  constexpr std::size_t kThousands = 3;
  const std::size_t last = text.find_last_of(",.");
  const std::string_view end = text.substr(last + 1);
  const std::size_t digits = std::min(end.find_first_not_of("0123456789"), end.size());
  const bool decimals = text.find_first_of(",.") == last && digits < kThousands;
  if (decimals ? kind == NumberKind::integer : digits != kThousands) return {};
  std::string plain;
  for (const char each : text) {
    if (each != ',' && each != '.') plain += each;
    if (each == ',' && decimals) plain += '.';
  }
  return fmt::format("write {}", plain.substr(0, kQuotedLength));
}

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
// Larger numbers are read by their exponent, not by their digits.
constexpr double kMostWhole = 1e15;
constexpr double kMostDigits = 1e10;

std::string scientific(double value, int significant) {
  return fmt::format("{:.{}e}", value, significant - 1);
}

// The value that `significant` digits show, and its power of ten: 9.9997 is 1.00e1 in three of
// them.
struct Rounded {
  double value;
  int exponent = 0;
};

Rounded rounded(double value, int significant) {
  const std::string text = scientific(value, significant);
  const char* const end = text.data() + text.size();
  Rounded out{value};
  std::from_chars(text.data(), end, out.value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return out;  // infinite
  const char* const sign = text.data() + e + 1;
  std::from_chars(*sign == '+' ? sign + 1 : sign, end, out.exponent);
  return out;
}

// `significant` digits in fixed notation, without an exponent for what tables hold.
std::string significant_digits(double exact, int significant) {
  const auto [value, exponent] = rounded(exact, significant);
  if (value == 0) return "0";
  constexpr int kLeastExponent = -5;
  if (std::abs(value) >= kMostDigits || exponent < kLeastExponent) {
    return scientific(value, significant);
  }
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

// The amount with two to four decimals, as few as change it by at most `tolerance`.
std::string fewest_decimals(double amount, double tolerance) {
  for (const auto& [decimals, unit] : {std::pair(2, 0.01), std::pair(3, 0.001)}) {
    if (std::abs(amount - std::round(amount / unit) * unit) <= tolerance) {
      return grouped(amount, decimals);
    }
  }
  return grouped(amount, 4);
}

}  // namespace

std::string digits(double value) {
  return fmt::format("{:.6g}", value);
}

std::string in_seconds(double value) {
  return digits(value) + " s";
}

}  // namespace trcost::quantity

namespace trcost {

double parse_number(std::string_view text, NumberKind kind) {
  const Kind info = kind_info(kind);
  std::string_view rest = trim(text);
  if (kind == NumberKind::money) {
    refuse_foreign_money(text, info);
    if (rest.starts_with('$')) rest.remove_prefix(1);
    for (const std::string_view dollars : {"$", "USD", "usd"}) {
      if (rest.ends_with(dollars)) rest.remove_suffix(dollars.size());
    }
    rest = trim(rest);
  }
  if (rest.empty()) refuse(text, info, "it is empty");
  if (kind == NumberKind::money) refuse_lost_digits(text, rest, info);
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
  const std::string_view number = rest.substr(0, static_cast<std::size_t>(end - rest.data()));
  const bool several = suffix.starts_with(',') && number.find('.') != std::string_view::npos;
  if (several && kind == NumberKind::money) {
    refuse(text, info, "one price is wanted", "for several platforms, write NAME:USD,NAME:USD");
  }
  if (!suffix.empty() && (suffix.front() == ',' || suffix.front() == '.')) {
    refuse(text, info, "one number is wanted, without separators", without_separators(text, kind));
  }
  value *= unit_factor(suffix, text, info, kind);
  if (!std::isfinite(value)) refuse(text, info, "outside the range of numbers");
  if (kind == NumberKind::integer && value != std::floor(value)) {
    refuse(text, info, "it has a fraction");
  }
  // 16.6T x 1e12 leaves rounding noise behind the decimal point.
  constexpr double kNoise = 1e-15;  // a few last places
  if (kind == NumberKind::count && value >= 1 &&
      std::abs(value - std::round(value)) < kNoise * value) {
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
  const auto side = [&](std::string_view part) {
    const auto value = number_in<std::int64_t>(part);
    if (!value) refuse_size("its sides have to be whole numbers of pixels");
    if (*value < 1 || static_cast<double>(*value) > kLargestSide) {
      refuse_size("a side has to be from 1 to 1000000 pixels");
    }
    return *value;
  };
  size.width = side(trimmed.substr(0, x));
  size.height = x == std::string_view::npos ? size.width : side(trimmed.substr(x + 1));
  return size;
}

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
    case NumberKind::money: {
      const Currency& currency = shown_currency();
      const double amount = value * currency.per_usd;
      if (std::abs(amount) < 1e4 && std::abs(amount) >= 0.1) {
        return currency.sign + grouped(amount, std::abs(amount) < kWholeDollars ? 2 : 0);
      }
      return currency.sign + scaled(amount, kCounts, significant);
    }
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

namespace {

// `close` is the share by which the last digit may be off.
std::string unit_money(double usd, double close) {
  const Currency& currency = shown_currency();
  const double amount = usd * currency.per_usd;
  if (amount != 0 && std::abs(amount) < kSmallestUnit) return format_number(usd, NumberKind::money);
  if (std::abs(amount) >= kWholeDollars) return currency.sign + grouped(amount, 0);
  return currency.sign + fewest_decimals(amount, close * std::abs(amount));
}

}  // namespace

std::string unit_money(double usd) {
  return unit_money(usd, 0.004);
}

std::string billed_unit_money(double usd) {
  return unit_money(usd, 5e-5);
}

std::string exact_unit_money(double usd) {
  constexpr double kNoise = 1e-7;
  const Currency& currency = shown_currency();
  const double amount = usd * currency.per_usd;
  if (currency.per_usd != 1 || std::abs(amount) < kSmallestUnit) return unit_money(usd);
  return currency.sign + fewest_decimals(amount, kNoise);
}

void append_exact(std::string& out, double value) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  char buffer[32];
  const bool integer = value == std::floor(value) && std::abs(value) <= kExactIntegers;
  char* const last = buffer + sizeof buffer;
  out.append(buffer, integer ? std::to_chars(buffer, last, static_cast<long long>(value)).ptr
                             : std::to_chars(buffer, last, value).ptr);
}

std::string format_exact(double value) {
  std::string out;
  append_exact(out, value);
  return out;
}

}  // namespace trcost
