// SPDX-License-Identifier: Apache-2.0
#include "json/json_string.h"

#include <fmt/format.h>

#include <array>

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

}  // namespace trcost::json
