// SPDX-License-Identifier: Apache-2.0
#include "trcost/rows.h"

#include <fmt/format.h>

#include <cmath>

#include "text/json_string.h"
#include "text/unicode.h"
#include "trcost/error.h"

namespace trcost {
namespace {

[[noreturn]] void refuse_non_finite(std::string_view what) {
  throw Error(ErrorKind::data, fmt::format("{} is not a finite number", what),
              "this is a defect of trcost: please report it with the scenario");
}

}  // namespace

void append_csv_text(std::string& out, std::string_view written) {
  if (written.empty()) return;
  constexpr std::string_view kSpace = "\n\r\t";
  const std::string clean = first_unprintable(written) ? printable(written, kSpace) : std::string();
  const std::string_view text = clean.empty() ? written : clean;
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
