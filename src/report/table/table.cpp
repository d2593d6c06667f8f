// SPDX-License-Identifier: Apache-2.0
#include "report/table/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "quantity/currency.h"
#include "report/table/text_width.h"
#include "text/unicode.h"

namespace trcost::report {

Cell::Cell(std::string_view text) : text_(text) {}
Cell::Cell(const char* text) : text_(text) {}
Cell::Cell(const std::string& text) : text_(text) {}

Cell Cell::unknown() {
  Cell cell("n/a");
  cell.kind_ = Kind::unknown;
  return cell;
}

Cell Cell::number(double value, NumberKind kind, int significant) {
  if (!std::isfinite(value)) return number(value, "n/a", kind);
  constexpr double kLong = 1e4;  // shorter numbers are read at a glance
  const bool long_count = kind == NumberKind::integer && std::abs(value) >= kLong;
  return number(value, long_count ? grouped(value, 0) : format_number(value, kind, significant),
                kind);
}

Cell Cell::number(std::optional<double> value, NumberKind kind, int significant) {
  return value ? number(*value, kind, significant) : unknown();
}

Cell Cell::number(double value, std::string shown, std::optional<NumberKind> kind) {
  Cell cell(shown);
  cell.shown_as_ = kind;
  cell.kind_ = Kind::number;
  cell.value_ = value;
  return cell;
}

Cell Cell::boolean(bool value) {
  Cell cell(value ? "yes" : "no");
  cell.kind_ = Kind::boolean;
  cell.value_ = value ? 1 : 0;
  return cell;
}

Cell Cell::json(std::string text) {
  Cell cell(text);
  cell.json_ = true;
  return cell;
}

Cell Cell::strong() const {
  Cell cell = *this;
  cell.strong_ = true;
  return cell;
}

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  for (TableColumn& column : columns_) {
    if (column.key.empty()) column.key = column.title;
    column.title = in_shown_currency(std::move(column.title));
  }
}

void Table::add_row(std::vector<Cell> cells) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error("a table row needs one cell per column");
  }
  rows_.push_back(std::move(cells));
}

void Table::add_rule() {
  rules_.push_back(rows_.size());
}

void Table::set_row_key(std::string key) {
  keys_.resize(rows_.size());
  keys_.back() = std::move(key);
}

