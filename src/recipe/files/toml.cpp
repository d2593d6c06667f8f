// SPDX-License-Identifier: Apache-2.0
// The only file that includes toml++.
#include <fmt/core.h>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <string>

#include "recipe/files/facts.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

std::string toml_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return {};
}

void add_toml(const toml::node& node, const std::string& path, FactList& out) {
  const int line = static_cast<int>(node.source().begin.line);
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      add_toml(value, path.empty() ? name : path + "." + name, out);
    }
  } else if (const toml::array* list = node.as_array()) {
    if (list->empty()) out.add(path, {}, line, Given::nothing);
    for (const toml::node& each : *list) add_toml(each, path, out);
  } else {
    std::string text = toml_text(node);
    out.add(path, text, line, text.empty() ? Given::nothing : Given::text);
  }
}

}  // namespace

Facts read_toml(std::string_view text, const std::string& file) {
  FactList out(file);
  out.check_size(text);
  try {
    add_toml(toml::parse(text), "", out);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::data, fmt::format("not TOML: {}", error.description()), "check the line",
                fmt::format("{}:{}", file, static_cast<int>(error.source().begin.line)));
  }
  return std::move(out.facts());
}

}  // namespace trcost::recipe
