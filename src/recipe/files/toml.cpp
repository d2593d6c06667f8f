// SPDX-License-Identifier: Apache-2.0
// The only file that includes toml++.
#include <fmt/core.h>
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
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

[[noreturn]] void fail_depth(const FactList& out, int line) {
  throw Error(ErrorKind::data, fmt::format("nested deeper than {} levels", kDeepestNesting),
              "pass only the configuration of the run", fmt::format("{}:{}", out.file(), line));
}

// The place behind the string that begins at a quote.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char mark = text[begin];
  const bool tripled = text.substr(begin).starts_with(std::string(3, mark));
  const std::string quote(tripled ? 3 : 1, mark);
  std::size_t at = begin + quote.size();
  while (at < text.size() && !text.substr(at).starts_with(quote)) {
    if (!tripled && text[at] == '\n') return at;
    at += mark == '"' && text[at] == '\\' ? 2 : 1;
  }
  return std::min(at + quote.size(), text.size());
}

// Throws for a key of too many parts: toml++ nests a table for each and limits only values.
void check_key_parts(std::string_view text, const FactList& out) {
  int parts = 0;
  int line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = end_of_string(text, i);
      line += static_cast<int>(std::ranges::count(text.substr(i, end - i), '\n'));
      i = end - 1;
    } else if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '.') {
      if (++parts > kDeepestNesting) fail_depth(out, line);
    } else if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) {
      parts = 0;
      line += c == '\n';
    }
  }
}

void add_toml(const toml::node& node, const std::string& path, FactList& out, int depth = 0) {
  const int line = static_cast<int>(node.source().begin.line);
  if (depth > kDeepestNesting) fail_depth(out, line);
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      add_toml(value, path.empty() ? name : path + "." + name, out, depth + 1);
    }
  } else if (const toml::array* list = node.as_array()) {
    if (list->empty()) out.add(path, {}, line, Given::nothing);
    for (const toml::node& each : *list) add_toml(each, path, out, depth + 1);
  } else {
    std::string text = toml_text(node);
    out.add(path, text, line, text.empty() ? Given::nothing : Given::text);
  }
}

}  // namespace

Facts read_toml(std::string_view text, const std::string& file) {
  FactList out(file);
  out.check_size(text);
  check_key_parts(text, out);
  try {
    add_toml(toml::parse(text), "", out);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::data, fmt::format("not TOML: {}", error.description()), "check the line",
                fmt::format("{}:{}", file, static_cast<int>(error.source().begin.line)));
  }
  return std::move(out.facts());
}

}  // namespace trcost::recipe
