// SPDX-License-Identifier: Apache-2.0
// A workbook: the page, live formulas, the rows, all other lists, and the origin of the file.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "json/row_writer.h"
#include "quantity/currency.h"
#include "report/chart/chart.h"
#include "report/format/format.h"
#include "report/page/page.h"
#include "report/workbook/calculation.h"
#include "report/workbook/cell_format.h"
#include "report/workbook/workbook_file.h"
#include "text/unicode.h"
#include "trcost/error.h"
#include "trcost/version.h"

namespace trcost::report {
namespace {

// Rows of a sheet below its header.
constexpr std::uint64_t kMostSheetRows = 1'048'575;

constexpr double kWidestCell = 60;  // letters
constexpr double kNarrowestCell = 10;

// Lines that a text takes in a cell of a width in letters.
std::size_t lines_in(std::string_view text, double width) {
  if (display_width(text) <= width) return 1;
  return wrap_to_width(text, static_cast<int>(width)).size();
}

// Returns the name of a list for people: `Line items` for `cost.line_items`.
std::string sheet_name(std::string_view path) {
  const std::size_t mark = path.find_last_of("./");
  std::string name(mark == std::string_view::npos ? path : path.substr(mark + 1));
  std::ranges::replace(name, '_', ' ');
  if (!name.empty()) {
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  return name;
}

// Writes a number that looks as on the page, in the unit of its heading.
void write_number(WorkbookFile& book, std::size_t column, const Cell& cell) {
  const bool bold = cell.is_strong();
  std::optional<ShownNumber> shown;
  if (cell.shown_as() == NumberKind::duration) {
    shown = shown_duration(cell.value());
  } else if (!cell.shown_as()) {
    const Currency& currency = shown_currency();
    const bool money = cell.text().find(currency.sign) != std::string::npos;
    shown = shown_number(cell.value() * (money ? currency.per_usd : 1), cell.text());
    if (!shown) return book.text(column, cell.text(), {.bold = bold, .right = true});
  }
  if (!shown) return book.number(column, cell.value(), {cell.shown_as(), bold});
  book.number(column, shown->value, {.kind = {}, .bold = bold, .format = shown->format});
}

void write_cell(WorkbookFile& book, std::size_t column, const Cell& cell) {
  switch (cell.kind()) {
    case Cell::Kind::number:
      return write_number(book, column, cell);
    case Cell::Kind::boolean:
      return book.boolean(column, cell.value() != 0);
    case Cell::Kind::text:
      return book.text(column, cell.text(), {.bold = cell.is_strong()});
    case Cell::Kind::unknown:
      return book.text(column, "n/a");
  }
}

void write_cell(WorkbookFile& book, std::size_t column, const Value& value) {
  switch (value.kind) {
    case Value::Kind::number:
      return book.number(column, value.number);
    case Value::Kind::boolean:
      return book.boolean(column, value.number != 0);
    case Value::Kind::text:
      return book.text(column, value.text, {.wrap = display_width(value.text) > kWidestCell});
    case Value::Kind::size: {
      std::string text;
      append_csv(text, value, "size");
      return book.text(column, text);
    }
    case Value::Kind::unknown:
    case Value::Kind::json:
      return;
  }
}

// Writes a page from top to bottom, with the numbers of figures as tables.
class PageSheet {
 public:
  explicit PageSheet(WorkbookFile& book) : book_(book) {}

  /// `pointer` is a line about the sheet of formulas.
  void draw(const Page& page, std::string_view pointer) {
    book_.sheet(page.title, 1, 0);
    book_.width(0, kFirstWidth);
    for (std::size_t column = 1; column < kColumns; ++column) book_.width(column, kWidth);
    line(page.title, true);
    if (!page.subject.empty()) line(page.subject);
    if (!page.note.empty()) line(page.note);
    bool folded = false;  // what a page folds stands on sheets of its own
    for (const Piece& piece : page.pieces) {
      if (const auto* heading = std::get_if<Heading>(&piece)) folded = heading->folded;
      if (!folded) std::visit([&](const auto& b) { add(b); }, piece);
    }
    book_.next_row();
    if (!pointer.empty()) line(pointer);
    line(page.made_by);
  }

 private:
  static constexpr int kFirstWidth = 30;  // letters
  static constexpr int kWidth = 14;
  static constexpr int kColumns = 9;
  static constexpr int kAllWidth = kFirstWidth + (kColumns - 1) * kWidth;

  // Adds a text from a column to the right end of the sheet, in as many rows as it needs.
  void text(std::size_t column, std::string_view text, bool bold = false) {
    const int width = column == 0 ? kAllWidth : kAllWidth - kFirstWidth;
    for (const std::string& each : wrap_to_width(text, width)) {
      book_.text(column, each, {.bold = bold});
      book_.next_row();
    }
  }
  void line(std::string_view words, bool bold = false) { text(0, words, bold); }
  // Writes a text of a table and returns the lines that it needs. The last column reaches to the
  // right end of the sheet.
  std::size_t word(const Table& table, std::size_t column, const Cell& cell) {
    const bool last = column + 1 == table.columns().size();
    const std::size_t lines =
        last ? 1 : wrap_to_width(cell.text(), column == 0 ? kFirstWidth : kWidth).size();
    book_.text(column, cell.text(),
               {.bold = cell.is_strong(),
                .right = table.columns()[column].align == Align::right &&
                         display_width(cell.text()) <= kWidth,
                .wrap = lines > 1});
    return lines;
  }
  void table(const Table& table) {
    if (table.rows().empty()) return;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      const TableColumn& column = table.columns()[c];
      book_.text(c, column.title, {.bold = true, .right = column.align == Align::right});
    }
    book_.next_row();
    for (const std::vector<Cell>& row : table.rows()) {
      std::size_t lines = 1;
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (row[c].kind() == Cell::Kind::text) {
          lines = std::max(lines, word(table, c, row[c]));
        } else {
          write_cell(book_, c, row[c]);
        }
      }
      book_.height(lines);
      book_.next_row();
    }
    book_.next_row();
  }
  void add(const Heading& heading) {
    book_.next_row();
    line(heading.text, true);
    if (!heading.note.empty()) line(heading.note);
  }
  void add(const Facts& facts) {
    for (const Fact& fact : facts.facts) {
      book_.text(0, fact.label, {.wrap = display_width(fact.label) > kFirstWidth});
      text(1, fact.text.empty() ? " " : fact.text);
    }
  }
  void add(const Paragraph& paragraph) { line(paragraph.text, paragraph.tone == Ink::good); }
  void add(const Grid& grid) { table(grid.table); }
  void add(const Bars& bars) {
    if (bars.in_text) table(bars.numbers);
  }
  void add(const Ranges& ranges) {
    if (ranges.in_text) table(ranges.numbers);
  }
  void add(const Curve& curve) {
    if (!curve.numbers_only_behind) table(curve.numbers);
  }
  void add(const Heat& heat) { table(heat_table(heat)); }
  void add(const WhatIf&) {}
  void add(const Warnings& warnings) {
    for (const std::string& warning : warnings.lines) line("Warning: " + warning);
  }

