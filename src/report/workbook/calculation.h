// SPDX-License-Identifier: Apache-2.0
// A sheet that computes: lines of figures with a column per case. Inputs are given; the others
// follow from them by products and sums, which a spreadsheet writes as formulas and which this
// evaluates itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "trcost/numbers.h"

namespace trcost::report {

class Calculation {
 public:
  /// A cell: line and column, each from 0.
  struct Place {
    std::size_t line = 0;
    std::size_t column = 0;
  };
  /// A figure that stands in its cell; none: not known, which an input can mend.
  struct Given {
    std::optional<double> value;
    bool input = false;  ///< marked, to be changed
  };
  /// scale x the product of cells, each to the power of 1 or -1.
  struct Product {
    struct Factor {
      Place at;
      bool divides = false;
    };
    double scale = 1;
    std::vector<Factor> factors;
  };
  /// The sum of cells, those of `less` taken away.
  struct Sum {
    std::vector<Place> parts;
    std::vector<Place> less = {};
  };
  /// What stands in a cell; nothing where the line does not concern the case.
  using Rule = std::variant<std::monostate, Given, Product, Sum>;

  struct Line {
    std::string label;
    std::string unit = {};
    NumberKind kind = NumberKind::number;
    bool strong = false;
    bool heading = false;          ///< of the lines below it: no figures
    std::vector<Rule> cells = {};  ///< one per column
  };

  /// Lines as a picture.
  struct Chart {
    enum class Kind : unsigned char {
      stacked,  ///< a bar per column, its lines on top of each other
      spread,   ///< the same, the first line unseen: a bar from there to the end of the last
      lines,    ///< a bar per line, of the first column
    };
    Kind kind = Kind::stacked;
    std::string title;
    std::vector<std::size_t> lines;  ///< neighbours, for Kind::lines
  };

  std::string name;                  ///< of the sheet
  std::vector<std::string> notes;    ///< above the lines
  std::vector<std::string> columns;  ///< titles of the cases
  std::vector<Line> lines;
  std::vector<Chart> charts;
  std::vector<Fact> sources;  ///< where the inputs come from

  /// Adds a line without figures in any column, and says where it stands.
  std::size_t add(std::string label, std::string unit = {}, NumberKind kind = NumberKind::number);
  void add_heading(std::string label);
  void set(Place at, Rule rule);
  [[nodiscard]] const Rule& rule(Place at) const { return lines[at.line].cells[at.column]; }
  [[nodiscard]] bool has(Place at) const {
    return !std::holds_alternative<std::monostate>(rule(at));
  }
  /// Some column has a figure there.
  [[nodiscard]] bool any(std::size_t line) const;
  /// Of a cell; none where something that it follows from is not known.
  [[nodiscard]] std::optional<double> value(Place at) const;
};

/// Throws std::logic_error, naming the column, unless `at` has the value that the answer has, to
/// 1e-9 relative.
void check_figure(const Calculation& calculation, Calculation::Place at,
                  const std::optional<double>& known);

}  // namespace trcost::report
