// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json/json_writer.h"
#include "quantity/layers.h"
#include "text/column.h"

namespace trcost::json {

/// The value under `key`; null where it is unknown.
void write_value(JsonWriter& json, std::string_view key, const Value& value);
/// The columns as members of the object that is open: nested by their paths, lists as arrays.
void write_members(JsonWriter& json, const Record& record);
/// The same of the columns from `first` up to and without `last`, which begin and end no object.
void write_members(JsonWriter& json, const Record& record, std::size_t first, std::size_t last);
/// A row of a list: an object, or its text where it is nothing else.
void write_row(JsonWriter& json, const Record& row);
/// A whole document, with LF at its end.
std::string json_document(const Record& record);

}  // namespace trcost::json
