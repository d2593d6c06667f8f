// SPDX-License-Identifier: Apache-2.0
// A sheet of live formulas: lines of figures with a column per case. Inputs are values. Other
// figures are products and sums of cells, which are evaluated here and written as formulas by a
// workbook.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "trcost/numbers.h"

namespace trcost::report {

class WorkbookFile;

class Calculation {
 public:
  /// Line and column of a cell, from 0.
  struct Place {
    std::size_t line = 0;
    std::size_t column = 0;
  };
  /// A figure of its own, or an unknown one to be filled in.
  struct Given {
    std::optional<double> value;
    bool input = false;  ///< marked as a cell to be changed
  };
  /// A factor times the product of cells, each to the power of 1 or -1.
  struct Product {
    struct Factor {
      Place at;
      bool divides = false;
    };
    double scale = 1;
    std::vector<Factor> factors;
  };
  /// The sum of cells, with those of `less` subtracted.
  struct Sum {
    std::vector<Place> parts;
    std::vector<Place> less = {};
  };
  /// A formula of cells that is no product or sum. `value` computes what `text` says to a workbook,
  /// where {0} stands for the first cell.
  struct Formula {
    std::string_view text;
    double (*value)(std::span<const double> cells) = nullptr;
    std::vector<Place> cells;
  };
  /// Content of a cell, or nothing if the line does not apply to the case.
  using Rule = std::variant<std::monostate, Given, Product, Sum, Formula>;

  struct Line {
    std::string label;
    std::string unit = {};
    NumberKind kind = NumberKind::number;
    bool strong = false;
    bool heading = false;          ///< a title without figures
    std::string_view key = {};     ///< names the line for the what-if strip of a page
    std::vector<Rule> cells = {};  ///< one per column
  };

  /// A chart of lines.
  struct Chart {
    enum class Kind : unsigned char {
      stacked,  ///< a bar per column, its lines stacked
      spread,   ///< a bar per column, its lines stacked and the first one invisible
      lines,    ///< a bar per line, of the first column
    };
    Kind kind = Kind::stacked;
    std::string title;
    std::vector<std::size_t> lines;  ///< adjacent for Kind::lines
  };

  std::string name;                  ///< of the sheet
  std::vector<std::string> notes;    ///< above the lines
  std::vector<std::string> columns;  ///< titles of the cases
  std::vector<Line> lines;
  std::vector<Chart> charts;
  std::vector<Fact> sources;  ///< of the inputs

  /// Adds a line without figures and returns its index.
  std::size_t add(std::string label, std::string unit = {}, NumberKind kind = NumberKind::number);
  void add_heading(std::string label);
  void set(Place at, Rule rule);
  [[nodiscard]] const Rule& rule(Place at) const { return lines[at.line].cells[at.column]; }
  [[nodiscard]] bool has(Place at) const {
    return !std::holds_alternative<std::monostate>(rule(at));
  }
  /// Tells whether a line has a figure in some column.
  [[nodiscard]] bool any(std::size_t line) const;
  /// Returns the value of a cell, or none if it depends on an unknown one.
  [[nodiscard]] std::optional<double> value(Place at) const;
};

/// Throws std::logic_error unless a cell has the value of the answer to 1e-9.
void check_figure(const Calculation& calculation, Calculation::Place at,
                  const std::optional<double>& known);

/// Adds a sheet with marked inputs, formulas with their present values, and charts on the right.
void draw_calculation(WorkbookFile& book, const Calculation& calculation);

}  // namespace trcost::report
