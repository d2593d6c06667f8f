// SPDX-License-Identifier: Apache-2.0
#include "json/json_writer.h"

#include <fmt/core.h>

#include <array>

#include "text/csv.h"
#include "text/unicode.h"

namespace trcost::json {
namespace {

// ASCII that stands for itself within a JSON text.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

void append_unit(std::string& out, std::uint32_t unit) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit);
}

void append_json_escape(std::string& out, const CodePoint& point) {
  if (!point.valid) {
    out += "\uFFFD";
  } else if (point.value == '"' || point.value == '\\') {
    out += {'\\', static_cast<char>(point.value)};
  } else if (point.value == '\n') {
    out += "\\n";
  } else if (point.value == '\r') {
    out += "\\r";
  } else if (point.value == '\t') {
    out += "\\t";
  } else if (point.value < 0x10000) {
    append_unit(out, point.value);
  } else {  // a pair of surrogates (RFC 8259, section 7)
    append_unit(out, 0xD800 + ((point.value - 0x10000) >> 10U));
    append_unit(out, 0xDC00 + ((point.value - 0x10000) & 0x3FFU));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;  // what stands before is written
  for (std::size_t at = 0; at < text.size();) {
    if (kPlain[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    const CodePoint point = first_code_point(text.substr(at));
    const bool quoted = point.value == '"' || point.value == '\\';
    if (!point.valid || quoted || is_unprintable(point.value)) {
      out += text.substr(copied, at - copied);
      append_json_escape(out, point);
      copied = at + point.bytes;
    }
    at += point.bytes;
  }
  out += text.substr(copied);
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(filled_.size() * 2, ' ');
}

void JsonWriter::separate() {
  if (filled_.empty()) return;
  if (filled_.back()) out_ += ',';
  filled_.back() = true;
  new_line();
}

void JsonWriter::write_key(std::string_view key) {
  separate();
  append_json_string(out_, key);
  out_ += ": ";
}

void JsonWriter::begin(char bracket) {
  separate();
  open(bracket);
}

void JsonWriter::open(char bracket) {
  out_ += bracket;
  filled_.push_back(false);
}

void JsonWriter::end(char bracket) {
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) new_line();
  out_ += bracket;
}

void JsonWriter::member(std::string_view key, std::string_view text) {
  write_key(key);
  append_json_string(out_, text);
}

void JsonWriter::member(std::string_view key, double value) {
  write_key(key);
  append_finite(out_, value, key);
}

void JsonWriter::member(std::string_view key, std::optional<double> value) {
  if (value) {
    member(key, *value);
  } else {
    null(key);
  }
}

void JsonWriter::boolean(std::string_view key, bool value) {
  write_key(key);
  out_ += value ? "true" : "false";
}

void JsonWriter::null(std::string_view key) {
  write_key(key);
  out_ += "null";
}

void JsonWriter::element(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::raw(std::string_view key, std::string_view json) {
  write_key(key);
  while (!json.empty() && (json.back() == '\n' || json.back() == ' ')) json.remove_suffix(1);
  for (const char c : json) {
    if (c == '\n') {
      new_line();
    } else {
      out_ += c;
    }
  }
}

}  // namespace trcost::json
