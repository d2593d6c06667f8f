// SPDX-License-Identifier: Apache-2.0
// Comma-separated tables (RFC 4180): read by column name, and written cell by cell.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantity/choice.h"
#include "quantity/layers.h"

namespace trcost::text {

/// A table whose cells are read by column. Errors (data) name file, line and column.
class CsvTable {
 public:
  /// Throws Error (data) for an unclosed quote, two columns of one name, a row of another width
  /// than the header, and a header alone. With `odd`, rows of another width are left out and their
  /// lines added to it, and the table may have no row.
  CsvTable(std::string_view text, std::string_view origin, std::vector<std::size_t>* odd = nullptr);

  [[nodiscard]] std::size_t rows() const { return cells_.size(); }
  [[nodiscard]] bool has(std::string_view column) const;
  /// Line of the file on which the row starts.
  [[nodiscard]] std::size_t line(std::size_t row) const { return lines_[row]; }
  /// Puts `cell` into the rows whose column is empty or missing.
  void fill(std::string_view column, std::string_view cell);
  /// The header row.
  [[nodiscard]] const std::vector<std::string>& columns() const { return header_; }
  /// The cell's text. Throws Error (data) if there is no such column.
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  /// The cell's number, empty for an empty cell. Throws Error (data) if it is not a finite number.
  [[nodiscard]] std::optional<double> number(std::size_t row, std::string_view column) const;
  [[nodiscard]] double required_number(std::size_t row, std::string_view column) const;
  [[noreturn]] void fail(std::size_t row, std::string_view column, std::string message,
                         std::string hint = {}) const;
  /// Throws that the cell is none of `words`, or is missing.
  [[noreturn]] void fail_choice(std::size_t row, std::string_view column,
                                const std::vector<std::string>& words) const;
  /// Sets the hint for a missing number. The default is to write it into the cell.
  void hint_missing(std::string hint) { missing_ = std::move(hint); }

 private:
  [[nodiscard]] std::size_t column_index(std::string_view column) const;

  std::string origin_;
  std::string missing_ = "write it into the row: no other cell says it";
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<std::size_t> lines_;
};

/// The value whose word stands in the cell, empty for an empty cell.
template <class T, std::size_t kCount>
std::optional<T> one_of(const CsvTable& table, std::size_t row, std::string_view column,
                        const Choice<T> (&words)[kCount]) {
  const std::string& cell = table.text(row, column);
  if (cell.empty()) return std::nullopt;
  if (const std::optional<T> value = find_value(words, cell)) return value;
  table.fail_choice(row, column, words_in(words));
}

/// The value whose word stands in the cell. Throws Error (data) for an empty cell.
template <class T, std::size_t kCount>
T required_one_of(const CsvTable& table, std::size_t row, std::string_view column,
                  const Choice<T> (&words)[kCount]) {
  if (const std::optional<T> value = one_of(table, row, column, words)) return *value;
  table.fail_choice(row, column, words_in(words));
}

/// The rows of a table, each made by `read`.
template <class T>
std::vector<T> read_rows(const CsvTable& table, T (*read)(const CsvTable&, std::size_t)) {
  std::vector<T> rows;
  rows.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) rows.push_back(read(table, i));
  return rows;
}

/// Appends text as one CSV cell (RFC 4180), quoted if it holds a comma, a quote or a line break.
/// Puts an apostrophe before text that a spreadsheet would run as a formula (first character = + -
/// @, tab or CR). Writes unprintable characters but white space out, like \x1b.
void append_csv_text(std::string& out, std::string_view text);
/// Appends a number as format_exact() writes it. Throws Error (data) that names `what` if it is not
/// finite.
void append_finite(std::string& out, double value, std::string_view what);

}  // namespace trcost::text
