// SPDX-License-Identifier: Apache-2.0
// The only file that includes toml++.
#include <fmt/core.h>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <string>

#include "recipe/facts.h"
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

void add_toml(const toml::node& node, const std::string& path, const std::string& file,
              Facts& out) {
  if (out.size() >= kMostFacts) {
    throw Error(ErrorKind::data, fmt::format("more than {} values", kMostFacts), "split the file",
                file);
  }
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      add_toml(value, path.empty() ? name : path + "." + name, file, out);
    }
  } else if (const toml::array* list = node.as_array()) {
    if (list->empty()) out.push_back({path, "", file, static_cast<int>(node.source().begin.line)});
    for (const toml::node& each : *list) add_toml(each, path, file, out);
  } else {
    out.push_back({path, toml_text(node), file, static_cast<int>(node.source().begin.line)});
  }
}

}  // namespace

Facts read_toml(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes) {
    throw Error(ErrorKind::data, fmt::format("larger than {} MB", kMostBytes >> 20),
                "give a smaller file", file);
  }
  Facts out;
  try {
    add_toml(toml::parse(text), "", file, out);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::data, fmt::format("not TOML: {}", error.description()), "check the line",
                fmt::format("{}:{}", file, static_cast<int>(error.source().begin.line)));
  }
  return out;
}

}  // namespace trcost::recipe
