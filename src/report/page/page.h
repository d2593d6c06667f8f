// SPDX-License-Identifier: Apache-2.0
// What an answer says, for people: pieces that text, Markdown, HTML and a workbook each draw in
// their own way. A subject makes one Page; a new format is one more drawer.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quantity/layers.h"
#include "report/table/table.h"
#include "report/table/text_width.h"

namespace trcost::report {

/// One line of the kind `Tokens   207B, in sequences of 4096`.
struct Fact {
  std::string label;
  std::string text;
};

struct Heading {
  std::string text;
  std::string note = {};       ///< beside it, dimmed
  bool in_text = true;         ///< else text leaves out all up to the next heading
  std::string text_note = {};  ///< in place of `note` where it is about the text alone
};

struct Facts {
  std::vector<Fact> facts;
};

struct Paragraph {
  std::string text;
  Ink tone = Ink::plain;  ///< good: the answer; dim: a note; warn: a warning
  int hang = 0;           ///< further lines of text are indented by so much
  bool item = false;      ///< one of a list, where the format has lists
};

/// A table that text shows narrowed to the width, and the others in full.
struct Grid {
  Table table;
  /// Text puts the columns after the first into several tables below each other, where one has no
  /// room for all.
  bool splits = false;
  std::vector<Paragraph> in_text = {};  ///< what text says in place of the table
};

/// Horizontal bars on one scale from 0 to 1.
struct Bars {
  struct Bar {
    std::string label;
    double share = 0;
    std::string value;  ///< beside the bar
    double before = 0;  ///< where above `share`: the bar before this step, drawn behind
  };
  std::string title;  ///< what is drawn, for those who cannot see it
  std::vector<Bar> bars;
  Table numbers;        ///< the same as a table
  bool in_text = true;  ///< else the numbers stand elsewhere on the page
  int label_width = 0;  ///< of text, where the page asks for more than the longest label takes
  int value_width = 0;
};

/// P10, P50 and P90 of several rows on one scale from 0.
struct Ranges {
  struct Row {
    std::string label;
    std::array<double, 3> at{};
    std::array<std::string, 3> words{};
  };
  std::string title;
  std::vector<Row> rows;
  Table numbers;
  bool in_text = true;  ///< else the numbers stand elsewhere on the page
};

/// Of a figure that each platform has, still without rows; its numbers stand in a table of the
/// page.
Ranges platform_ranges(std::string title);

/// So many lines of a Curve are told apart by their looks.
inline constexpr std::size_t kMostCurveSeries = 12;

/// Points over an axis, lines between those of one series.
struct Curve {
  struct Point {
    double x = 0;
    double y = 0;
    std::string label = {};  ///< said of the point
    bool chosen = false;
  };
  struct Series {
    std::string name;
    std::vector<Point> points;
    bool line = true;
    bool dashed = false;  ///< a line to measure by, without marks of its points
  };
  struct Axis {
    std::string title;
    NumberKind kind = NumberKind::number;
    bool logarithmic = false;
  };
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  /// The diagonal, where both axes measure the same.
  bool diagonal = false;
  Table numbers;
  bool in_text = false;        ///< as its numbers; else they stand elsewhere on the page
  bool numbers_apart = false;  ///< they are many, or stand elsewhere: only behind the figure
};

/// One value over two axes: a field of shaded cells.
struct Heat {
  struct Cell {
    std::optional<double> value = {};
    std::string words;
    bool chosen = false;
  };
  std::string title;
  std::string x;
  std::string y;
  std::vector<std::string> columns;  ///< what heads the columns, along x
  struct Row {
    std::string label;  ///< along y
    std::vector<Cell> cells;
  };
  std::vector<Row> rows;
};

/// Warnings. On a terminal they stand on stderr, unless `in_text` says that they are of the page.
struct Warnings {
  std::vector<std::string> lines;
  bool in_text = false;
};

using Piece = std::variant<Heading, Facts, Paragraph, Grid, Bars, Ranges, Curve, Heat, Warnings>;

/// One answer.
struct Page {
  std::string title;
  std::string made_by;  ///< program and date of prices: beside the first heading, or at the end
  std::vector<Piece> pieces = {};
  std::string note = {};     ///< said before who made it
  std::string subject = {};  ///< of which model it is, for the title of a page that is forwarded
  bool titled = true;        ///< else the first heading stands for the title in text
  bool bare = false;         ///< text is the tables alone, from the margin on: a listing

  Page& add(Piece piece);
};

}  // namespace trcost::report
