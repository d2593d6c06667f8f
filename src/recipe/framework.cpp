// SPDX-License-Identifier: Apache-2.0
#include "recipe/framework.h"

#include <fmt/core.h>

#include <algorithm>

#include "catalog/data/data_file.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

ValueRule read_value(ObjectReader object) {
  ValueRule out;
  for (const std::string& key : object.keys()) {
    const std::string value = object.required_text(key);
    if (key == "report") {
      out.report = value;
    } else {
      out.variables[key] = value;
    }
  }
  return out;
}

// Names of values that several keys share (`recipes/words.json`).
class SharedWords {
 public:
  explicit SharedWords(const DataFolder& data)
      : file_(read_data_file(data, "recipes/words.json").object()) {
    file_.accept("schema_version");
    file_.accept("note");
  }
  void add_to(KeyRule& rule, std::string_view name) {
    ObjectReader words = file_.required_object(std::string(name));
    for (const std::string& key : words.keys()) add_value(rule, key, words);
  }
  // `a|b` are two values of the same rule.
  static void add_value(KeyRule& rule, const std::string& key, ObjectReader& object) {
    const ValueRule value = read_value(object.required_object(key));
    for (std::string_view rest = key;;) {
      const std::size_t bar = rest.find('|');
      rule.values.emplace_back(lower_case(rest.substr(0, bar)), value);
      if (bar == rest.npos) break;
      rest.remove_prefix(bar + 1);
    }
  }

 private:
  ObjectReader file_;
};

// A rule is the name of a variable, the name of shared words (`@optimizer`), or an object of
// values with their variables. In the object "=" names the variable that takes the value as it is,
// "words" are shared ones, "report" is the reason for a report of other values.
KeyRule read_rule(const JsonValue& value, SharedWords& words) {
  KeyRule rule;
  if (value.is_text()) {
    const std::string text = value.text();
    if (text.starts_with('@')) {
      words.add_to(rule, text.substr(1));
    } else {
      rule.variable = text;
    }
    return rule;
  }
  ObjectReader object = value.object();
  for (const std::string& key : object.keys()) {
    if (key == "=") {
      rule.variable = object.required_text(key);
    } else if (key == "report") {
      rule.report = object.required_text(key);
    } else if (key == "words") {
      words.add_to(rule, object.required_text(key));
    } else {
      SharedWords::add_value(rule, key, object);
    }
  }
  return rule;
}

Variables read_variables(ObjectReader object) {
  return read_value(std::move(object)).variables;
}

// `prefix` stands before each key, as in `model.num_layers` for `num_layers`.
void add_table(const DataFolder& data, std::string_view name, const std::string& prefix,
               SharedWords& words, FrameworkTable& out) {
  ObjectReader file = read_data_file(data, fmt::format("recipes/{}.json", name)).object();
  file.accept("schema_version");
  file.accept("note");
  file.accept("retrieved");
  const std::string source = file.text_or("source", {});
  if (out.source.empty()) out.source = source;
  if (const std::string group = file.text_or("group", {}); out.group.empty()) out.group = group;
  std::vector<std::string> before = file.texts_or_empty("groups_before");
  if (out.groups_before.empty()) out.groups_before = std::move(before);
  const std::vector<std::string> see = file.texts_or_empty("see");
  std::vector<std::pair<std::string, std::vector<std::string>>> under;
  if (std::optional<ObjectReader> see_under = file.optional_object("see_under")) {
    for (const std::string& table : see_under->keys()) {
      under.emplace_back(table, see_under->texts_or_empty(table));
    }
  }
  if (std::optional<ObjectReader> defaults = file.optional_object("defaults")) {
    out.defaults.merge(read_variables(*defaults));
  }
  if (std::optional<ObjectReader> fixed = file.optional_object("fixed")) {
    out.fixed.merge(read_variables(*fixed));
  }
  const auto add = [&](const std::string& typed, const std::optional<KeyRule>& rule) {
    for (std::string_view rest = typed;;) {
      const std::size_t bar = rest.find('|');
      out.keys.emplace_back(prefix + std::string(rest.substr(0, bar)), rule);
      if (bar == rest.npos) break;
      rest.remove_prefix(bar + 1);
    }
  };
  if (std::optional<ObjectReader> keys = file.optional_object("keys")) {
    for (const std::string& key : keys->keys()) {
      add(key, read_rule(keys->required_value(key), words));
    }
  }
  for (const std::string& each : file.texts_or_empty("harmless")) add(each, std::nullopt);
  file.finish();
  if (prefix.empty()) {
    for (const std::string& each : see) add_table(data, each, prefix, words, out);
  }
  for (const auto& [table, prefixes] : under) {
    for (const std::string& each : prefixes) add_table(data, table, each, words, out);
  }
}

// A key of the facts, or `key=text` with a pattern of the value.
bool has_sign(std::string_view sign, const Facts& facts) {
  const std::size_t equals = sign.find('=');
  const std::string_view key = sign.substr(0, equals);
  return std::ranges::any_of(facts, [&](const Fact& fact) {
    if (fact.given == Given::replaced || !fits_pattern(key, fact.key)) return false;
    return equals == sign.npos || fits_pattern(sign.substr(equals + 1), fact.value);
  });
}

bool is_on(std::string_view value) {
  return value == "true" || value == "yes" || value == "1" || value == "on";
}
bool is_off(std::string_view value) {
  return value == "false" || value == "no" || value == "0" || value == "off";
}

}  // namespace

