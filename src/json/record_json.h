// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/json_writer.h"
#include "quantity/layers.h"
#include "text/column.h"

namespace trcost::json {

/// Writes a value under `key`, null if it is unknown.
void write_value(JsonWriter& json, std::string_view key, const Value& value);
/// Writes the columns as members of the open object: nested by their paths, lists as arrays.
void write_members(JsonWriter& json, const Record& record);
/// Writes the columns from `first` up to and without `last`, which begin and end no object.
void write_members(JsonWriter& json, const Record& record, std::size_t first, std::size_t last);
/// Writes a row of a list: an object, or its text if it is nothing else.
void write_row(JsonWriter& json, const Record& row);
/// A whole document, with LF at its end.
std::string json_document(const Record& record);

/// Names in a document: all of the table, or some only on request.
enum class SchemaNames : std::uint8_t { all, some };

/// The JSON Schema (draft 2020-12) of what json_document() writes of a table. The names of flat
/// rows may be left out. Further names are allowed, since a minor step of schema_version adds some.
std::string json_schema(const ColumnTable& table, std::string_view name, std::string_view title,
                        SchemaNames names = SchemaNames::all);

}  // namespace trcost::json
