// SPDX-License-Identifier: Apache-2.0
#include "json/record_json.h"

#include <fmt/core.h>

#include <vector>

#include "json/row_writer.h"
#include "quantity/suggest.h"
#include "trcost/version.h"

namespace trcost::json {
namespace {

void write_column(JsonWriter& json, std::string_view key, const Record& record,
                  std::size_t column) {
  if (record.table().info(column).kind != ColumnKind::list) {
    write_value(json, key, record.value(column));
    return;
  }
  json.begin_array(key);
  if (record.table().info(column).flat) {
    const RowPlan plan(record.table(), record.table().info(column).path, false);
    plan.each(record, [&](std::span<const Record> way) {
      append_flat_object(json.raw_element(), plan, way);
    });
  } else {
    each_row(record, column, [&](const Record& row) { write_row(json, row); });
  }
  json.end_array();
}

// The columns whose paths begin alike: those of one object.
struct ColumnGroup {
  const ColumnTable& table;
  std::size_t first;
  std::size_t last;
  std::size_t prefix;  // characters of the paths that are open objects, dots included

  [[nodiscard]] std::size_t dot(std::size_t i) const {
    return table.info(i).path.find('.', prefix);
  }
  // The group that column i opens.
  [[nodiscard]] ColumnGroup inner(std::size_t i) const {
    ColumnGroup out{table, i, i, dot(i) + 1};
    const std::string_view open = table.info(i).path.substr(0, out.prefix);
    while (out.last < last && table.info(out.last).path.starts_with(open)) ++out.last;
    return out;
  }
};

bool all_unknown(const Record& record, const ColumnGroup& group) {
  for (std::size_t i = group.first; i < group.last; ++i) {
    if (record.table().info(i).kind != ColumnKind::list && record.value(i).known()) return false;
  }
  return true;
}

void write_group(JsonWriter& json, const Record& record, const ColumnGroup& group) {
  for (std::size_t i = group.first; i < group.last;) {
    const std::string_view path = group.table.info(i).path;
    const std::size_t dot = group.dot(i);
    if (dot == std::string_view::npos) {
      write_column(json, path.substr(group.prefix), record, i++);
      continue;
    }
    const ColumnGroup inner = group.inner(i);
    const std::string_view name = path.substr(group.prefix, dot - group.prefix);
    if (group.table.is_optional(path.substr(0, dot)) && all_unknown(record, inner)) {
      json.null(name);
    } else {
      json.begin_object(name);
      write_group(json, record, inner);
      json.end_object();
    }
    i = inner.last;
  }
}

enum class SchemaForm {
  nested,
  loose,  // nested, and any name may be missing
  flat,   // dotted names, any of which may be missing
};

void write_object(JsonWriter& json, const ColumnGroup& group, SchemaForm form);

void write_types(JsonWriter& json, std::initializer_list<std::string_view> types) {
  json.begin_array("type");
  for (const std::string_view type : types) json.element(type);
  json.element("null");  // unknown
  json.end_array();
}

void write_type(JsonWriter& json, const ColumnTable& table, std::size_t column, SchemaForm form) {
  switch (table.info(column).kind) {
    case ColumnKind::number:
      return write_types(json, {"number"});
    case ColumnKind::text:
      return write_types(json, {"string"});
    case ColumnKind::boolean:
      return write_types(json, {"boolean"});
    case ColumnKind::mixed:
      return write_types(json, {"string", "number", "boolean"});
    case ColumnKind::json:
      return write_types(json, {"object"});
    case ColumnKind::size:
      write_types(json, {"array"});
      json.begin_object("items");
      json.member("type", "number");
      json.end_object();
      json.member("minItems", 2.0);
      return json.member("maxItems", 2.0);
    case ColumnKind::list:
      break;
  }
  json.member("type", "array");
  json.begin_object("items");
  const ColumnTable& items = table.items(column);
  const bool plain = items.size() == 1 && items.info(0).path.empty();
  if (plain) {
    json.member("type", "string");
  } else {
    write_object(json, {items, 0, items.size(), 0},
                 table.info(column).flat ? SchemaForm::flat : form);
  }
  json.end_object();
}

void write_properties(JsonWriter& json, const ColumnGroup& group, SchemaForm form,
                      std::vector<std::string_view>& names) {
  for (std::size_t i = group.first; i < group.last;) {
    const std::string_view path = group.table.info(i).path;
    const std::size_t dot = form == SchemaForm::flat ? path.npos : group.dot(i);
    names.push_back(path.substr(group.prefix, dot - group.prefix));
    json.begin_object(names.back());
    if (dot == path.npos) {
      const ColumnInfo& info = group.table.info(i);
      std::string description(info.help);
      if (!info.unit.empty()) append_item(description, info.unit, "; ");
      if (!description.empty()) json.member("description", description);
      write_type(json, group.table, i++, form);
    } else {
      const ColumnGroup inner = group.inner(i);
      write_object(json, inner, form);
      i = inner.last;
    }
    json.end_object();
  }
}

void write_object(JsonWriter& json, const ColumnGroup& group, SchemaForm form) {
  const bool part = group.prefix > 0;
  const bool optional = part && group.table.is_optional(
                                    group.table.info(group.first).path.substr(0, group.prefix - 1));
  if (optional) {
    write_types(json, {"object"});
  } else {
    json.member("type", "object");
  }
  std::vector<std::string_view> names;
  json.begin_object("properties");
  write_properties(json, group, form, names);
  json.end_object();
  if (form != SchemaForm::nested) return;
  json.begin_array("required");
  for (const std::string_view name : names) json.element(name);
  json.end_array();
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
      return json.raw(
          key, fmt::format("[{}, {}]", format_exact(value.number), format_exact(value.other)));
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
  write_group(json, record, {record.table(), first, last, 0});
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

std::string json_schema(const ColumnTable& table, std::string_view name, std::string_view title,
                        SchemaNames names) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.member("$id", fmt::format("urn:trcost:schema:{}:{}", name, kSchemaVersion));
  json.member("title", title);
  write_object(json, {table, 0, table.size(), 0},
               names == SchemaNames::all ? SchemaForm::nested : SchemaForm::loose);
  json.end_object();
  return out + '\n';
}

}  // namespace trcost::json
