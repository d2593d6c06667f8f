// SPDX-License-Identifier: Apache-2.0
#include "report/table/markup.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/table/text_width.h"
#include "text/unicode.h"

namespace trcost::report {

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

// Lets a title such as `cost.price_per_gpu_hour` continue on the next line after a dot or
// underscore.
std::string breakable(const std::string& words) {
  std::string out;
  for (const char c : words) {
    out += c;
    if (c == '.' || c == '_') out += "<wbr>";
  }
  return out;
}

}  // namespace

namespace {

constexpr int kLongText = 60;  // columns of a terminal, from which a cell is a sentence
constexpr int kWord = 16;      // columns up to which text without spaces stays on one line

std::string attribute(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  return fmt::format(" {}=\"{}\"", name, html_escape(value));
}

std::string class_attribute(bool number, bool strong, bool unknown, bool text,
                            std::string_view words) {
  std::string classes;
  const auto add = [&](bool wanted, std::string_view name) {
    if (wanted) classes += (classes.empty() ? "" : " ") + std::string(name);
  };
  const int width = text ? display_width(words) : 0;
  add(number, "number");
  add(strong, "strong");
  add(unknown, "unknown");
  add(width > kLongText, "long");
  // A date such as 2026-10-24 would break at its hyphens.
  add(width > 0 && width <= kWord && words.find('-') != std::string_view::npos &&
          words.find(' ') == std::string_view::npos,
      "word");
  return attribute("class", classes);
}

bool is_late_number(const Table& table, std::size_t column) {
  return column >= kClassedColumns && table.columns()[column].align == Align::right;
}

// Returns the heads of the columns, or nothing if no column has a title. A column whose title is
// blank has its key for screen readers.
std::string table_head(const Table& table) {
  const auto blank = [](std::string_view text) {
    return text.find_first_not_of(' ') == std::string_view::npos;
  };
  const bool untitled = std::ranges::all_of(
      table.columns(), [&](const TableColumn& column) { return blank(column.title); });
  if (untitled) return {};
  std::string out = "<thead><tr>";
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const TableColumn& column = table.columns()[c];
    const bool named = !blank(column.title);
    const bool other = named && column.key != column.title;
    out += "<th scope=\"col\"" +
           class_attribute(is_late_number(table, c), column.strong, false, false, {}) +
           attribute("title", other ? std::string_view(column.key) : std::string_view()) + ">";
    out += named ? breakable(html_escape(column.title))
                 : "<span class=\"unseen\">" +
                       html_escape(blank(column.key) ? "row" : std::string_view(column.key)) +
                       "</span>";
    out += "</th>";
  }
  return out + "</tr></thead>\n";
}

}  // namespace

std::string html_table(const Table& table, std::string_view caption, bool sorts) {
  std::string classes = sorts ? "sort" : "";
  for (std::size_t c = 0; c < std::min(kClassedColumns, table.columns().size()); ++c) {
    if (table.columns()[c].align != Align::right) continue;
    classes += fmt::format("{}n{}", classes.empty() ? "" : " ", c + 1);
  }
  std::string out = "<div class=\"wide\"><table" + attribute("class", classes) + ">";
  if (!caption.empty()) out += "<caption>" + html_escape(caption) + "</caption>";
  out += '\n' + table_head(table) + "<tbody>\n";
  std::string header;  // of the row, which an empty first cell repeats for screen readers
  for (std::size_t r = 0; r < table.rows().size(); ++r) {
    const std::vector<Cell>& row = table.rows()[r];
    out += "<tr>";
    const bool repeats = !row.empty() && row.front().text().empty();
    if (!row.empty() && !repeats) header = html_escape(row.front().text());
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string_view tag = c == 0 ? "th" : "td";
      out += fmt::format("<{}{}{}{}>{}</{}>", tag, c == 0 ? " scope=\"row\"" : "",
                         class_attribute(is_late_number(table, c), row[c].is_strong(),
                                         row[c].kind() == Cell::Kind::unknown,
                                         row[c].kind() == Cell::Kind::text, row[c].text()),
                         attribute("title", c == 0 ? table.row_key(r) : std::string_view()),
                         c == 0 && repeats ? fmt::format("<span class=\"unseen\">{}</span>", header)
                                           : html_escape(row[c].text()),
                         tag);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string markdown_escape(std::string_view text) {
  constexpr std::string_view kMarkup = "\\|`*_<>[]~";
  std::string out;
  for (const char c : printable_line(text)) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const Table& table) {
  std::string out = "|";
  for (const TableColumn& column : table.columns()) {
    out += " " + markdown_escape(column.title) + " |";
  }
  out += "\n|";
  for (const TableColumn& column : table.columns()) {
    out += column.align == Align::right ? " ---: |" : " --- |";
  }
  out += '\n';
  for (const auto& row : table.rows()) {
    out += '|';
    for (const Cell& cell : row) {
      const std::string text = markdown_escape(cell.text());
      out += cell.is_strong() && !text.empty() ? " **" + text + "** |" : " " + text + " |";
    }
    out += '\n';
  }
  return out;
}

}  // namespace trcost::report
