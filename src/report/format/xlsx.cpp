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
    if (!shown) return book.text(column, cell.text(), bold);
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
      return book.text(column, cell.text(), cell.is_strong());
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
      return book.text(column, value.text);
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
    book_.sheet(page.title, 0, 0);
    book_.width(0, 28);
    for (std::size_t column = 1; column < 12; ++column) book_.width(column, 18);
    line(page.title, true);
    if (!page.subject.empty()) line(page.subject);
    if (!pointer.empty()) line(pointer);
    if (!page.note.empty()) line(page.note);
    for (const Piece& piece : page.pieces) std::visit([&](const auto& b) { add(b); }, piece);
    book_.next_row();
    line(page.made_by);
  }

 private:
  void line(std::string_view text, bool bold = false) {
    book_.text(0, text, bold);
    book_.next_row();
  }
  void table(const Table& table) {
    if (table.rows().empty()) return;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      book_.text(c, table.columns()[c].title, true);
    }
    book_.next_row();
    for (const std::vector<Cell>& row : table.rows()) {
      for (std::size_t c = 0; c < row.size(); ++c) write_cell(book_, c, row[c]);
      book_.next_row();
    }
    book_.next_row();
  }
  void add(const Heading& heading) {
    book_.next_row();
    book_.text(0, heading.text, true);
    book_.next_row();
    if (!heading.note.empty()) line(heading.note);
  }
  void add(const Facts& facts) {
    for (const Fact& fact : facts.facts) {
      book_.text(0, fact.label);
      book_.text(1, fact.text);
      book_.next_row();
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
  void add(const Warnings& warnings) {
    for (const std::string& warning : warnings.lines) line("Warning: " + warning);
  }

  WorkbookFile& book_;
};

// Adds a chart of one column of the rows over another, beside them.
void add_scatter(WorkbookFile& book, const RowPlan& plan, const std::string& sheet,
                 const Scatter& scatter) {
  const auto index = [&](const ColumnInfo* column) {
    return static_cast<std::size_t>(std::ranges::find(plan.cells(), column, &RowCell::info) -
                                    plan.cells().begin());
  };
  const std::size_t x = index(scatter.x);
  const std::size_t y = index(scatter.y);
  const std::size_t end = plan.cells().size();
  if (x == end || y == end) return;
  const std::size_t last = book.row() - 1;
  const std::string x_title(scatter.x->path), y_title(scatter.y->path);
  book.chart(1, end + 1,
             {.kind = WorkbookFile::ChartKind::points,
              .title = y_title + " over " + x_title,
              .series = {{y_title, WorkbookFile::range_name(sheet, 1, x, last, x),
                          WorkbookFile::range_name(sheet, 1, y, last, y)}},
              .x_title = x_title,
              .y_title = y_title,
              .y_kind = scatter.y->display,
              .legend = false});
}

// Adds a sheet of the rows of one list, with the column names of CSV, unless the list is empty.
void add_rows(WorkbookFile& book, const Record& record, std::string_view rows, bool all,
              const std::optional<Scatter>& scatter = {}) {
  const RowPlan plan(record.table(), rows, all);
  std::size_t count = 0;
  plan.each(record, [&](std::span<const Record> way) {
    if (count++ == 0) {
      book.sheet(sheet_name(rows), 1, 1);
      for (std::size_t c = 0; c < plan.cells().size(); ++c) {
        const ColumnInfo& info = *plan.cells()[c].info;
        const std::string title = info.path.empty() ? sheet_name(rows) : std::string(info.path);
        book.text(c, title, true);
        book.width(c,
                   std::clamp(static_cast<double>(title.size()) + 2, kNarrowestCell, kWidestCell));
      }
      book.next_row();
    }
    if (count > kMostSheetRows) {
      throw Error(ErrorKind::usage, "more rows than a sheet of a workbook holds",
                  "use --format csv, or keep fewer rows", "--format");
    }
    for (std::size_t c = 0; c < plan.cells().size(); ++c) {
      const RowCell& cell = plan.cells()[c];
      write_cell(book, c, way[cell.level].value(cell.column));
    }
    book.next_row();
  });
  if (count == 0) return;
  book.filter(plan.cells().size() - 1);
  if (scatter) add_scatter(book, plan, sheet_name(rows), *scatter);
}

// Adds a sheet of every list except `rows`, including lists within the rows.
void add_lists(WorkbookFile& book, const Record& record, const ColumnTable& table,
               const std::string& before, std::string_view rows) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ColumnInfo& info = table.info(i);
    if (info.kind != ColumnKind::list) continue;
    const std::string path = before + std::string(info.path);
    const bool contains_rows = path == rows || rows.starts_with(path + "/");
    if (!contains_rows) add_rows(book, record, path, false);
    const ColumnTable& items = table.items(i);
    if (&items != &text_columns()) add_lists(book, record, items, path + "/", rows);
  }
}

// Adds a sheet of what made the file, with the command and the scenario that make it again.
void add_origin(WorkbookFile& book, const Document& document, const Page& page,
                const std::vector<Fact>& sources) {
  book.sheet("Origin", 1, 1);
  book.width(0, 24);
  book.width(1, 120);
  book.text(0, "What", true);
  book.text(1, "Value", true);
  book.next_row();
  const auto row = [&](std::string_view what, std::string_view value) {
    if (value.empty()) return;
    book.text(0, what);
    book.text(1, value);
    book.next_row();
  };
  row("made by", page.made_by);
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
      page, has_formulas
                ? fmt::format("What follows is as it was computed; the sheet {} computes it "
                              "again from its marked cells",
                              budget->name)
                : std::string());
  if (has_formulas) draw_calculation(book, *budget);
  add_rows(book, document.lines.value_or(document.record), document.rows, document.scalars_in_rows,
           document.scatter);
  add_lists(book, document.record, document.record.table(), {}, document.rows);
  add_origin(book, document, page, budget ? budget->sources : std::vector<Fact>());
  return book.close();
}

}  // namespace

const FormatWriter xlsx_format = {draw_workbook, nullptr, kMostSheetRows, "sheet of a workbook"};

}  // namespace trcost::report
