// SPDX-License-Identifier: Apache-2.0
// What record_json writes of a table, as a JSON Schema (draft 2020-12).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "text/column.h"

namespace trcost::json {

/// Whether the table's names are in every document, or some where they are asked for.
enum class SchemaNames : std::uint8_t { all, some };

/// The document's schema; the names of flat rows may be left out. Further names are allowed, since
/// a minor step of schema_version adds some.
std::string json_schema(const ColumnTable& table, std::string_view name, std::string_view title,
                        SchemaNames names = SchemaNames::all);

}  // namespace trcost::json
