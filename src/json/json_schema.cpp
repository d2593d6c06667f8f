// SPDX-License-Identifier: Apache-2.0
#include "json/json_schema.h"

#include <fmt/format.h>

#include <vector>

#include "json/json_writer.h"

namespace trcost::json {

namespace {

enum class SchemaForm {
  nested,
  loose,  // nested, and any name may be missing
  flat,   // dotted names, any of which may be missing
};

// The columns whose paths begin alike, as write_group() of record_json.cpp nests them.
struct SchemaGroup {
  const ColumnTable& table;
  std::size_t first;
  std::size_t last;
  std::size_t prefix;  // characters of the paths that are open objects, dots included

  [[nodiscard]] std::size_t dot(std::size_t i) const {
    return table.info(i).path.find('.', prefix);
  }
  // The group that column i opens.
  [[nodiscard]] SchemaGroup inner(std::size_t i) const {
    SchemaGroup out{table, i, i, dot(i) + 1};
    const std::string_view open = table.info(i).path.substr(0, out.prefix);
    while (out.last < last && table.info(out.last).path.starts_with(open)) ++out.last;
    return out;
  }
};

void write_object(JsonWriter& json, const SchemaGroup& group, SchemaForm form);

void write_types(JsonWriter& json, std::initializer_list<std::string_view> types) {
  json.begin_array("type");
  for (const std::string_view type : types) json.element(type);
  json.element("null");  // unknown
  json.end_array();
}

std::string description_of(const ColumnInfo& info) {
  if (info.unit.empty()) return std::string(info.help);
  return info.help.empty() ? std::string(info.unit) : fmt::format("{}; {}", info.help, info.unit);
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

void write_property(JsonWriter& json, std::string_view name, const ColumnTable& table,
                    std::size_t column, SchemaForm form) {
  json.begin_object(name);
  const std::string description = description_of(table.info(column));
  if (!description.empty()) json.member("description", description);
  write_type(json, table, column, form);
  json.end_object();
}

void write_properties(JsonWriter& json, const SchemaGroup& group, SchemaForm form,
                      std::vector<std::string_view>& names) {
  for (std::size_t i = group.first; i < group.last;) {
    const std::string_view path = group.table.info(i).path;
    const std::size_t dot = form == SchemaForm::flat ? path.npos : group.dot(i);
    names.push_back(path.substr(group.prefix, dot - group.prefix));
    if (dot == path.npos) {
      write_property(json, path.substr(group.prefix), group.table, i++, form);
      continue;
    }
    const SchemaGroup inner = group.inner(i);
    json.begin_object(names.back());
    write_object(json, inner, form);
    json.end_object();
    i = inner.last;
  }
}

void write_object(JsonWriter& json, const SchemaGroup& group, SchemaForm form) {
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

void write_head(JsonWriter& json, std::string_view name, std::string_view title) {
  json.member("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.member("$id", fmt::format("urn:trcost:schema:{}:{}", name, kSchemaVersion));
  json.member("title", title);
}

}  // namespace

std::string json_schema(const ColumnTable& table, std::string_view name, std::string_view title,
                        SchemaNames names) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_head(json, name, title);
  write_object(json, {table, 0, table.size(), 0},
               names == SchemaNames::all ? SchemaForm::nested : SchemaForm::loose);
  json.end_object();
  return out + '\n';
}

}  // namespace trcost::json