  WorkbookFile& book_;
};

// Adds a sheet with a chart of a curve above its points, two columns per line.
void add_chart(WorkbookFile& book, const Curve& curve) {
  constexpr std::size_t kChartRows = 26;
  constexpr double kDay = 86400;
  const bool times = curve.x.kind == NumberKind::duration;
  const std::string x_title = curve.x.title + (times ? ", days" : "");
  book.sheet("Chart", 0, 0);
  while (book.row() < kChartRows) book.next_row();
  std::size_t rows = 0;
  WorkbookFile::ChartSpec chart{.kind = WorkbookFile::ChartKind::points,
                                .title = curve.title,
                                .series = {},
                                .x_title = x_title,
                                .y_title = curve.y.title,
                                .y_kind = curve.y.kind};
  for (std::size_t s = 0; s < curve.series.size(); ++s) {
    const Curve::Series& of = curve.series[s];
    const std::size_t last = kChartRows + of.points.size();
    const auto range = [&](std::size_t column) {
      return WorkbookFile::range_name("Chart", kChartRows + 1, column, last, column);
    };
    book.text(2 * s, x_title, {.bold = true, .right = true});
    book.text(2 * s + 1, of.name, {.bold = true, .right = true});
    book.width(2 * s, kNarrowestCell + 4);
    book.width(2 * s + 1, kNarrowestCell + 4);
    chart.series.push_back(
        {.name = of.name, .categories = range(2 * s), .values = range(2 * s + 1)});
    rows = std::max(rows, of.points.size());
  }
  chart.legend = curve.series.size() > 1;
  book.chart(0, 0, chart);
  book.next_row();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t s = 0; s < curve.series.size(); ++s) {
      if (row >= curve.series[s].points.size()) continue;
      const Curve::Point& point = curve.series[s].points[row];
      book.number(2 * s, times ? point.x / kDay : point.x, {.kind = NumberKind::number});
      book.number(2 * s + 1, point.y, {.kind = curve.y.kind});
    }
    book.next_row();
  }
}

