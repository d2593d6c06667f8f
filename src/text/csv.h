// SPDX-License-Identifier: Apache-2.0
// Comma-separated tables with a header row (RFC 4180), read by column name.
#pragma once

#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/choice.h"
#include "quantity/layers.h"

namespace trcost::text {

/// A table whose cells are asked for by column. Errors (kind data) name file, line and column.
class CsvTable {
 public:
  /// Throws Error (data) on an unclosed quote, a row of another width than the header, and a header
  /// alone, whose columns nobody would check. With `odd`, such rows are left out and their lines
  /// put there, and there may be none.
  CsvTable(std::string_view text, std::string_view origin, std::vector<std::size_t>* odd = nullptr);

  [[nodiscard]] std::size_t rows() const { return cells_.size(); }
  [[nodiscard]] bool has(std::string_view column) const;
  /// Line of the file where the row starts.
  [[nodiscard]] std::size_t line(std::size_t row) const { return lines_[row]; }
  /// Puts `cell` where the column is empty in a row, or is not there at all.
  void fill(std::string_view column, std::string_view cell);
  /// The header row.
  [[nodiscard]] const std::vector<std::string>& columns() const { return header_; }
  /// The cell's text; throws where there is no such column.
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  /// Empty for an empty cell; throws on what is not a finite number.
  [[nodiscard]] std::optional<double> number(std::size_t row, std::string_view column) const;
  [[nodiscard]] double required_number(std::size_t row, std::string_view column) const;
  [[noreturn]] void fail(std::size_t row, std::string_view column, std::string message,
                         std::string hint = {}) const;
  /// What to do about a number that is missing; else to write it into the cell.
  void hint_missing(std::string hint) { missing_ = std::move(hint); }

 private:
  [[nodiscard]] std::size_t column_index(std::string_view column) const;

  std::string origin_;
  std::string missing_ = "write it into the row: no other cell says it";
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<std::size_t> lines_;
};

/// The value whose word stands in the cell; empty for an empty cell.
template <class T, std::size_t kCount>
std::optional<T> one_of(const CsvTable& table, std::size_t row, std::string_view column,
                        const Choice<T> (&words)[kCount]) {
  const std::string& cell = table.text(row, column);
  if (cell.empty()) return std::nullopt;
  if (const std::optional<T> value = find_value(words, cell)) return value;
  table.fail(row, column,
             fmt::format("\"{}\" is none of {}", cell, fmt::join(words_in(words), ", ")));
}

/// The same of a cell that is never empty.
template <class T, std::size_t kCount>
T required_one_of(const CsvTable& table, std::size_t row, std::string_view column,
                  const Choice<T> (&words)[kCount]) {
  if (const std::optional<T> value = one_of(table, row, column, words)) return *value;
  table.fail(row, column, fmt::format("one of {} is missing", fmt::join(words_in(words), ", ")));
}

/// The rows of a table, each as `read` makes it.
template <class T>
std::vector<T> read_rows(const CsvTable& table, T (*read)(const CsvTable&, std::size_t)) {
  std::vector<T> rows;
  rows.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) rows.push_back(read(table, i));
  return rows;
}

}  // namespace trcost::text
