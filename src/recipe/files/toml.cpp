// SPDX-License-Identifier: Apache-2.0
// The only file that includes toml++.
#include <fmt/core.h>

namespace trcost::recipe {
// A condition of toml++ that a malformed file does not meet. toml++ would end the program, or
// assume it in a build without assertions.
struct TomlFault {};
constexpr void require_toml(bool met) {
  if (!met) throw TomlFault{};
}
}  // namespace trcost::recipe

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) ::trcost::recipe::require_toml(static_cast<bool>(condition))
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <algorithm>
#include <cctype>
#include <string>

#include "recipe/files/facts.h"
#include "text/unicode.h"
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

// toml++ 3.3 has undefined behaviour on such a character, which TOML 1.0 allows only in strings and
// comments.
[[noreturn]] void fail_letter(const FactList& out, std::string_view text, std::size_t at) {
  throw Error(ErrorKind::data,
              fmt::format("not TOML: a character beyond ASCII at {} stands outside of a string",
                          text::line_and_column(text, at)),
              "put it in quotes", out.file());
}

bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

// The place behind the string that begins at a quote. Throws for a character beyond ASCII that
// follows a backslash at the end of a line, where toml++ looks for white space.
std::size_t end_of_string(std::string_view text, std::size_t begin, const FactList& out) {
  const char mark = text[begin];
  const bool tripled = text.substr(begin).starts_with(std::string(3, mark));
  const std::string quote(tripled ? 3 : 1, mark);
  std::size_t at = begin + quote.size();
  while (at < text.size() && !text.substr(at).starts_with(quote)) {
    if (!tripled && text[at] == '\n') return at;
    const bool escape = mark == '"' && text[at] == '\\';
    if (escape && tripled) {
      const std::size_t next = text.find_first_not_of(" \t\n\v\f\r", at + 1);
      if (next != text.npos && is_beyond_ascii(text[next])) fail_letter(out, text, next);
    }
    at += escape ? 2 : 1;
  }
  at += quote.size();
  // One or two quotes before the closing three belong to the string.
  for (int more = 0; tripled && more < 2 && at < text.size() && text[at] == mark; ++more) ++at;
  return std::min(at, text.size());
}

// Throws for a table without a name, on which toml++ 3.3 fails a condition of its own.
void check_header(std::string_view text, std::size_t begin, int line, const FactList& out) {
  const std::size_t brackets = text.substr(begin).starts_with("[[") ? 2 : 1;
  const std::size_t name = text.find_first_not_of(" \t", begin + brackets);
  if (name == text.npos || text[name] == ']' || is_beyond_ascii(text[name])) return;
  const bool letter = std::isalnum(static_cast<unsigned char>(text[name])) != 0;
  if (letter || std::string_view("_-\"'").find(text[name]) != std::string_view::npos) return;
  throw Error(ErrorKind::data, "not TOML: a table has no name", "write it between the brackets",
              fmt::format("{}:{}", out.file(), line));
}

// Throws for text that toml++ does not take: characters beyond ASCII outside of strings and
// comments, tables without a name, and a key of too many parts, since it nests a table for each and
// limits only values.
void check_text(std::string_view text, const FactList& out) {
  int parts = 0, line = 1, depth = 0;
  bool begins = true;  // no more than white space stands before on the line
  for (std::size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' && begins && depth == 0) check_header(text, i, line, out);
    begins = c == '\n' || (begins && (c == ' ' || c == '\t'));
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '"' || c == '\'') {
      const std::size_t end = end_of_string(text, i, out);
      line += static_cast<int>(std::ranges::count(text.substr(i, end - i), '\n'));
      i = end - 1;
    } else if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (is_beyond_ascii(c)) {
      fail_letter(out, text, i);
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
  check_text(text, out);
  try {
    add_toml(toml::parse(text), "", out);
  } catch (const TomlFault&) {
    throw Error(ErrorKind::data, "not TOML", "check the brackets of its tables", file);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::data, fmt::format("not TOML: {}", error.description()), "check the line",
                fmt::format("{}:{}", file, static_cast<int>(error.source().begin.line)));
  }
  return std::move(out.facts());
}

}  // namespace trcost::recipe
