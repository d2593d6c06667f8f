// SPDX-License-Identifier: Apache-2.0
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

/// What a column of a text table does when the lines would be longer than allowed.
enum class Overflow : std::uint8_t {
  keep,  ///< is never narrowed
  wrap,  ///< breaks into several lines at spaces
  cut,   ///< ends in an ellipsis; breaks as `wrap` where two rows would look the same
  drop,  ///< leaves the table, the rightmost one first; a line below says so
};

/// One column: `title` heads it for people, `key` names it in CSV and JSON (the title when empty).
struct TableColumn {
  std::string title = {};
  std::string key = {};
  Align align = Align::left;
  Overflow overflow = Overflow::keep;
  bool strong = false;  ///< its title stands out
};

/// One cell: what people read, and the value that machines read. Unknown is its own kind, never 0.
class Cell {
 public:
  enum class Kind : std::uint8_t { text, number, boolean, unknown };

  /// Text; also what a string literal becomes.
  Cell(std::string_view text);    // NOLINT(google-explicit-constructor)
  Cell(const char* text);         // NOLINT(google-explicit-constructor)
  Cell(const std::string& text);  // NOLINT(google-explicit-constructor)
  /// `n/a` for people, empty in CSV, null in JSON.
  static Cell unknown();
  /// Shown by format_number, exact for machines. A non-finite value is an Error when it is written.
  static Cell number(double value, NumberKind kind, int significant = 3);
  /// As `number`, or unknown where there is no value.
  static Cell number(std::optional<double> value, NumberKind kind, int significant = 3);
  /// A number that people see as `shown`; `kind` where a spreadsheet may show it as one.
  static Cell number(double value, std::string shown, std::optional<NumberKind> kind = {});
  static Cell boolean(bool value);

  /// The same, standing out for people.
  [[nodiscard]] Cell strong() const;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_strong() const { return strong_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] std::optional<NumberKind> shown_as() const { return shown_as_; }

 private:
  Kind kind_ = Kind::text;
  bool strong_ = false;
  double value_ = 0;  ///< of number; boolean: 0 or 1
  std::optional<NumberKind> shown_as_ = {};
  std::string text_;  ///< as people read it
};

/// Rows of cells under named columns, for every command that lists things.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);

  /// Adds a row; it must have one cell per column.
  void add_row(std::vector<Cell> cells);
  /// A line between the rows before and after, in text only.
  void add_rule();

  [[nodiscard]] const std::vector<TableColumn>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  /// Indices of the rows that a rule precedes, ascending.
  [[nodiscard]] const std::vector<std::size_t>& rules() const { return rules_; }

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::size_t> rules_;
};

/// For people: a header, a rule, aligned columns, without header and rule when all titles are
/// empty, no line longer than `style.width` unless columns
/// that are kept need it. Ends in a newline.
std::string to_text(const Table& table, const Style& style = {});
/// GitHub-flavoured Markdown.
std::string to_markdown(const Table& table);

}  // namespace trcost::report
