// SPDX-License-Identifier: Apache-2.0
// Tables of every command, and their form in plain text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/numbers.h"
#include "trcost/report.h"

namespace trcost::report {

enum class Align : std::uint8_t { left, right };

/// Treatment of a column of a text table whose lines would be longer than allowed.
enum class Overflow : std::uint8_t {
  keep,        ///< keeps its width
  wrap,        ///< breaks into several lines at spaces
  cut,         ///< ends in an ellipsis, or wraps if two rows would look the same
  drop,        ///< is left out, the rightmost first, with a line below the table
  drop_first,  ///< is left out before those of `drop`
};

/// One column: `title` heads it for people, `key` names it in CSV and JSON (the title when empty).
struct TableColumn {
  std::string title = {};
  std::string key = {};
  Align align = Align::left;
  Overflow overflow = Overflow::keep;
  bool strong = false;  ///< its title stands out
};

/// A column whose cells are aligned to the right, as numbers are.
inline TableColumn number_column(std::string_view title, std::string_view key = {},
                                 Overflow overflow = Overflow::keep, bool strong = false) {
  return {std::string(title), std::string(key), Align::right, overflow, strong};
}

/// One cell: a text for people and a value for machines. Unknown is a kind of its own, never 0.
class Cell {
 public:
  enum class Kind : std::uint8_t { text, number, boolean, unknown };

  /// Text, implicitly from string literals.
  Cell(std::string_view text);    // NOLINT(google-explicit-constructor)
  Cell(const char* text);         // NOLINT(google-explicit-constructor)
  Cell(const std::string& text);  // NOLINT(google-explicit-constructor)
  /// `n/a` for people, empty in CSV, null in JSON.
  static Cell unknown();
  /// Number shown by format_number and exact for machines. Writing a non-finite one is an Error.
  static Cell number(double value, NumberKind kind, int significant = 3);
  /// Number, or unknown if there is no value.
  static Cell number(std::optional<double> value, NumberKind kind, int significant = 3);
  /// Number that people see as `shown`. `kind` is the number format of a spreadsheet, if one fits.
  static Cell number(double value, std::string shown, std::optional<NumberKind> kind = {});
  static Cell boolean(bool value);
  /// A JSON value, which people see as its text.
  static Cell json(std::string text);

  /// A copy that stands out for people.
  [[nodiscard]] Cell strong() const;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_strong() const { return strong_; }
  [[nodiscard]] bool is_json() const { return json_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] std::optional<NumberKind> shown_as() const { return shown_as_; }

 private:
  Kind kind_ = Kind::text;
  bool strong_ = false;
  bool json_ = false;
  double value_ = 0;  ///< of a number, or 0 or 1 of a boolean
  std::optional<NumberKind> shown_as_ = {};
  std::string text_;  ///< for people
};

/// Rows of cells under named columns.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);

  /// Adds a row. Throws std::logic_error unless it has one cell per column.
  void add_row(std::vector<Cell> cells);
  /// Adds a line between the rows before and after, in text only.
  void add_rule();
  /// Names the last row for machines: `performance.mfu`. HTML shows it as a tooltip.
  void set_row_key(std::string key);

  [[nodiscard]] const std::vector<TableColumn>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  /// Indices of the rows that a rule precedes, ascending.
  [[nodiscard]] const std::vector<std::size_t>& rules() const { return rules_; }
  /// Returns the key of a row, or nothing.
  [[nodiscard]] std::string_view row_key(std::size_t row) const {
    return row < keys_.size() ? std::string_view(keys_[row]) : std::string_view();
  }

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::size_t> rules_;
  std::vector<std::string> keys_;  // of the rows up to the last one that has a key
};

/// Returns a table as aligned text that ends in a newline: a header and a rule unless all titles
/// are empty, and lines of at most `style.width` unless columns that are kept need more.
std::string text_table(const Table& table, const Style& style = {});

}  // namespace trcost::report
