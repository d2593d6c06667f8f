// SPDX-License-Identifier: Apache-2.0
// Parsers of the values of fields.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "scenario/words.h"
#include "trcost/error.h"

namespace trcost::scenario {

namespace {

constexpr std::size_t kLongestText = 4096;  // longest path of common file systems
constexpr double kWidestSigma = 3;          // 95 % within a factor of 400 either way
constexpr double kLeastDeviations = 3;      // of a normal distribution from 0

// With F the share below the mode: low + sqrt((high - low)(mode - low) / 2) if F is a half or more,
// else high - sqrt((high - low)(high - mode) / 2).
double triangular_median(double low, double high, double mode) {
  const double width = high - low;
  return mode - low >= width / 2 ? low + std::sqrt(width * (mode - low) / 2)
                                 : high - std::sqrt(width * (high - mode) / 2);
}

std::string checked_text(const FieldInfo& info, std::string_view text) {
  if (text.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{} is empty", info.path),
                fmt::format("{}: {}", info.flag, info.help));
  }
  if (text.size() > kLongestText) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is longer than {} characters", info.path, kLongestText));
  }
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
    throw Error(ErrorKind::usage, fmt::format("{} has control characters in it", info.path));
  }
  return std::string(text);
}

std::string checked_choice(const FieldInfo& info, std::string_view text) {
  if (std::string choice = choice_of_word(info, text); !choice.empty()) return choice;
  const std::vector<std::string> allowed = field_choices(info);
  constexpr std::size_t kQuotedLength = 60;
  std::string hint(advice_on_word(info.field, text));
  if (!hint.empty()) hint += ";";
  if (hint.empty()) hint = did_you_mean(text, allowed);
  hint += fmt::format("{}allowed: {}", hint.empty() ? "" : " ", fmt::join(allowed, ", "));
  throw Error(ErrorKind::usage,
              fmt::format("\"{}\" is not a value of {}", text.substr(0, kQuotedLength), info.flag),
              hint);
}

// Names separated by commas, each once; of a field with words of its own, those.
std::string checked_list(const FieldInfo& info, std::string_view text) {
  const std::string written = checked_text(info, text);
  std::vector<std::string> names;
  for (const std::string_view part : split_text(written, ",")) {
    const std::string_view name = trim(part);
    if (name.empty()) {
      throw Error(ErrorKind::usage, "there is an empty name in the list",
                  "write names separated by commas, like h100-sxm,b200");
    }
    names.push_back(info.choices.empty() ? std::string(name) : checked_choice(info, name));
    if (std::ranges::find(names, names.back()) != names.end() - 1) {
      throw Error(ErrorKind::usage, fmt::format("\"{}\" stands twice in the list", name),
                  "name each one once");
    }
  }
  return info.choices.empty() ? written : fmt::format("{}", fmt::join(names, ","));
}

std::string checked_flag(const FieldInfo& info, std::string_view text) {
  const auto is = [&](std::string_view word) { return same_folded(word, text); };
  if (is("on") || is("true") || is("yes") || text == "1") return "on";
  if (is("off") || is("false") || is("no") || text == "0") return "off";
  throw Error(ErrorKind::usage,
              fmt::format("\"{}\" is not a value of {}", text.substr(0, 60), info.flag),
              "allowed: on, off");
}

// `text` is LOW..HIGH.
void check_range(const FieldInfo& info, std::string_view text, double low, double high) {
  const std::string_view from = text.substr(0, text.find(".."));
  const std::string_view to = text.substr(from.size() + 2);
  const std::string message = fmt::format("the range \"{}\" of {} ", text.substr(0, 60), info.path);
  if (low == high) {
    throw Error(ErrorKind::usage, message + "has no width",
                fmt::format("write the one value: {} {}", info.flag, from));
  }
  if (low > high) {
    throw Error(ErrorKind::usage, message + "has its ends swapped",
                fmt::format("write P10..P90: {}..{}", to, from));
  }
  if (!(low > 0)) {
    throw Error(ErrorKind::usage, message + "does not begin above 0",
                "P10..P90 is read as a lognormal, which is never 0: raise the low end");
  }
}

// Refuses a list of numbers. 2,35 and 1,000,000 are one number each, and the hint for 64,128 has
// both readings.
void refuse_list(const FieldInfo& info, std::string_view text, NumberKind kind) {
  const std::vector<std::string_view> parts = split_text(text, ",");
  const auto is_number = [&](std::string_view part) {
    try {
      parse_number(part, kind);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  if (parts.size() < 2 || !std::ranges::all_of(parts, is_number)) return;
  const bool integer = info.kind == FieldKind::integer;
  const bool grouped = std::all_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
    return part.size() == 3 && part.find_first_not_of("0123456789") == part.npos;
  });
  std::string joined;
  for (const std::string_view part : parts) joined += part;
  const auto whole = number_in<double>(joined);
  const bool thousands = grouped && whole && *whole >= info.lowest && *whole <= info.highest;
  const bool decimals = !integer && parts.size() == 2 && number_in<double>(parts.front());
  if (!integer && (thousands || decimals)) return;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is a list, and one number is wanted", text),
              fmt::format("{}for several values: trcost sweep --vary {}={}",
                          thousands ? fmt::format("write {}, or ", joined) : std::string(),
                          info.flag.substr(2), text));
}

}  // namespace

}  // namespace trcost::scenario

