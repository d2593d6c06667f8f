// SPDX-License-Identifier: Apache-2.0
#include "trcost/scenario.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "scenario/fields.h"
#include "trcost/error.h"

namespace trcost::scenario {
namespace {

// `45` where 45 % was meant.
std::string percent_hint(const FieldInfo& info, double value) {
  constexpr double kFewestPercent = 2;  // 1.4 is a wrong share, not 1.4%
  const bool percent = info.kind == FieldKind::fraction && value >= kFewestPercent &&
                       value > info.highest && value <= 100 * info.highest;
  return percent ? fmt::format("write {:.6g} or {:.6g}%; ", value / 100, value) : std::string();
}

// A price of 0, where there is none to pay.
std::string_view free_hint(const FieldInfo& info, double value) {
  const bool free = info.field == Field::cost_price_per_gpu_hour && value == 0;
  return free ? "leave it out to see hours alone: they do not depend on the price; " : "";
}

// `--params 10` where 10B was meant.
std::string billions_hint(const FieldInfo& info, double value) {
  const bool few = info.field == Field::model_params && value > 0 && value < info.lowest;
  return few ? fmt::format("write {}B for billions; ", format_exact(value)) : std::string();
}

void check_range(const FieldInfo& info, double value, std::string_view location) {
  const bool low = excludes_zero(info) ? value <= 0 : value < info.lowest;
  if (!std::isfinite(value) || low || value > info.highest) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} is outside the allowed range",
                    std::isfinite(value) ? format_exact(value) : std::string("the value")),
        fmt::format("{}{}{}{} has to be {}", percent_hint(info, value), free_hint(info, value),
                    billions_hint(info, value), info.flag, allowed_range(info)),
        std::string(location));
  }
  constexpr double kFewTokens = 1000;
  if (info.field == Field::data_tokens && value < kFewTokens && value != std::floor(value)) {
    throw Error(ErrorKind::usage, fmt::format("{} is not a number of tokens", format_exact(value)),
                fmt::format("write {0}T for trillions or {0}B for billions", format_exact(value)),
                std::string(location));
  }
  const bool whole = info.kind == FieldKind::integer;
  if (whole && value != std::floor(value)) {
    throw Error(ErrorKind::usage, fmt::format("{} has to be a whole number", info.path),
                fmt::format("write {} or {}", std::floor(value), std::ceil(value)),
                std::string(location));
  }
}

}  // namespace

}  // namespace trcost::scenario