// Adds a sheet of the rows of one list, with the column names of CSV, unless the list is empty.
void add_rows(WorkbookFile& book, const Record& record, std::string_view rows, bool all,
              bool hidden = false) {
  const RowPlan plan(record.table(), rows, all);
  std::size_t count = 0;
  std::vector<double> widths(plan.cells().size(), kNarrowestCell);
  plan.each(record, [&](std::span<const Record> way) {
    if (count++ == 0) {
      book.sheet(sheet_name(rows), 1, 1);
      if (hidden) book.hide();
      for (std::size_t c = 0; c < plan.cells().size(); ++c) {
        const ColumnInfo& info = *plan.cells()[c].info;
        const std::string title = info.path.empty() ? sheet_name(rows) : std::string(info.path);
        book.text(c, title, {.bold = true, .right = info.kind == ColumnKind::number});
        widths[c] = std::max(widths[c], static_cast<double>(title.size()) + 2);
      }
      book.next_row();
    }
    if (count > kMostSheetRows) {
      throw Error(ErrorKind::usage, "more rows than a sheet of a workbook holds",
                  "use --format csv, or keep fewer rows", "--format");
    }
    std::size_t lines = 1;
    for (std::size_t c = 0; c < plan.cells().size(); ++c) {
      const RowCell& cell = plan.cells()[c];
      const Value value = way[cell.level].value(cell.column);
      if (value.kind == Value::Kind::text) {
        widths[c] = std::max(widths[c], static_cast<double>(display_width(value.text)) + 2);
        lines = std::max(lines, lines_in(value.text, kWidestCell));
      }
      write_cell(book, c, value);
    }
    book.height(lines);
    book.next_row();
  });
  if (count == 0) return;
  for (std::size_t c = 0; c < widths.size(); ++c) book.width(c, std::min(widths[c], kWidestCell));
  book.filter(plan.cells().size() - 1);
}

// List that prints beside a budget. The rows and the other lists are hidden: the page has them.
constexpr std::string_view kShownList = "assumptions";

// Adds a sheet of every list except `rows`, including lists within the rows.
void add_lists(WorkbookFile& book, const Record& record, const ColumnTable& table,
               const std::string& before, std::string_view rows, bool hides) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ColumnInfo& info = table.info(i);
    if (info.kind != ColumnKind::list) continue;
    const std::string path = before + std::string(info.path);
    const bool contains_rows = path == rows || rows.starts_with(path + "/");
    if (!contains_rows) add_rows(book, record, path, false, hides && info.path != kShownList);
    const ColumnTable& items = table.items(i);
    if (&items != &text_columns()) add_lists(book, record, items, path + "/", rows, hides);
  }
}

// Adds a sheet of what made the file, with the command and the scenario that make it again.
void add_origin(WorkbookFile& book, const Document& document, const Page& page,
                const std::vector<Fact>& sources) {
  constexpr double kNames = 24, kValues = 120;  // letters
  book.sheet("Origin", 1, 1);
  book.width(0, kNames);
  book.width(1, kValues);
  book.text(0, "What", {.bold = true});
  book.text(1, "Value", {.bold = true});
  book.next_row();
  const auto row = [&](std::string_view what, std::string_view value) {
    if (value.empty()) return;
    book.text(0, what, {.wrap = true});
    book.text(1, value, {.wrap = true});
    book.height(std::max(lines_in(what, kNames), lines_in(value, kValues)));
    book.next_row();
  };
  row("made by", page.made_by);
  if (document.budget)
    row("further sheets", "hidden, one per list of the JSON document: right-click a tab, Unhide");
  row("trcost", trcost_version());
  const std::size_t date = document.record.table().find(ColumnRole::price_date);
  if (date < document.record.table().size()) row("price book", document.record.value(date).text);
  row("command", document.command);
  row("scenario, as JSON", document.scenario);
  for (const Fact& source : sources) row("source of " + source.label, source.text);
}

std::string draw_workbook(const Document& document, const Style&) {
  const Page page = document.summary ? document.summary() : document.page();
  WorkbookFile book(page.title);
  const std::optional<Calculation> budget =
      document.budget ? std::optional(document.budget()) : std::nullopt;
  const bool has_formulas = budget && !budget->columns.empty();
  PageSheet(book).draw(
      page,
      has_formulas
          ? fmt::format("This sheet does not change. The sheet {} recomputes from its marked cells",
                        budget->name)
          : std::string());
  if (has_formulas) draw_calculation(book, *budget);
  if (document.chart) add_chart(book, *document.chart);
  add_rows(book, document.lines.value_or(document.record), document.rows, document.scalars_in_rows,
           has_formulas);
  add_lists(book, document.record, document.record.table(), {}, document.rows, has_formulas);
  add_origin(book, document, page, budget ? budget->sources : std::vector<Fact>());
  return book.close();
}

}  // namespace

const FormatWriter xlsx_format = {draw_workbook, nullptr, kMostSheetRows, "sheet of a workbook"};

}  // namespace trcost::report
