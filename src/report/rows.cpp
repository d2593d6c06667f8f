// SPDX-License-Identifier: Apache-2.0
#include "trcost/rows.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "trcost/error.h"

namespace trcost {
namespace {

[[noreturn]] void refuse_non_finite(std::string_view what) {
  throw Error(ErrorKind::data, fmt::format("{} is not a finite number", what),
              "this is a defect of trcost: please report it with the scenario");
}

// Bytes of the UTF-8 sequence at `at`, 0 when it is not one (RFC 3629: no overlong forms, no
// surrogates, at most U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead >= 0xC2 && lead <= 0xDF && tail(1)) return 2;
  if (lead >= 0xE0 && lead <= 0xEF && tail(1) && tail(2)) {
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4 && tail(1) && tail(2) && tail(3)) {
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

void append_json_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[value >> 4U];
  out += kHex[value & 15U];
}

// ASCII that stands for itself within a JSON text.
constexpr std::array<bool, 256> kPlainInJson = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

}  // namespace

void append_csv_text(std::string& out, std::string_view text) {
  if (text.empty()) return;
  const char first = text.front();
  const bool formula = first == '=' || first == '+' || first == '-' || first == '@' ||
                       first == '\t' || first == '\r';
  bool quoted = false;
  for (const char c : text) quoted |= c == ',' || c == '"' || c == '\n' || c == '\r';
  if (quoted) out += '"';
  if (formula) out += '\'';
  if (!quoted) {
    out += text;
    return;
  }
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_csv_number(std::string& out, double value, std::string_view what) {
  if (!std::isfinite(value)) refuse_non_finite(what);
  append_exact(out, value);
}

void append_csv_header_cells(std::string& out, std::span<const Column* const> columns) {
  bool first = true;
  for (const Column* column : columns) {
    if (!first) out += ',';
    first = false;
    out += column->path;
  }
}

void append_csv_cells(std::string& out, const Estimate& estimate,
                      std::span<const Column* const> columns) {
  bool first = true;
  for (const Column* column : columns) {
    if (!first) out += ',';
    first = false;
    if (column->kind == ColumnKind::text) {
      append_csv_text(out, column->text(estimate));
    } else if (const std::optional<double> value = column->number(estimate)) {
      if (column->kind == ColumnKind::boolean) {
        out += *value != 0 ? "true" : "false";
      } else {
        append_csv_number(out, *value, column->path);
      }
    }
  }
}

void append_csv_header(std::string& out, std::span<const Column* const> columns) {
  append_csv_header_cells(out, columns);
  out += '\n';
}

void append_csv_row(std::string& out, const Estimate& estimate,
                    std::span<const Column* const> columns) {
  append_csv_cells(out, estimate, columns);
  out += '\n';
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // start of what needs no change
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (kPlainInJson[byte]) {
      ++at;
      continue;
    }
    std::size_t length = byte >= 0x80 ? utf8_length(text, at) : 0;
    if (length == 0) {
      out += text.substr(plain, at - plain);
      if (byte >= 0x80) {
        out += "\uFFFD";
      } else {
        append_json_escape(out, text[at]);
      }
      length = 1;
      plain = at + 1;
    }
    at += length;
  }
  out += text.substr(plain);
  out += '"';
}

void append_json_number(std::string& out, double value, std::string_view what) {
  if (!std::isfinite(value)) refuse_non_finite(what);
  append_exact(out, value);
}

void append_json_members(std::string& out, const Estimate& estimate,
                         std::span<const Column* const> columns) {
  bool first = true;
  for (const Column* column : columns) {
    if (!first) out += ',';
    first = false;
    out += '"';
    out += column->path;
    out += "\":";
    if (column->kind == ColumnKind::text) {
      const std::string_view text = column->text(estimate);
      if (text.empty()) {
        out += "null";
      } else {
        append_json_string(out, text);
      }
      continue;
    }
    const std::optional<double> value = column->number(estimate);
    if (!value) {
      out += "null";
    } else if (column->kind == ColumnKind::boolean) {
      out += *value != 0 ? "true" : "false";
    } else {
      append_json_number(out, *value, column->path);
    }
  }
}

void append_jsonl_row(std::string& out, const Estimate& estimate,
                      std::span<const Column* const> columns) {
  out += '{';
  append_json_members(out, estimate, columns);
  out += "}\n";
}

}  // namespace trcost