namespace {

constexpr int kGap = 2;             // spaces between columns
constexpr int kNarrowestWrap = 12;  // narrower text is hard to read
constexpr int kNarrowestCut = 8;

// The columns that a text table shows, and their widths.
struct ColumnWidths {
  std::vector<std::size_t> shown;
  std::vector<int> widths;  // of all columns
  std::size_t dropped = 0;
  // By column, cut texts that would look alike on one line, each with as much of it as differs.
  std::map<std::size_t, std::map<std::string, std::string>> distinct = {};
};

int total_width(const ColumnWidths& layout) {
  int total = 0;
  for (const std::size_t column : layout.shown) total += layout.widths[column] + kGap;
  return total - (layout.shown.empty() ? 0 : kGap);
}

int natural_width(const Table& table, std::size_t column) {
  int width = display_width(table.columns()[column].title);
  for (const auto& row : table.rows()) {
    width = std::max(width, display_width(printable_line(row[column].text())));
  }
  return width;
}

// Narrows the widest flexible column until the lines fit or all columns are at their narrowest.
void narrow_columns(const Table& table, int width, ColumnWidths& layout) {
  const auto narrowest = [&](std::size_t column) {
    switch (table.columns()[column].overflow) {
      case Overflow::wrap:
        return kNarrowestWrap;
      case Overflow::cut:
        return kNarrowestCut;
      default:
        return layout.widths[column];
    }
  };
  while (total_width(layout) > width) {
    std::size_t widest = table.columns().size();
    for (const std::size_t column : layout.shown) {
      if (layout.widths[column] <= narrowest(column)) continue;
      if (widest == table.columns().size() || layout.widths[column] > layout.widths[widest]) {
        widest = column;
      }
    }
    if (widest == table.columns().size()) return;
    --layout.widths[widest];
  }
}

ColumnWidths fit_columns(const Table& table, int width) {
  ColumnWidths layout;
  layout.shown.resize(table.columns().size());
  std::iota(layout.shown.begin(), layout.shown.end(), std::size_t{0});
  std::vector<int> natural;
  for (const std::size_t column : layout.shown) natural.push_back(natural_width(table, column));
  while (true) {
    layout.widths = natural;
    narrow_columns(table, width, layout);
    if (total_width(layout) <= width) return layout;
    const auto rightmost = [&](Overflow overflow) {
      return std::find_if(layout.shown.rbegin(), layout.shown.rend(),
                          [&](std::size_t c) { return table.columns()[c].overflow == overflow; });
    };
    auto last = rightmost(Overflow::drop_first);
    if (last == layout.shown.rend()) last = rightmost(Overflow::drop);
    if (last == layout.shown.rend()) return layout;
    layout.shown.erase(std::next(last).base());
    ++layout.dropped;
  }
}

// Stores as much of each text as no other begins with, in whole lines.
void cut_distinctly(const std::set<std::string>& texts, int width, bool unicode,
                    std::map<std::string, std::string>& out) {
  for (int room = 2 * width;; room += width) {
    std::set<std::string> cuts;
    bool all = true;
    for (const std::string& text : texts) {
      const std::string& cut = out[text] = cut_to_width(text, room, unicode);
      cuts.insert(cut);
      all = all && cut == text;
    }
    if (all || cuts.size() == texts.size()) return;
  }
}

// Gives cut texts more lines in rows whose left-aligned cells would look the same.
void keep_rows_distinct(const Table& table, const Style& style, ColumnWidths& layout) {
  const auto text_of = [&](const std::vector<Cell>& row, std::size_t column) {
    return printable_line(row[column].text());
  };
  std::map<std::string, std::vector<const std::vector<Cell>*>> alike;
  for (const auto& row : table.rows()) {
    std::string label;
    for (const std::size_t column : layout.shown) {
      const TableColumn& info = table.columns()[column];
      if (info.align != Align::left) continue;
      const std::string text = text_of(row, column);
      const bool cut = info.overflow == Overflow::cut;
      label += (cut ? cut_to_width(text, layout.widths[column], style.unicode) : text) + '\n';
    }
    alike[label].push_back(&row);
  }
  for (const auto& [label, rows] : alike) {
    for (const std::size_t column : layout.shown) {
      if (table.columns()[column].overflow != Overflow::cut) continue;
      std::set<std::string> texts;
      for (const auto* row : rows) texts.insert(text_of(*row, column));
      if (texts.size() < 2) continue;
      cut_distinctly(texts, layout.widths[column], style.unicode, layout.distinct[column]);
    }
  }
}

void trim_line(std::string& line) {
  while (line.ends_with(' ')) line.pop_back();
}

std::string align_text(std::string_view text, int width, Align align) {
  return align == Align::right ? pad_left(text, width) : pad_right(text, width);
}

// Appends one row, which takes several lines if a cell is wrapped.
void append_row(std::string& out, const Table& table, const ColumnWidths& layout,
                const std::vector<Cell>& row, const Style& style) {
  std::vector<std::vector<std::string>> cells;
  std::size_t lines = 1;
  for (const std::size_t column : layout.shown) {
    const std::string text = printable_line(row[column].text());
    const int width = layout.widths[column];
    const auto distinct = layout.distinct.find(column);
    const bool lengthened = distinct != layout.distinct.end() && distinct->second.contains(text);
    if (table.columns()[column].overflow == Overflow::wrap || lengthened) {
      cells.push_back(wrap_to_width(lengthened ? distinct->second.at(text) : text, width));
    } else {
      cells.push_back({cut_to_width(text, width, style.unicode)});
    }
    lines = std::max(lines, cells.back().size());
  }
  for (std::size_t i = 0; i < lines; ++i) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t column = layout.shown[c];
      const std::string_view text = i < cells[c].size() ? std::string_view(cells[c][i]) : "";
      if (c > 0) line.append(kGap, ' ');
      const std::string cell =
          row[column].is_strong() ? paint(text, Ink::good, style) : std::string(text);
      line += align_text(cell, layout.widths[column], table.columns()[column].align);
    }
    trim_line(line);
    out += line + '\n';
  }
}

