// SPDX-License-Identifier: Apache-2.0
#include "trcost/scenario.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "quantity/suggest.h"
#include "scenario/fields.h"

namespace trcost::scenario {
namespace {

void check_range(const FieldInfo& info, double value, std::string_view location) {
  const bool low = excludes_zero(info) ? value <= 0 : value < info.lowest;
  if (!std::isfinite(value) || low || value > info.highest) {
    constexpr double kFewestPercent = 2;  // 1.4 is a wrong share, not 1.4%
    std::string hint;
    if (info.kind == FieldKind::fraction && value >= kFewestPercent && value > info.highest &&
        value <= 100 * info.highest) {
      hint = fmt::format("write {:.6g} or {:.6g}%. ", value / 100, value);
    } else if (info.field == Field::cost_price_per_gpu_hour && value == 0) {
      hint = "leave it out to see hours alone: they do not depend on the price. ";
    } else if (info.field == Field::model_params && value > 0 && value < info.lowest) {
      hint = fmt::format("write {}B for billions. ", format_exact(value));
    }
    throw Error(ErrorKind::usage,
                fmt::format("{} is outside the allowed range",
                            std::isfinite(value) ? format_exact(value) : std::string("the value")),
                fmt::format("{}{} has to be {}", hint, info.flag, allowed_range(info)),
                std::string(location));
  }
  constexpr double kFewTokens = 1000;
  if (info.field == Field::data_tokens && value < kFewTokens && value != std::floor(value)) {
    throw Error(ErrorKind::usage, fmt::format("{} is not a number of tokens", format_exact(value)),
                fmt::format("write {0}T for trillions or {0}B for billions", format_exact(value)),
                std::string(location));
  }
  if (info.kind == FieldKind::integer && value != std::floor(value)) {
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
  return number_or(field, default_number(field));
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
  for (const std::string_view part : split_text(text(field), ",")) {
    if (const std::string_view name = trim(part); !name.empty()) out.emplace_back(name);
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
    const auto i = static_cast<std::size_t>(field);
    return values_[i] == other.values_[i];
  });
}

bool Scenario::same_values(const Scenario& other) const {
  return distributions_.empty() && other.distributions_.empty() && values_ == other.values_;
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
