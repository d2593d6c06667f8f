// SPDX-License-Identifier: Apache-2.0
// Writer of a workbook: sheets, rows and cells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/numbers.h"

namespace trcost::report {

/// Look of a cell.
struct CellLook {
  std::optional<NumberKind> kind = {};
  bool bold = false;
  bool input = false;       ///< marked as a cell to be changed
  bool fine = false;        ///< all decimals, for unit prices and rates
  std::string format = {};  ///< number format, instead of that of the kind
};

/// Look of a text.
struct TextLook {
  bool bold = false;
  bool right = false;  ///< aligned as the numbers below it
  bool wrap = false;   ///< in as many lines as it needs
};

class WorkbookFile {
 public:
  /// Starts a workbook whose properties have `title`. Throws Error (usage) in a build without
  /// workbooks, and Error (data) on a machine without the library or a temporary folder.
  explicit WorkbookFile(const std::string& title);
  ~WorkbookFile();
  WorkbookFile(const WorkbookFile&) = delete;
  WorkbookFile& operator=(const WorkbookFile&) = delete;

  /// Starts a sheet, with a number in its name if that exists, and freezes its first `rows` and
  /// `columns`. It prints in landscape, as wide as a page, with the frozen rows on each page.
  void sheet(std::string name, std::size_t rows, std::size_t columns);
  /// Hides this sheet from view and print.
  void hide();
  void width(std::size_t column, double letters);
  /// Makes this row `lines` high, for text that wraps.
  void height(std::size_t lines);
  /// Adds filter buttons in the first row to the columns from 0 to `last`, down to this row.
  void filter(std::size_t last);
  void next_row();
  void text(std::size_t column, std::string_view value, const TextLook& look = {});
  /// Writes the exact value of a number.
  void number(std::size_t column, double value, const CellLook& look = {});
  /// Writes an empty cell for an unknown number.
  void blank(std::size_t column, const CellLook& look);
  /// Writes a formula `=...` with its present value, or n/a if it has none.
  void formula(std::size_t column, const std::string& text, std::optional<double> value,
               const CellLook& look);
  void boolean(std::size_t column, bool value);

  /// Returns the row of the next cells.
  [[nodiscard]] std::size_t row() const;
  /// Returns `B7`.
  static std::string cell_name(std::size_t row, std::size_t column);
  /// Returns `='Budget'!$B$7:$C$9`.
  static std::string range_name(std::string_view sheet, std::size_t row, std::size_t column,
                                std::size_t last_row, std::size_t last_column);

  struct ChartSeries {
    std::string name;
    std::string categories;  ///< a range_name(), as `values`
    std::string values;
    bool invisible = false;
    std::uint32_t colour = 0;  ///< 0xRRGGBB, or 0 for the program's choice
  };
  enum class ChartKind : unsigned char { stacked_bars, bars, points };
  struct ChartSpec {
    ChartKind kind = ChartKind::bars;
    std::string title;
    std::vector<ChartSeries> series;
    std::string x_title = {};
    std::string y_title = {};
    NumberKind y_kind = NumberKind::money;
    bool legend = true;
  };
  /// Adds a chart with its upper left corner at a cell of this sheet.
  void chart(std::size_t row, std::size_t column, const ChartSpec& spec);
  /// Finishes the workbook and returns its bytes.
  std::string close();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trcost::report