std::string header_line(const Table& table, const ColumnWidths& layout, const Style& style) {
  std::string line;
  for (const std::size_t column : layout.shown) {
    if (!line.empty()) line.append(kGap, ' ');
    const TableColumn& info = table.columns()[column];
    const std::string title = cut_to_width(info.title, layout.widths[column], style.unicode);
    line += align_text(paint(title, info.strong ? Ink::good : Ink::bold, style),
                       layout.widths[column], info.align);
  }
  trim_line(line);
  return line;
}

// A row as lines of title and text, for a width that the columns of the table exceed.
void append_record(std::string& out, const Table& table, const std::vector<Cell>& row,
                   const Style& style) {
  int title_width = 0;
  for (const TableColumn& column : table.columns()) {
    title_width = std::max(title_width, display_width(column.title));
  }
  const bool titled = title_width > 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string text = printable_line(row[c].text());
    if (text.empty()) continue;
    const TableColumn& column = table.columns()[c];
    // Without titles, later cells are indented below the first.
    const int indent = titled ? title_width + kGap : c > 0 ? kGap : 0;
    std::string head =
        pad_right(paint(column.title, column.strong ? Ink::good : Ink::bold, style), indent);
    for (const std::string& part : wrap_to_width(text, std::max(1, style.width - indent))) {
      std::string line = head + (row[c].is_strong() ? paint(part, Ink::good, style) : part);
      trim_line(line);
      out += line + '\n';
      head.assign(indent, ' ');
    }
  }
}

bool is_headless(const Table& table) {
  return std::ranges::all_of(table.columns(),
                             [](const TableColumn& column) { return column.title.empty(); });
}

// Every row as a record, separated by an empty line if it has titles.
std::string text_records(const Table& table, const Style& style) {
  std::string out;
  for (const std::vector<Cell>& row : table.rows()) {
    if (!out.empty() && !is_headless(table)) out += '\n';
    append_record(out, table, row, style);
  }
  return out;
}

}  // namespace

std::string text_table(const Table& table, const Style& style) {
  ColumnWidths layout = fit_columns(table, style.width);
  if (total_width(layout) > style.width) return text_records(table, style);
  keep_rows_distinct(table, style, layout);
  std::string rule;
  const int rule_width = std::min(total_width(layout), std::max(style.width, 1));
  for (int i = 0; i < rule_width; ++i) rule += style.unicode ? "\u2500" : "-";
  const std::string rule_line = paint(rule, Ink::dim, style) + '\n';
  std::string out =
      is_headless(table) ? std::string() : header_line(table, layout, style) + '\n' + rule_line;
  std::size_t next_rule = 0;
  for (std::size_t i = 0; i < table.rows().size(); ++i) {
    while (next_rule < table.rules().size() && table.rules()[next_rule] <= i) {
      if (table.rules()[next_rule++] == i && i > 0) out += rule_line;
    }
    append_row(out, table, layout, table.rows()[i], style);
  }
  if (layout.dropped > 0) {
    out += paint(fmt::format("{} more column{} in --format csv and json", layout.dropped,
                             layout.dropped == 1 ? "" : "s"),
                 Ink::dim, style) +
           '\n';
  }
  return out;
}

}  // namespace trcost::report