namespace trcost {

void Scenario::set_number(const FieldInfo& info, double value, std::string_view location) {
  if (!is_numeric(info.kind)) {
    if (info.kind == FieldKind::flag && (value == 0 || value == 1)) {
      set(info, value == 1 ? "on" : "off", location);
      return;
    }
    throw Error(ErrorKind::usage, fmt::format("{} takes a word, not a number", info.path),
                info.choices.empty() ? "" : fmt::format("allowed: {}", info.choices),
                std::string(location));
  }
  check_range(info, value, location);
  clear(info.field);
  Value& slot = values_[static_cast<std::size_t>(info.field)];
  slot.set = true;
  slot.number = value;
}

void Scenario::set_number(Field field, double value) {
  const FieldInfo& info = field_info(field);
  set_number(info, value, info.path);
}

void Scenario::set_text(Field field, std::string_view text) {
  const FieldInfo& info = field_info(field);
  set(info, text, info.path);
}

void Scenario::clear(Field field) {
  Value& slot = values_[static_cast<std::size_t>(field)];
  slot.set = false;
  slot.text.clear();
  if (!distributions_.empty()) {
    std::erase_if(distributions_, [&](const auto& entry) { return entry.first == field; });
  }
}

void Scenario::clear_excluded_by(Field field) {
  for (const auto& [a, b] : exclusive_fields()) {
    if (a == field) clear(b);
    if (b == field) clear(a);
  }
}

bool Scenario::has(Field field) const {
  return values_[static_cast<std::size_t>(field)].set;
}

std::optional<double> Scenario::number(Field field) const {
  const Value& slot = values_[static_cast<std::size_t>(field)];
  return slot.set ? std::optional<double>(slot.number) : std::nullopt;
}

double Scenario::number_or_default(Field field) const {
  const Value& slot = values_[static_cast<std::size_t>(field)];
  if (slot.set) return slot.number;
  return default_number(field);
}

double Scenario::number_or(Field field, double otherwise) const {
  const Value& slot = values_[static_cast<std::size_t>(field)];
  return slot.set ? slot.number : otherwise;
}

std::string_view Scenario::text(Field field) const {
  const Value& slot = values_[static_cast<std::size_t>(field)];
  return slot.set ? std::string_view(slot.text) : field_info(field).fallback;
}

bool Scenario::flag(Field field) const {
  return text(field) == "on";
}

std::vector<std::string> Scenario::names(Field field) const {
  std::vector<std::string> out;
  std::string_view rest = text(field);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view name = rest.substr(0, comma);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (!name.empty()) out.emplace_back(name);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return out;
}

std::optional<PixelSize> Scenario::size(Field field) const {
  const std::string_view written = text(field);
  if (written.empty()) return std::nullopt;
  return parse_pixel_size(written);
}

const Distribution* Scenario::distribution(Field field) const {
  for (const auto& [of, distribution] : distributions_) {
    if (of == field) return &distribution;
  }
  return nullptr;
}

bool Scenario::equal(const Scenario& other, std::span<const Field> fields) const {
  return std::ranges::all_of(fields, [&](Field field) {
    const Value& a = values_[static_cast<std::size_t>(field)];
    const Value& b = other.values_[static_cast<std::size_t>(field)];
    return a.set == b.set && (!a.set || (a.number == b.number && a.text == b.text));
  });
}

bool Scenario::same_values(const Scenario& other) const {
  const auto same = [](const Value& a, const Value& b) {
    return a.set == b.set && (!a.set || (a.number == b.number && a.text == b.text));
  };
  return distributions_.empty() && other.distributions_.empty() &&
         std::ranges::equal(values_, other.values_, same);
}

Scenario Scenario::without_stages() const {
  Scenario out;
  out.values_ = values_;
  out.distributions_ = distributions_;
  return out;
}

std::uint64_t Scenario::digest(std::span<const Field> fields) const {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  std::uint64_t digest = 0;
  for (const Field field : fields) {
    const Value& value = values_[static_cast<std::size_t>(field)];
    digest = (digest << 1U) | (digest >> 63U);
    if (!value.set) continue;
    std::uint64_t bits = std::bit_cast<std::uint64_t>(value.number) + 1;
    for (const char c : value.text) bits = bits * 31 + static_cast<unsigned char>(c);
    bits ^= bits >> 32U;
    digest = (digest ^ bits) * kMix;
  }
  return digest ^ (digest >> 29U);
}

void refuse_exclusive(const Scenario& scenario, ErrorKind kind, std::string_view where) {
  for (const auto& [a, b] : exclusive_fields()) {
    if (!scenario.has(a) || !scenario.has(b)) continue;
    throw Error(kind,
                fmt::format("{} and {} exclude each other", field_info(a).flag, field_info(b).flag),
                "keep one of them", std::string(where));
  }
}

Scenario stage_scenario(const Scenario& base, const Scenario::Stage& stage) {
  Scenario out = base.without_stages();
  for (const FieldInfo& info : fields()) {
    if (!stage.overrides.has(info.field)) continue;
    if (const Distribution* distribution = stage.overrides.distribution(info.field)) {
      out.set_distribution(info, *distribution, info.path);
    } else if (is_numeric(info.kind)) {
      out.set_number(info, *stage.overrides.number(info.field), info.path);
    } else {
      out.set(info, stage.overrides.text(info.field), info.path);
    }
  }
  return out;
}

}  // namespace trcost
