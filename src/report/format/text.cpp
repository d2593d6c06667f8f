// SPDX-License-Identifier: Apache-2.0
// Text for a terminal.
#include <fmt/core.h>

#include <algorithm>

#include "report/format/format.h"
#include "report/page/page.h"
#include "report/page/text_page.h"

namespace trcost::report {
namespace {

int column_width(const Table& table, std::size_t column) {
  int width = display_width(table.columns()[column].title);
  for (const std::vector<Cell>& row : table.rows()) {
    width = std::max(width, display_width(row[column].text()));
  }
  return width;
}

// Returns the first column and those from `first` to before `last`.
Table select_columns(const Table& table, std::size_t first, std::size_t last) {
  const auto at = [](const auto& list, std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  std::vector<TableColumn> columns = {table.columns()[0]};
  columns.insert(columns.end(), at(table.columns(), first), at(table.columns(), last));
  Table out(std::move(columns));
  std::size_t rule = 0;
  for (std::size_t i = 0; i < table.rows().size(); ++i) {
    for (; rule < table.rules().size() && table.rules()[rule] <= i; ++rule) out.add_rule();
    const std::vector<Cell>& row = table.rows()[i];
    std::vector<Cell> cells = {row[0]};
    cells.insert(cells.end(), at(row, first), at(row, last));
    out.add_row(std::move(cells));
  }
  return out;
}

// Splits a table into several of at most `width` columns, each with the first column.
std::vector<Table> split_columns(const Table& table, int width) {
  constexpr int kGap = 2;
  std::vector<Table> out;
  std::size_t first = 1;
  while (first < table.columns().size()) {
    int used = column_width(table, 0) + kGap + column_width(table, first);
    std::size_t last = first + 1;
    while (last < table.columns().size()) {
      used += kGap + column_width(table, last);
      if (used > width) break;
      ++last;
    }
    out.push_back(select_columns(table, first, last));
    first = last;
  }
  return out;
}

Table first_rows(const Table& table, std::size_t count) {
  Table out(table.columns());
  for (std::size_t i = 0; i < count; ++i) out.add_row(table.rows()[i]);
  return out;
}

// Text with an empty line between a table and other pieces except its notes and headings.
class TextWriter {
 public:
  TextWriter(const Page& page, const Style& style) : page_(page), text_(style) {
    if (page.titled) text_.heading(page.title, origin_note());
    has_heading_ = page.titled;
  }

  std::string draw() {
    for (const Piece& piece : page_.pieces) {
      if (const auto* heading = std::get_if<Heading>(&piece)) {
        skipping_ = !heading->in_text || (heading->detail && !text_.style().details);
      }
      if (!skipping_) std::visit([&](const auto& b) { add(b); }, piece);
    }
    return text_.take();
  }

 private:
  enum class Last { other, heading, table, words };

  [[nodiscard]] std::string origin_note() const {
    return page_.note.empty() ? page_.made_by : page_.note + ", " + page_.made_by;
  }

  void separate(Last now) {
    const bool table = last_ == Last::table || now == Last::table;
    const bool both = last_ != Last::heading && last_ != Last::other;
    if (table && both) text_.blank();
    last_ = now;
  }

  void add(const Heading& heading) {
    const bool first = !has_heading_;
    has_heading_ = true;
    const std::string& note = heading.text_note.empty() ? heading.note : heading.text_note;
    text_.heading(heading.text, first && note.empty() && page_.titled ? origin_note() : note);
    last_ = Last::heading;
  }
  void add(const Facts& facts) {
    if (facts.facts.empty()) return;
    separate(Last::words);
    text_.facts(facts.facts);
  }
  void add(const Paragraph& paragraph) {
    if (paragraph.tone != Ink::dim) separate(Last::words);
    last_ = Last::words;
    text_.paragraph(paragraph.text, paragraph.hang, paragraph.tone);
  }
  void add(const Grid& grid) {
    if (grid.table.rows().empty()) return;
    for (const Paragraph& paragraph : grid.in_text) add(paragraph);
    if (!grid.in_text.empty()) return;
    const std::size_t rows = grid.table.rows().size();
    if (grid.in_text_rows > 0 && rows > grid.in_text_rows) {
      add_table(first_rows(grid.table, grid.in_text_rows));
      return add(
          Paragraph{fmt::format("{} more rows in --format csv and json", rows - grid.in_text_rows),
                    Ink::dim});
    }
    if (!grid.splits) return add_table(grid.table);
    for (const Table& table : split_columns(grid.table, text_.inner_width())) add_table(table);
  }
  void add_table(const Table& table) {
    separate(Last::table);
    text_.table(table);
  }
  void add(const Bars& bars) {
    if (!bars.in_text) return;
    separate(Last::words);
    int label_width = bars.label_width;
    int value_width = bars.value_width;
    for (const Bars::Bar& bar : bars.bars) {
      label_width = std::max(label_width, display_width(bar.label));
      value_width = std::max(value_width, display_width(bar.value));
    }
    for (const Bars::Bar& bar : bars.bars) {
      text_.bar(bar.label, label_width, bar.share, bar.value, value_width);
    }
  }
  void add(const Ranges& ranges) {
    if (!ranges.in_text) return;
    separate(Last::words);
    double most = 0;
    int label_width = 0;
    int word_width = 0;
    for (const Ranges::Row& row : ranges.rows) {
      most = std::max(most, row.at[2]);
      label_width = std::max(label_width, display_width(row.label));
      for (const std::string& word : row.words) {
        word_width = std::max(word_width, display_width(word));
      }
    }
    constexpr int kMargins = 4;
    constexpr int kNarrowest = 10;
    const int available = text_.inner_width() - label_width - (3 * word_width + 2) - kMargins;
    const int width = std::max(available, kNarrowest);
    for (const Ranges::Row& row : ranges.rows) {
      const std::string bar =
          range_bar(row.at[0], row.at[1], row.at[2], most, available, text_.style().unicode);
      text_.line(pad_right(row.label, label_width) + "  " +
                 pad_right(paint(bar, Ink::accent, text_.style()), width) + "  " +
                 fmt::format("{0:>{3}} {1:>{3}} {2:>{3}}", row.words[0], row.words[1], row.words[2],
                             word_width));
    }
  }
  void add(const Curve& curve) {
    if (curve.in_text) add(Grid{curve.numbers});
  }
  void add(const Heat&) {}  // the rows stand elsewhere on the page
  void add(const WhatIf&) {}
  void add(const Warnings& warnings) {
    if (!warnings.in_text) return;
    for (const std::string& line : warnings.lines) {
      separate(Last::words);
      text_.paragraph("! " + line, 2, Ink::warn);
    }
  }

  const Page& page_;
  TextPage text_;
  Last last_ = Last::heading;
  bool has_heading_ = false;
  bool skipping_ = false;
};

std::string draw_text(const Document& document, const Style& style) {
  const Page page = document.text_page ? document.text_page() : document.page();
  std::string out;
  if (page.bare) {
    for (const Piece& piece : page.pieces) {
      if (const auto* grid = std::get_if<Grid>(&piece)) out += text_table(grid->table, style);
    }
  } else {
    out = TextWriter(page, style).draw();
  }
  if (document.below) out += document.below();
  return out;
}

}  // namespace

const FormatWriter table_format = {draw_text, nullptr, kMostTableRows, "table"};

}  // namespace trcost::report
