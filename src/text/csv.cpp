// SPDX-License-Identifier: Apache-2.0
#include "text/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/suggest.h"
#include "text/unicode.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::text {
namespace {

// Appends what stands between quotes from `at` on, doubled quotes once, and moves behind the
// closing one. False where there is none.
bool read_quoted(std::string_view text, std::size_t& at, std::string& cell) {
  while (true) {
    const std::size_t quote = text.find('"', at);
    if (quote == std::string_view::npos) return false;
    cell += text.substr(at, quote - at);
    at = quote + 1;
    if (at == text.size() || text[at] != '"') return true;
    cell += '"';
    ++at;
  }
}

bool ends_plain_text(char c) {
  return c == ',' || c == '\n' || c == '"' || c == '\r';
}

constexpr std::size_t kMostCells = 10'000;  // of a row, far beyond any table that is read

// Reads one record from `at` on, moves behind its line end, and returns what is wrong with it.
std::string_view read_record(std::string_view text, std::size_t& at,
                             std::vector<std::string>& cells) {
  cells.clear();
  cells.emplace_back();
  while (at < text.size()) {
    std::size_t stop = at;
    while (stop < text.size() && !ends_plain_text(text[stop])) ++stop;
    cells.back() += text.substr(at, stop - at);
    at = stop + 1;
    if (stop == text.size() || text[stop] == '\n') break;
    if (text[stop] == '\r' && (at == text.size() || text[at] != '\n')) break;  // old Macintosh
    if (text[stop] == ',') {
      if (cells.size() == kMostCells) return "the row has more than 10,000 cells";
      cells.emplace_back();
    } else if (text[stop] == '"' && !read_quoted(text, at, cells.back())) {
      return "a quote is not closed";
    }
  }
  at = std::min(at, text.size());
  return {};
}

}  // namespace

CsvTable::CsvTable(std::string_view text, std::string_view origin, std::vector<std::size_t>* odd)
    : origin_(origin) {
  std::size_t at = 0;
  std::size_t line = 1;
  std::vector<std::string> cells;
  while (at < text.size()) {
    const std::size_t start = line;
    const std::size_t from = at;
    cells.reserve(header_.size());
    if (const std::string_view problem = read_record(text, at, cells); !problem.empty()) {
      throw Error(ErrorKind::data, std::string(problem), {}, fmt::format("{}:{}", origin, start));
    }
    line += static_cast<std::size_t>(std::count(&text[from], text.data() + at, '\n'));
    if (header_.empty()) {
      header_ = cells;
      for (auto column = header_.begin(); column != header_.end(); ++column) {
        const bool again = std::find(column + 1, header_.end(), *column) != header_.end();
        if (column->empty() || !again) continue;
        throw Error(ErrorKind::data, fmt::format("two columns are named \"{}\"", *column),
                    "remove or rename one of them", origin_);
      }
      continue;
    }
    if (cells.size() == 1 && cells.front().empty()) continue;
    if (cells.size() != header_.size()) {
      if (odd != nullptr) {
        odd->push_back(start);
        continue;
      }
      throw Error(ErrorKind::data,
                  fmt::format("the row has {} cells, the header {}", cells.size(), header_.size()),
                  "quote a cell that contains a comma", fmt::format("{}:{}", origin, start));
    }
    cells_.push_back(std::move(cells));
    lines_.push_back(start);
  }
  if (odd == nullptr && cells_.empty() && !header_.empty()) {
    throw Error(ErrorKind::data, "the table has no row", "a header and a line per row are expected",
                origin_);
  }
}

bool CsvTable::has(std::string_view column) const {
  return std::find(header_.begin(), header_.end(), column) != header_.end();
}

void CsvTable::fill(std::string_view column, std::string_view cell) {
  if (!has(column)) {
    header_.emplace_back(column);
    for (std::vector<std::string>& row : cells_) row.emplace_back();
  }
  const std::size_t at = column_index(column);
  for (std::vector<std::string>& row : cells_) {
    if (row[at].empty()) row[at] = cell;
  }
}

std::size_t CsvTable::column_index(std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) {
    throw Error(ErrorKind::data, fmt::format("there is no column \"{}\"", column),
                did_you_mean(column, header_), origin_);
  }
  return static_cast<std::size_t>(found - header_.begin());
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
  return cells_[row][column_index(column)];
}

std::optional<double> CsvTable::number(std::size_t row, std::string_view column) const {
  const std::string& cell = text(row, column);
  if (cell.empty()) return std::nullopt;
  const auto value = number_in<double>(cell);
  if (!value || !std::isfinite(*value)) {
    fail(row, column, fmt::format("\"{}\" is not a number", cell));
  }
  return value;
}

double CsvTable::required_number(std::size_t row, std::string_view column) const {
  const std::optional<double> value = number(row, column);
  if (!value) fail(row, column, "a number is missing", missing_);
  return *value;
}

void CsvTable::fail(std::size_t row, std::string_view column, std::string message,
                    std::string hint) const {
  throw Error(ErrorKind::data, std::move(message), std::move(hint),
              fmt::format("{}:{} column {}", origin_, lines_[row], column));
}

void CsvTable::fail_choice(std::size_t row, std::string_view column,
                           const std::vector<std::string>& words) const {
  const std::string& cell = text(row, column);
  const std::string allowed = fmt::format("{}", fmt::join(words, ", "));
  fail(row, column,
       cell.empty() ? fmt::format("one of {} is missing", allowed)
                    : fmt::format("\"{}\" is none of {}", cell, allowed));
}

namespace {

// True for text that a spreadsheet would compute (OWASP, CSV Injection): a sign first, in ASCII or
// full width, also behind blanks, or a tab or line end first.
bool starts_formula(std::string_view text) {
  constexpr std::string_view kSigns[] = {"=",      "+",      "-",      "@",
                                         "\uff1d", "\uff0b", "\uff0d", "\uff20"};
  if (text.front() == '\t' || text.front() == '\r') return true;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return text.starts_with(sign); });
}

}  // namespace

void append_csv_text(std::string& out, std::string_view written) {
  if (written.empty()) return;
  constexpr std::string_view kSpace = "\n\r\t";
  const std::string clean = first_unprintable(written) ? printable(written, kSpace) : std::string();
  const std::string_view text = clean.empty() ? written : clean;
  const bool formula = starts_formula(text);
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

void append_finite(std::string& out, double value, std::string_view what) {
  if (!std::isfinite(value)) {
    throw Error(ErrorKind::data, fmt::format("{} is not a finite number", what),
                "this is a defect of trcost: please report it with the scenario");
  }
  append_exact(out, value);
}

}  // namespace trcost::text