const std::optional<KeyRule>* FrameworkTable::find(std::string_view key) const {
  const std::optional<KeyRule>* best = nullptr;
  std::size_t most = 0;
  for (const auto& [pattern, rule] : keys) {
    if (pattern == key) return &rule;
    if (pattern.find('*') == pattern.npos || pattern.size() <= most) continue;
    if (!fits_pattern(pattern, key)) continue;
    best = &rule;
    most = pattern.size();
  }
  return best;
}

const ValueRule* find_value(const KeyRule& rule, std::string_view value, Given given) {
  const auto named = [&](std::string_view name) -> const ValueRule* {
    const auto at =
        std::ranges::find(rule.values, name, [](const auto& each) { return each.first; });
    return at == rule.values.end() ? nullptr : &at->second;
  };
  if (given == Given::nothing) return named("null");
  if (given == Given::bare) return named("on") != nullptr ? named("on") : named("*");
  const std::string text = lower_case(trim(value));
  if (const ValueRule* exact = named(text)) return exact;
  if (is_on(text) && named("on")) return named("on");
  if (is_off(text) && named("off")) return named("off");
  const ValueRule* best = nullptr;
  std::size_t most = 1;  // letters of the pattern; more than `*` alone
  for (const auto& [pattern, found] : rule.values) {
    const bool fits = pattern.size() > most && pattern.find('*') != std::string::npos;
    if (!fits || !fits_pattern(pattern, text)) continue;
    best = &found;
    most = pattern.size();
  }
  if (best != nullptr) return best;
  if (text == "none" || text == "null") return named("null");
  return named("*");
}

bool fits_pattern(std::string_view pattern, std::string_view key) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == key;
  if (!key.starts_with(pattern.substr(0, star))) return false;
  // The first place of each part between stars is as good as any.
  std::size_t at = star;
  std::string_view rest = pattern.substr(star + 1);
  for (std::size_t next; (next = rest.find('*')) != rest.npos; rest.remove_prefix(next + 1)) {
    const std::size_t found = key.find(rest.substr(0, next), at);
    if (found == key.npos) return false;
    at = found + next;
  }
  return key.size() >= at + rest.size() && key.ends_with(rest);
}

FrameworkTable load_framework(const DataFolder& data, std::string_view name) {
  FrameworkTable out;
  out.name = name;
  SharedWords words(data);
  add_table(data, name, {}, words, out);
  return out;
}

Frameworks::Frameworks(const DataFolder& data) {
  ObjectReader file = read_data_file(data, "recipes/frameworks.json").object();
  file.accept("schema_version");
  file.accept("note");
  file.accept("retrieved");
  lists_ = {read_signs(file, "frameworks"), read_signs(file, "launchers"),
            read_signs(file, "parts"), read_signs(file, "wrappers")};
  unread_ = read_signs(file, "unread");
  for (const JsonValue& value : file.required_value("python").array()) {
    ObjectReader row = value.object();
    python_.push_back(
        {{row.required_text("name"), row.required_text("instead")}, row.texts_or_empty("words")});
    row.finish();
  }
  file_keys_ = file.texts_or_empty("file_keys");
  parent_keys_ = file.texts_or_empty("parent_keys");
  ObjectReader roles = file.required_object("roles");
  for (const std::string& role : roles.keys())
    roles_.emplace_back(role, roles.texts_or_empty(role));
  file.finish();
}

std::vector<Frameworks::Signed> Frameworks::read_signs(ObjectReader& file, std::string_view list) {
  std::vector<Signed> out;
  for (const JsonValue& value : file.required_value(std::string(list)).array()) {
    ObjectReader row = value.object();
    Signed& each = out.emplace_back();
    each.name = row.required_text("name");
    each.instead = row.text_or("instead", {});
    for (const JsonValue& signs : row.required_value("signs").array()) {
      std::vector<std::string>& all = each.signs.emplace_back();
      for (const JsonValue& sign : signs.array()) all.push_back(sign.text());
    }
    row.finish();
  }
  return out;
}

const Frameworks::Signed* Frameworks::first_signed(const std::vector<Signed>& list,
                                                   const Facts& facts) {
  const auto fits = [&](const std::vector<std::string>& all) {
    return std::ranges::all_of(all, [&](const std::string& sign) { return has_sign(sign, facts); });
  };
  const auto found = std::ranges::find_if(
      list, [&](const Signed& each) { return std::ranges::any_of(each.signs, fits); });
  return found == list.end() ? nullptr : &*found;
}

std::string Frameworks::recognise(const Facts& facts, Kind kind) const {
  const Signed* found = first_signed(lists_[static_cast<std::size_t>(kind)], facts);
  return found == nullptr ? std::string() : found->name;
}

UnreadRecipe Frameworks::recognise_unread(const Facts& facts) const {
  const Signed* found = first_signed(unread_, facts);
  return found == nullptr ? UnreadRecipe{} : UnreadRecipe{found->name, found->instead};
}

UnreadRecipe Frameworks::recognise_python(std::string_view text) const {
  for (const auto& [recipe, words] : python_) {
    if (std::ranges::any_of(words, [&](const auto& word) { return text.find(word) != text.npos; }))
      return recipe;
  }
  return {};
}

std::string Frameworks::role_of(const std::vector<std::string>& words) const {
  for (const auto& [role, patterns] : roles_) {
    for (std::string word : words) {
      word = word.substr(word.find_last_of('/') + 1);
      for (const std::string& pattern : patterns) {
        if (fits_pattern(pattern, word)) return role;
      }
    }
  }
  return "train";
}

bool Frameworks::names_file(std::string_view key) const {
  return std::ranges::find(file_keys_, key) != file_keys_.end();
}
bool Frameworks::names_parent(std::string_view key) const {
  return std::ranges::find(parent_keys_, key) != parent_keys_.end();
}

}  // namespace trcost::recipe