namespace trcost {

std::vector<NamedPrice> parse_named_prices(std::string_view text) {
  std::vector<NamedPrice> out;
  for (const std::string_view part : split_text(text, ",")) {
    const std::string_view item = trim(part);
    const std::size_t colon = item.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == item.size()) {
      throw Error(ErrorKind::usage, fmt::format("\"{}\" is not NAME:USD", item.substr(0, 60)),
                  "write h100-sxm:2.35,b200:4.10, or one price for all");
    }
    NamedPrice price{std::string(trim(item.substr(0, colon))), 0};
    price.usd = parse_number(item.substr(colon + 1), NumberKind::money);
    const FieldInfo& one = field_info(Field::cost_price_per_gpu_hour);
    if (price.usd <= 0 || price.usd > one.highest) {
      throw Error(
          ErrorKind::usage,
          fmt::format("the price of {} is outside the allowed range", price.name.substr(0, 60)),
          allowed_range(one));
    }
    for (const NamedPrice& other : out) {
      if (same_name(other.name, price.name)) {
        throw Error(ErrorKind::usage, fmt::format("{} has two prices", price.name.substr(0, 60)),
                    "keep one of them");
      }
    }
    out.push_back(std::move(price));
  }
  return out;
}

void Scenario::set(const FieldInfo& info, std::string_view text, std::string_view location) {
  // One price, or one per accelerator.
  if (info.field == Field::cost_price_per_gpu_hour && text.find(':') != text.npos) {
    clear(info.field);
    return set(field_info(Field::cost_prices), text, location);
  }
  try {
    if (info.field == Field::cost_prices) parse_named_prices(text);
    if (is_numeric(info.kind)) {
      const bool rate = info.kind == FieldKind::bytes && info.unit.ends_with("/s");
      const NumberKind kind = rate ? NumberKind::rate : number_kind(info.kind);
      refuse_list(info, text, kind);
      const std::size_t dots = text.find("..");
      if (dots == std::string_view::npos) {
        set_number(info, parse_number(text, kind), location);
        return;
      }
      const double low = parse_number(text.substr(0, dots), kind);
      const double high = parse_number(text.substr(dots + 2), kind);
      check_range(info, text, low, high);
      set_number(info, low, location);
      set_number(info, high, location);
      // The ends are P10 and P90 of a lognormal, the shape that prices and efficiencies have.
      const double sigma = portable_log(high / low) / (2 * kNormalP90);
      set_distribution(info, {Distribution::Kind::lognormal, std::sqrt(low * high), sigma, 0},
                       location);
      return;
    }
    std::string value;
    switch (info.kind) {
      case FieldKind::choice:
        value = checked_choice(info, text);
        break;
      case FieldKind::flag:
        value = checked_flag(info, text);
        break;
      case FieldKind::size: {
        const PixelSize size = parse_pixel_size(text);
        value = fmt::format("{}x{}", size.width, size.height);
        break;
      }
      case FieldKind::list:
        value = checked_list(info, text);
        break;
      default:
        value = checked_text(info, text);
        break;
    }
    clear(info.field);
    Value& slot = values_[static_cast<std::size_t>(info.field)];
    slot.set = true;
    slot.text = std::move(value);
    slot.number = slot.text == "on" ? 1 : 0;
  } catch (const Error& error) {
    if (!error.location.empty()) throw;
    throw Error(error.kind, error.message, error.hint, std::string(location));
  }
}

void Scenario::set_distribution(const FieldInfo& info, const Distribution& distribution,
                                std::string_view location) {
  const auto refuse = [&](std::string message, std::string hint) {
    throw Error(ErrorKind::usage, std::move(message), std::move(hint), std::string(location));
  };
  if (!is_numeric(info.kind)) refuse(fmt::format("{} is not a number", info.path), "");
  const double a = distribution.a;
  const double b = distribution.b;
  double middle = a;
  using Kind = Distribution::Kind;
  if (distribution.kind == Kind::lognormal || distribution.kind == Kind::normal) {
    if (!(a > 0) || !(b > 0) || !std::isfinite(b)) {
      refuse(fmt::format("{}: centre and spread have to be above 0", info.path), "");
    }
    if (distribution.kind == Kind::lognormal && b > kWidestSigma) {
      refuse(
          fmt::format("{}: P10 and P90 of a lognormal of sigma {} are a factor of e^{:.3g} apart",
                      info.path, format_exact(b), 2 * kNormalP90 * b),
          fmt::format("sigma is the standard deviation of ln({}): at most {}", info.path,
                      kWidestSigma));
    }
    if (distribution.kind == Kind::normal && a <= kLeastDeviations * b) {
      refuse(fmt::format("{}: a normal distribution of mean {} and sd {} reaches 0", info.path,
                         format_exact(a), format_exact(b)),
             "its mean has to be above 3 sd. A lognormal (median, sigma) has no such limit");
    }
  } else {
    if (!(a > 0)) {
      refuse(fmt::format("{}: the low end {} is not above 0", info.path, format_exact(a)),
             "raise it: no uncertain input may reach 0");
    }
    if (!(a < b)) {
      refuse(fmt::format("{}: the low end {} is not below the high end {}", info.path,
                         format_exact(a), format_exact(b)),
             "swap them");
    }
    const bool triangular = distribution.kind == Kind::triangular;
    if (triangular && (distribution.c < a || distribution.c > b)) {
      refuse(fmt::format("{}: the mode is not between low and high", info.path), "");
    }
    middle = triangular ? triangular_median(a, b, distribution.c) : (a + b) / 2;
    set_number(info, a, location);
    set_number(info, b, location);
  }
  set_number(info, info.kind == FieldKind::integer ? std::round(middle) : middle, location);
  distributions_.emplace_back(info.field, distribution);
}

}  // namespace trcost
