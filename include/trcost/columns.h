// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/estimate.h"
#include "trcost/numbers.h"

namespace trcost {

enum class ColumnKind : std::uint8_t { number, text, boolean };
/// Which way a result is better, for frontiers and for marking the best.
enum class Better : std::uint8_t { neither, lower, higher };

/// One figure of an Estimate under its path in the JSON document.
struct Column {
  std::string_view path;  ///< `performance.mfu`
  ColumnKind kind;
  std::string_view unit;  ///< of the number, base units; empty for plain numbers and text
  NumberKind display;     ///< how people read the number
  Better better;
  std::string_view help;  ///< one line
  /// The number, or nothing where it is unknown; of a boolean 0 or 1. Null for text.
  std::optional<double> (*number)(const Estimate&);
  /// The text, empty where it is unknown; points into the estimate. Null for numbers and booleans.
  std::string_view (*text)(const Estimate&);
};

/// The table of all columns, in the order of the JSON document. JSON, JSON Lines, CSV, --select,
/// --sort, --where, --pareto, the targets of `solve` and the lists in help are read from it.
const std::vector<Column>& columns();
/// The column of this path, or null.
const Column* find_column(std::string_view path);
/// As find_column; throws Error (usage) with a did-you-mean where there is none.
const Column& require_column(std::string_view path);
/// The columns of paths separated by commas; throws Error (usage) for an unknown or repeated one.
std::vector<const Column*> require_columns(std::string_view paths);
/// Every column, as the row writers take them.
const std::vector<const Column*>& all_columns();
/// As people read it: `45.0%`, `12.3 d`, `n/a` for unknown.
std::string column_text(const Column& column, const Estimate& estimate);

}  // namespace trcost
