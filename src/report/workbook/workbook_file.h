// SPDX-License-Identifier: Apache-2.0
// A workbook under way: sheets, rows and cells.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/numbers.h"

namespace trcost::report {

/// How a cell looks.
struct CellLook {
  std::optional<NumberKind> kind = {};
  bool bold = false;
  bool input = false;       ///< to be changed by whoever reads it
  bool fine = false;        ///< as many decimals as there are: unit prices, rates
  std::string format = {};  ///< a number format of its own, instead of the kind's
};

class WorkbookFile {
 public:
  /// `title`: of the document's properties. Throws Error (usage) where the build writes no
  /// workbooks, Error (data) where the machine cannot.
  explicit WorkbookFile(const std::string& title);
  ~WorkbookFile();
  WorkbookFile(const WorkbookFile&) = delete;
  WorkbookFile& operator=(const WorkbookFile&) = delete;

  /// Starts a sheet; a name that is taken gets a number. The first `rows` rows and `columns`
  /// columns stay in view.
  void sheet(std::string name, std::size_t rows, std::size_t columns);
  void width(std::size_t column, double letters);
  /// Filter buttons over the columns from 0 to `last` in the first row of the sheet, down to here.
  void filter(std::size_t last);
  void next_row();
  void text(std::size_t column, std::string_view value, bool bold = false);
  /// Exact; `kind` says how it looks.
  void number(std::size_t column, double value, const CellLook& look = {});
  /// A cell for a number that nobody knows.
  void blank(std::size_t column, const CellLook& look);
  /// `=...` with its value; n/a where there is none.
  void formula(std::size_t column, const std::string& text, std::optional<double> value,
               const CellLook& look);
  void boolean(std::size_t column, bool value);

  /// Where the next cells stand: `B7`, and with the sheet `'Budget'!$B$7`.
  [[nodiscard]] std::size_t row() const;
  static std::string cell_name(std::size_t row, std::size_t column);
  static std::string range_name(std::string_view sheet, std::size_t row, std::size_t column,
                                std::size_t last_row, std::size_t last_column);

  struct ChartSeries {
    std::string name;
    std::string categories;  ///< a range_name(), as `values`
    std::string values;
    bool unseen = false;
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
  /// A chart whose upper left corner is a cell of this sheet.
  void chart(std::size_t row, std::size_t column, const ChartSpec& spec);
  /// The bytes; nothing can be added then.
  std::string close();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trcost::report
