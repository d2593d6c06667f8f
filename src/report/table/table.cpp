// SPDX-License-Identifier: Apache-2.0
#include "report/table/table.h"

#include <cmath>
#include <stdexcept>
#include <utility>

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
  return number(value, std::isfinite(value) ? format_number(value, kind, significant) : "n/a",
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

Cell Cell::strong() const {
  Cell cell = *this;
  cell.strong_ = true;
  return cell;
}

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  for (TableColumn& column : columns_) {
    if (column.key.empty()) column.key = column.title;
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

}  // namespace trcost::report
