// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::estimation {

const Columns<Estimate>& columns() {
  static const Columns<Estimate> table = [] {
    Columns<Estimate> out;
    add_model_columns(out);
    add_performance_columns(out);
    add_cost_columns(out);
    return out;
  }();
  return table;
}

const EstimateColumn* find_column(std::string_view path) {
  for (const EstimateColumn& column : columns()) {
    if (column.path == path) return &column;
  }
  return nullptr;
}

const EstimateColumn& column_for(ColumnRole role) {
  return *std::ranges::find(columns(), role, &EstimateColumn::role);
}

const EstimateColumn& require_column(std::string_view path) {
  if (const EstimateColumn* column = find_column(path)) return *column;
  std::vector<std::string> known;
  for (const EstimateColumn& column : columns()) known.emplace_back(column.path);
  std::string hint = did_you_mean(path, known);
  // `mfu` for `performance.mfu`: the last part alone is the usual slip.
  const auto last_part = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
    return !path.empty() && name.size() > path.size() && name.ends_with(path) &&
           name[name.size() - path.size() - 1] == '.';
  });
  if (last_part != known.end()) hint = fmt::format("did you mean \"{}\"?", *last_part);
  if (hint.empty())
    hint = "the names are those of --format csv, such as performance.mfu, cost.total";
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a column", path.substr(0, 60)), hint);
}

const std::vector<const EstimateColumn*>& all_columns() {
  static const std::vector<const EstimateColumn*> all = [] {
    std::vector<const EstimateColumn*> out;
    for (const EstimateColumn& column : columns()) out.push_back(&column);
    return out;
  }();
  return all;
}

bool is_imputed(const Estimate& estimate) {
  return estimate.cost.doubts.imputed && !estimate.cost.own;
}

}  // namespace trcost::estimation
