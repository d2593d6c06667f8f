// SPDX-License-Identifier: Apache-2.0
// An answer for people: pieces that text, Markdown, HTML and a workbook each draw in their own way.
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
  bool in_text = true;         ///< if not, text leaves out everything up to the next heading
  bool detail = false;         ///< text shows what follows, up to the next heading, with --details
  std::string text_note = {};  ///< replaces `note` in text if not empty
  /// HTML and Markdown hide what follows behind it, up to the next heading.
  bool folded = false;
};

struct Facts {
  std::vector<Fact> facts;
};

struct Paragraph {
  std::string text;
  Ink tone = Ink::plain;   ///< good: the answer, dim: a note, warn: a warning
  int hang = 0;            ///< columns that further lines of text are indented by
  bool item = false;       ///< an item of a list, in formats that have lists
  bool only_text = false;  ///< left out of formats whose title says it
};

/// A table that text narrows to its width and other formats show in full.
struct Grid {
  Table table;
  /// Text splits a table that is too wide into several below each other.
  bool splits = false;
  std::vector<Paragraph> in_text = {};  ///< replaces the table in text if not empty
  std::size_t in_text_rows = 0;         ///< first rows that text shows, 0 for all
  std::string caption = {};             ///< for screen readers, the heading above it if empty
  bool sorts = false;                   ///< HTML sorts and filters the rows
  bool beside_next = false;             ///< HTML puts the next piece beside it on a wide screen
};

/// Horizontal bars on one scale from 0 to 1.
struct Bars {
  struct Bar {
    std::string label;
    double share = 0;
    std::string value;  ///< beside the bar
    double before = 0;  ///< if above `share`, the bar before this step, drawn behind
  };
  std::string title;  ///< description for people who cannot see the figure
  std::vector<Bar> bars;
  Table numbers;          ///< the bars as a table
  bool in_text = true;    ///< if not, the numbers stand elsewhere on the page
  std::string axis = {};  ///< meaning of a full bar and of the values, for a figure with an axis
  int label_width = 0;    ///< least columns of the labels in text
  int value_width = 0;    ///< least columns of the values in text
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
  bool in_text = true;  ///< if not, the numbers stand elsewhere on the page
};

/// Ranges without rows for a figure by platform whose numbers stand in a table of the page.
Ranges platform_ranges(std::string title);

/// Adds P10, P50 and P90 of one platform to a figure, each labelled by `words`, and to its table as
/// a cell made by `to_cell`.
template <class Quantiles, class Words, class ToCell>
void add_range_row(Ranges& ranges, const std::string& label, const Quantiles& q, const Words& words,
                   const ToCell& to_cell) {
  ranges.rows.push_back({label, {q.p10, q.p50, q.p90}, {words(q.p10), words(q.p50), words(q.p90)}});
  ranges.numbers.add_row({label, to_cell(q.p10), to_cell(q.p50), to_cell(q.p90)});
}

/// Lines of a Curve that differ by colour or dashes.
inline constexpr std::size_t kMostCurveSeries = 12;

/// Points over an axis, with lines between those of one series.
struct Curve {
  struct Point {
    double x = 0;
    double y = 0;
    std::string label = {};
    bool chosen = false;
  };
  struct Series {
    std::string name;
    std::vector<Point> points;
    bool line = true;
    bool dashed = false;  ///< a reference line, without marks at its points
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
  bool diagonal = false;  ///< draws the diagonal, for axes that measure the same
  struct Mark {
    double x = 0;
    std::string label;
  };
  std::optional<Mark> mark = {};  ///< a place along x that the question set
  Table numbers;
  bool in_text = false;              ///< text shows the numbers
  bool numbers_only_behind = false;  ///< the numbers stand behind the figure of HTML alone
};

/// Every how many points of a line there is a mark and a row of numbers.
inline std::size_t mark_step(std::size_t points) {
  constexpr std::size_t kMostMarks = 100;
  return points > kMostMarks ? (points + kMostMarks - 1) / kMostMarks : 1;
}

/// One value over two axes as a field of shaded cells.
struct Heat {
  struct Cell {
    std::optional<double> value = {};
    std::string words;
    bool chosen = false;
  };
  std::string title;
  std::string x;
  std::string y;
  std::vector<std::string> columns;  ///< titles along x
  struct Row {
    std::string label;  ///< along y
    std::vector<Cell> cells;
  };
  std::vector<Row> rows;
};

/// Warnings, which a terminal shows on stderr unless `in_text` puts them on the page.
struct Warnings {
  std::vector<std::string> lines;
  bool in_text = false;
};

/// The place of a strip of inputs that recomputes Document::budget, in HTML.
struct WhatIf {
  std::size_t first = 0;  ///< column of the budget to begin with
};

using Piece =
    std::variant<Heading, Facts, Paragraph, Grid, Bars, Ranges, Curve, Heat, Warnings, WhatIf>;

/// One answer.
struct Page {
  std::string title;
  std::string made_by;  ///< program and date of prices: beside the first heading, or at the end
  std::vector<Piece> pieces = {};
  std::string note = {};     ///< before `made_by`
  std::string subject = {};  ///< model, for the title of a document
  bool titled = true;        ///< if not, text uses the first heading as its title
  bool bare = false;         ///< text is only the tables, without indent

  Page& add(Piece piece);
};

/// Meaning of a `~` before an amount, for every page that has one.
inline constexpr std::string_view kImputedLegend =
    "~ Estimated price: too few quotes in this class.";

/// Returns `trcost 0.2.0, price book of 2026-10-26`, without prices if the date is empty.
std::string made_by(std::string_view price_data_date = {});

/// Returns `1 USD is 0.92 EUR, and flags take USD. ` if amounts are shown in another currency than
/// dollars, else nothing.
std::string currency_words();
/// Says of when the prices are: `Newest price: 2026-11-09. `, or the day to which they are
/// aged. Adds the rate of another currency.
std::string price_data_words(std::string_view newest, std::string_view as_of = {});

}  // namespace trcost::report
