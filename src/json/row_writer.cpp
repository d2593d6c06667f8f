// SPDX-License-Identifier: Apache-2.0
#include "json/row_writer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "json/json_writer.h"
#include "quantity/suggest.h"
#include "text/csv.h"

namespace trcost::json {

void RowPlan::add(RowCell cell) {
  const auto same = [&](const RowCell& other) { return other.info->path == cell.info->path; };
  if (std::ranges::any_of(cells_, same)) return;
  append_json_string(cell.key, cell.info->path);
  cell.key += ':';
  cells_.push_back(std::move(cell));
}

void RowPlan::add_level(const ColumnTable& table, std::size_t level, bool keys) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ColumnInfo& info = table.info(i);
    if (info.kind == ColumnKind::list || info.kind == ColumnKind::json || info.after_rows) continue;
    if (!keys || info.rank == Rank::key) add({level, i, &info});
  }
}

RowPlan::RowPlan(const ColumnTable& document, std::string_view rows, bool all) {
  std::vector<const ColumnTable*> tables = {&document};
  for (const std::string_view list : split_text(rows, "/")) {
    const std::size_t column = tables.back()->find(list);
    if (column == tables.back()->size()) throw std::logic_error("no such list of rows");
    lists_.push_back(column);
    tables.push_back(&tables.back()->items(column));
  }
  for (std::size_t level = 0; level < lists_.size(); ++level) {
    add_level(*tables[level], level, true);
  }
  add_level(*tables.back(), lists_.size(), false);
  for (std::size_t level = lists_.size(); all && level-- > 0;) {
    add_level(*tables[level], level, false);
  }
}

void append_csv(std::string& out, const Value& value, std::string_view what) {
  switch (value.kind) {
    case Value::Kind::unknown:
      return;
    case Value::Kind::number:
      return append_finite(out, value.number, what);
    case Value::Kind::boolean:
      out += value.number != 0 ? "true" : "false";
      return;
    case Value::Kind::size:
      append_finite(out, value.number, what);
      out += 'x';
      return append_finite(out, value.other, what);
    case Value::Kind::text:
    case Value::Kind::json:
      return append_csv_text(out, value.text);
  }
}

void append_json(std::string& out, const Value& value, std::string_view what) {
  switch (value.kind) {
    case Value::Kind::unknown:
      out += "null";
      return;
    case Value::Kind::number:
      return append_finite(out, value.number, what);
    case Value::Kind::boolean:
      out += value.number != 0 ? "true" : "false";
      return;
    case Value::Kind::text:
      return append_json_string(out, value.text);
    case Value::Kind::size:
      out += '[';
      append_finite(out, value.number, what);
      out += ',';
      append_finite(out, value.other, what);
      out += ']';
      return;
    case Value::Kind::json:
      out += value.text;
  }
}

void append_flat_object(std::string& out, const RowPlan& plan, std::span<const Record> way) {
  char before = '{';
  for (const RowCell& cell : plan.cells()) {
    out += before;
    before = ',';
    out += cell.key;
    append_json(out, way[cell.level].value(cell.column), cell.info->path);
  }
  out += '}';
}

std::string rows_document(const RowWriter& writer, const Record& record, std::string_view rows) {
  const RowPlan plan(record.table(), rows);
  std::string out;
  bool any = false;
  writer.open(out, plan, record);
  plan.each(record, [&](std::span<const Record> way) {
    if (any) out += writer.between;
    any = true;
    writer.row(out, plan, way);
  });
  if (writer.close != nullptr) writer.close(out, plan, record, any);
  return out;
}

}  // namespace trcost::json
