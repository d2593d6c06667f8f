// SPDX-License-Identifier: Apache-2.0
// Scenarios that the command line accepts, sensible or not: any field may be set, to any value of
// its range. One seed is one scenario on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::random {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}
  double share() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  bool one_in(double n) { return share() * n < 1; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(generator_() % n); }
  /// Evenly over the logarithm.
  double between(double low, double high) { return low * std::pow(high / low, share()); }
  const std::string& of(const std::vector<std::string>& all) { return all[below(all.size())]; }

 private:
  std::mt19937_64 generator_;
};

/// Names that a text field takes; empty for one that is not of the catalog.
inline const std::vector<std::string>& names_of(Field field, const Catalog& catalog) {
  static const std::vector<std::string> none;
  static const auto models = catalog.names(CatalogKind::models);
  static const auto chips = catalog.names(CatalogKind::accelerators);
  static const auto encoders = catalog.names(CatalogKind::encoders);
  static const auto stacks = catalog.names(CatalogKind::stacks);
  switch (field) {
    case Field::model_name:
      return models;
    case Field::model_vision_encoder:
      return encoders;
    case Field::hardware_accelerator:
      return chips;
    case Field::efficiency_stack:
      return stacks;
    default:
      return none;
  }
}

inline std::string decimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

/// A value within the field's range: mostly near the small end of it, sometimes an end itself.
inline std::string number_text(const FieldInfo& info, Dice& dice) {
  const bool whole = info.kind == FieldKind::integer || info.kind == FieldKind::count;
  const double low = std::max(info.lowest, whole ? 1.0 : 1e-3);
  const double high = std::max(low, std::min(info.highest, whole ? 1e15 : 1e9));
  if (dice.one_in(40)) return decimal(dice.one_in(2) ? info.lowest : info.highest);
  const double top = dice.one_in(8) ? high : std::min(high, low * (whole ? 64 : 1000));
  const double value = dice.between(low, top);
  return decimal(whole ? std::floor(value) : value);
}

inline std::string value_text(const FieldInfo& info, const Catalog& catalog, Dice& dice) {
  if (is_numeric(info.kind)) return number_text(info, dice);
  if (info.kind == FieldKind::choice) return dice.of(field_choices(info));
  if (info.kind == FieldKind::flag) return dice.one_in(2) ? "on" : "off";
  if (info.kind == FieldKind::size) {
    return std::to_string(1 + dice.below(4096)) + "x" + std::to_string(1 + dice.below(4096));
  }
  const auto& names = names_of(info.field, catalog);
  return names.empty() ? std::string() : dice.of(names);
}

/// Sets the fields that most questions set, then any other field once in `rarely`.
inline Scenario scenario(const Catalog& catalog, std::uint64_t seed, double rarely = 25) {
  Dice dice(seed);
  Scenario out;
  const auto set = [&](Field field, double value) {
    out.set_number(field_info(field), std::floor(value), "random");
  };
  if (dice.one_in(2)) {
    set(Field::model_params, dice.between(1e8, 4e11));
  } else {
    out.set_text(Field::model_name, dice.of(names_of(Field::model_name, catalog)));
  }
  out.set_text(Field::hardware_accelerator,
               dice.of(names_of(Field::hardware_accelerator, catalog)));
  if (!dice.one_in(5)) set(Field::hardware_gpus, dice.between(1, dice.one_in(9) ? 1e6 : 4096));
  if (!dice.one_in(4)) set(Field::data_tokens, dice.between(1e8, dice.one_in(9) ? 1e16 : 2e13));
  for (const FieldInfo& info : fields()) {
    if (!dice.one_in(rarely) || out.has(info.field)) continue;
    const std::string text = value_text(info, catalog, dice);
    if (text.empty()) continue;
    out.clear_excluded_by(info.field);
    out.set(info, text, info.flag);
  }
  return out;
}

}  // namespace trcost::random
