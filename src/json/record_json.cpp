// SPDX-License-Identifier: Apache-2.0
#include "json/record_json.h"

#include <fmt/format.h>

#include "json/row_writer.h"

namespace trcost::json {

namespace {

std::string size_text(const Value& value) {
  return fmt::format("[{}, {}]", format_exact(value.number), format_exact(value.other));
}

void write_flat_rows(JsonWriter& json, const Record& record, std::size_t column) {
  const RowPlan plan(record.table(), record.table().info(column).path, false);
  plan.each(record, [&](std::span<const Record> way) {
    append_flat_object(json.raw_element(), plan, way);
  });
}

void write_column(JsonWriter& json, std::string_view key, const Record& record,
                  std::size_t column) {
  if (record.table().info(column).kind != ColumnKind::list) {
    write_value(json, key, record.value(column));
    return;
  }
  json.begin_array(key);
  if (record.table().info(column).flat) {
    write_flat_rows(json, record, column);
  } else {
    each_row(record, column, [&](const Record& row) { write_row(json, row); });
  }
  json.end_array();
}

// A part of a table whose paths begin alike.
struct Group {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t prefix = 0;  // characters of the paths that are open objects, dots included
};

bool all_unknown(const Record& record, const Group& group) {
  for (std::size_t i = group.first; i < group.last; ++i) {
    if (record.table().info(i).kind != ColumnKind::list && record.value(i).known()) return false;
  }
  return true;
}

void write_group(JsonWriter& json, const Record& record, const Group& group) {
  const ColumnTable& table = record.table();
  std::size_t i = group.first;
  while (i < group.last) {
    const std::string_view path = table.info(i).path;
    const std::size_t dot = path.find('.', group.prefix);
    if (dot == std::string_view::npos) {
      write_column(json, path.substr(group.prefix), record, i++);
      continue;
    }
    Group inner = {i, i, dot + 1};
    const std::string_view open = path.substr(0, inner.prefix);
    while (inner.last < group.last && table.info(inner.last).path.starts_with(open)) ++inner.last;
    const std::string_view name = path.substr(group.prefix, dot - group.prefix);
    if (table.is_optional(path.substr(0, dot)) && all_unknown(record, inner)) {
      json.null(name);
    } else {
      json.begin_object(name);
      write_group(json, record, inner);
      json.end_object();
    }
    i = inner.last;
  }
}

}  // namespace

void write_value(JsonWriter& json, std::string_view key, const Value& value) {
  switch (value.kind) {
    case Value::Kind::unknown:
      return json.null(key);
    case Value::Kind::number:
      return json.member(key, value.number);
    case Value::Kind::boolean:
      return json.boolean(key, value.number != 0);
    case Value::Kind::text:
      return json.member(key, value.text);
    case Value::Kind::size:
      return json.raw(key, size_text(value));
    case Value::Kind::json:
      return json.raw(key, value.text);
  }
}

void write_row(JsonWriter& json, const Record& row) {
  const bool plain = row.table().size() == 1 && row.table().info(0).path.empty();
  if (plain) {
    json.element(row.value(0).text);
    return;
  }
  json.begin_object();
  write_members(json, row);
  json.end_object();
}

void write_members(JsonWriter& json, const Record& record, std::size_t first, std::size_t last) {
  write_group(json, record, {first, last, 0});
}

void write_members(JsonWriter& json, const Record& record) {
  write_members(json, record, 0, record.table().size());
}

std::string json_document(const Record& record) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_members(json, record);
  json.end_object();
  return out + '\n';
}

}  // namespace trcost::json
