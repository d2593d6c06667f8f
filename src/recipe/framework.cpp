// SPDX-License-Identifier: Apache-2.0
#include "recipe/framework.h"

#include <fmt/core.h>

#include <algorithm>

#include "catalog/data/data_file.h"
#include "quantity/suggest.h"

namespace trcost::recipe {
namespace {

Variables read_variables(ObjectReader object) {
  Variables out;
  for (const std::string& key : object.keys()) {
    const JsonValue value = object.required_value(key);
    out[key] = value.text();
  }
  return out;
}

// A rule is the name of a variable, or an object of values with their variables. "=" names the
// variable that takes the value as it is, "report" the reason for a report.
KeyRule read_rule(const JsonValue& value) {
  KeyRule rule;
  if (value.is_text()) {
    rule.variable = value.text();
    return rule;
  }
  ObjectReader object = value.object();
  for (const std::string& key : object.keys()) {
    if (key == "=") {
      rule.variable = object.required_text(key);
    } else if (key == "report") {
      rule.report = object.required_text(key);
    } else {
      rule.values[lower_case(key)] = read_variables(object.required_object(key));
    }
  }
  return rule;
}

void add_table(const DataFolder& data, std::string_view name, FrameworkTable& out) {
  ObjectReader file = read_data_file(data, fmt::format("recipes/{}.json", name)).object();
  file.accept("schema_version");
  file.accept("note");
  const std::string source = file.text_or("source", {});
  if (out.source.empty()) out.source = source;
  if (const std::string group = file.text_or("group", {}); out.group.empty()) out.group = group;
  const std::vector<std::string> see = file.texts_or_empty("see");
  if (std::optional<ObjectReader> defaults = file.optional_object("defaults")) {
    out.defaults.merge(read_variables(*defaults));
  }
  if (std::optional<ObjectReader> fixed = file.optional_object("fixed")) {
    out.fixed.merge(read_variables(*fixed));
  }
  if (std::optional<ObjectReader> keys = file.optional_object("keys")) {
    for (const std::string& key : keys->keys()) {
      out.keys.emplace_back(key, read_rule(keys->required_value(key)));
    }
  }
  for (std::string& each : file.texts_or_empty("harmless")) out.harmless.push_back(std::move(each));
  file.finish();
  for (const std::string& each : see) add_table(data, each, out);
}

// A key of the facts, or `key=text` with a pattern of the value.
bool has_sign(std::string_view sign, const Facts& facts) {
  const std::size_t equals = sign.find('=');
  const std::string_view key = sign.substr(0, equals);
  return std::ranges::any_of(facts, [&](const Fact& fact) {
    if (!fits_pattern(key, fact.key)) return false;
    return equals == sign.npos || fits_pattern(sign.substr(equals + 1), fact.value);
  });
}

struct SignedName {
  std::string name;
  bool part = false;
};

std::optional<SignedName> first_signed(const DataFolder& data, std::string_view list,
                                       const Facts& facts) {
  ObjectReader file = read_data_file(data, "recipes/frameworks.json").object();
  for (const JsonValue& value : file.required_value(list).array()) {
    ObjectReader row = value.object();
    for (const JsonValue& signs : row.required_value("signs").array()) {
      const std::vector<JsonValue> all = signs.array();
      if (std::ranges::all_of(all, [&](const JsonValue& s) { return has_sign(s.text(), facts); })) {
        return SignedName{row.required_text("name"), row.boolean_or("part", false)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool fits_pattern(std::string_view pattern, std::string_view key) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == key;
  if (!key.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= key.size(); ++at) {
    if (fits_pattern(rest, key.substr(at))) return true;
  }
  return false;
}

FrameworkTable load_framework(const DataFolder& data, std::string_view name) {
  FrameworkTable out;
  out.name = name;
  add_table(data, name, out);
  return out;
}

std::optional<Recognised> recognise(const DataFolder& data, const Facts& facts) {
  const auto found = first_signed(data, "frameworks", facts);
  if (!found) return std::nullopt;
  return Recognised{found->name, found->part};
}

std::string recognise_wrapper(const DataFolder& data, const Facts& facts) {
  const auto found = first_signed(data, "wrappers", facts);
  return found ? found->name : std::string();
}

}  // namespace trcost::recipe
