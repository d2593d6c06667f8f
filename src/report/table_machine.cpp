// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/document_head.h"
#include "text/cells.h"
#include "text/json_writer.h"
#include "report/markup.h"
#include "text/json_string.h"
#include "trcost/error.h"
#include "trcost/report.h"
#include "trcost/rows.h"
#include "trcost/table.h"

namespace trcost {
namespace {

void append_json_cell(std::string& out, const Cell& cell, std::string_view key) {
  switch (cell.kind()) {
    case Cell::Kind::text:
      append_json_string(out, cell.text());
      return;
    case Cell::Kind::number:
      append_json_number(out, cell.value(), key);
      return;
    case Cell::Kind::boolean:
      out += cell.value() != 0 ? "true" : "false";
      return;
    case Cell::Kind::unknown:
      out += "null";
      return;
  }
}

void append_csv_cell(std::string& out, const Cell& cell, std::string_view key) {
  switch (cell.kind()) {
    case Cell::Kind::text:
      append_csv_text(out, cell.text());
      return;
    case Cell::Kind::number:
      append_csv_number(out, cell.value(), key);
      return;
    case Cell::Kind::boolean:
      out += cell.value() != 0 ? "true" : "false";
      return;
    case Cell::Kind::unknown:
      return;
  }
}

void append_json_row(std::string& out, const Table& table, const std::vector<Cell>& row,
                     std::string_view separator) {
  out += '{';
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (c > 0) out += separator;
    append_json_string(out, table.columns()[c].key);
    out += separator.size() > 1 ? ": " : ":";
    append_json_cell(out, row[c], table.columns()[c].key);
  }
  out += '}';
}

}  // namespace

std::string to_markdown(const Table& table) {
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

std::string to_csv(const Table& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (c > 0) out += ',';
    append_csv_text(out, table.columns()[c].key);
  }
  out += '\n';
  for (const auto& row : table.rows()) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ',';
      append_csv_cell(out, row[c], table.columns()[c].key);
    }
    out += '\n';
  }
  return out;
}

std::string to_jsonl(const Table& table) {
  std::string out;
  for (const auto& row : table.rows()) {
    append_json_row(out, table, row, ",");
    out += '\n';
  }
  return out;
}

std::string to_json(const Table& table, std::string_view list_name) {
  std::string list = "[";
  for (std::size_t i = 0; i < table.rows().size(); ++i) {
    list += i > 0 ? ",\n  " : "\n  ";
    append_json_row(list, table, table.rows()[i], ", ");
  }
  list += table.rows().empty() ? "]" : "\n]";
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  write_versions(writer);
  writer.raw(list_name, list);
  writer.end_object();
  return out + '\n';
}

std::string to_html(const Table& table, std::string_view title) {
  return html_page(title, "<h1>" + html_escape(title) + "</h1>\n" + html_table(table));
}

std::string to_format(const Table& table, Format format, const Style& style,
                      std::string_view list_name) {
  switch (format) {
    case Format::table:
      return to_text(table, style);
    case Format::json:
      return to_json(table, list_name);
    case Format::jsonl:
      return to_jsonl(table);
    case Format::csv:
      return to_csv(table);
    case Format::md:
      return to_markdown(table);
    case Format::html:
      return to_html(table, list_name);
    case Format::xlsx:
      break;
  }
  throw Error(ErrorKind::usage, "a workbook is made of estimates only",
              "use --format csv, which every spreadsheet opens", "--format");
}

}  // namespace trcost
