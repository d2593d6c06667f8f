// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// One figure of an Estimate under its path in the JSON document.
using EstimateColumn = Column<Estimate>;

/// The table of all columns, in the order of the JSON document. JSON, JSON Lines, CSV, --select,
/// --sort, --where, --pareto, the targets of `solve` and the lists in help are read from it.
const Columns<Estimate>& columns();
/// The column of this path, or null.
const EstimateColumn* find_column(std::string_view path);
/// As find_column; throws Error (usage) with a did-you-mean where there is none.
const EstimateColumn& require_column(std::string_view path);
/// The column of this role.
const EstimateColumn& column_for(ColumnRole role);
/// Every column, as the row writers take them.
const std::vector<const EstimateColumn*>& all_columns();
/// Whether the price of an estimate is imputed. The figures of `priced` columns are then marked
/// with `~`.
bool is_imputed(const Estimate& estimate);
/// Months of dates: `Aug to Nov 2026` of `2026-08-19 to 2026-11-09`. Other dates stay as they are.
std::string months_words(std::string_view dates);

}  // namespace trcost::estimation
