// SPDX-License-Identifier: Apache-2.0
#include "report/table/markup.h"
#include "report/table/table.h"

namespace trcost::report {

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

}  // namespace trcost::report
