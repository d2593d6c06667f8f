// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/completed_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/session.h"
#include "estimate/question/work/field_names.h"
#include "scenario/fields.h"
#include "trcost/tokens.h"

namespace trcost::cli {

bool is_word_list(const std::string& value) {
  return value.find('|') != std::string::npos;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

std::string names_of(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) {
    return name.empty() || name.find_first_of(" ,'\"$`()") != std::string::npos;
  });
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return joined(names);
}

namespace {

std::string words_of(std::string value) {
  std::ranges::replace(value, '|', ' ');
  return value;
}

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const TokenFamily& family : token_families()) names.emplace_back(family.name);
  return names;
}

// Flags with names of the data that are no field's.
struct NamedFlag {
  std::string_view flag;
  Names names;
  bool list = false;
};
constexpr NamedFlag kNamedFlags[] = {{"--from", Names::accelerators},
                                     {"--to", Names::accelerators, true},
                                     {"--engine", Names::engines}};

NamedFlag named_flag(std::string_view flag) {
  const auto* other = std::ranges::find(kNamedFlags, flag, &NamedFlag::flag);
  if (other != std::end(kNamedFlags)) return *other;
  const auto* field = std::ranges::find(fields(), flag, &FieldInfo::flag);
  if (field == fields().end()) return {flag, Names::none};
  return {flag, field_meaning(field->field).names, field->kind == FieldKind::list};
}

// What a sweep can vary, up to the sign before its values.
std::string axis_words() {
  std::string out;
  for (const FieldInfo& field : fields())
    out += fmt::format("{}{}=", out.empty() ? "" : " ", field.path);
  return out;
}

}  // namespace

std::vector<Completed> flags_of(const Command& command, Session& session) {
  Flags flags;
  flags.add_help();
  const Action action = command.define(flags, session);
  session.add_global_options(flags);
  std::vector<Completed> out;
  for (Flag& row : flags.rows()) {
    if (row.positional()) continue;
    Completed flag{std::move(row), {}, false};
    if (is_word_list(flag.value)) {
      flag.words = words_of(flag.value);
      flag.list = named_flag(flag.name).list;
    } else if (flag.name == "--vary") {
      flag.words = axis_words();
      flag.open = true;
    } else if (flag.name == "--family") {
      flag.words = names_of(families());
    } else {
      const NamedFlag named = named_flag(flag.name);
      flag.words = names_of(known_names(session.catalog(), named.names));
      flag.list = named.list;
    }
    out.push_back(std::move(flag));
  }
  return out;
}

}  // namespace trcost::cli
