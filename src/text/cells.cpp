// SPDX-License-Identifier: Apache-2.0
#include "text/cells.h"

#include <fmt/format.h>

#include <cmath>

#include "text/unicode.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::text {

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

void append_json_number(std::string& out, double value, std::string_view what) {
  if (!std::isfinite(value)) refuse_non_finite(what);
  append_exact(out, value);
}

}  // namespace trcost::text
