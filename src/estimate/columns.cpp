// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "trcost/error.h"
#include "trcost/suggest.h"

namespace trcost {

const std::vector<Column>& columns() {
  static const std::vector<Column> table = [] {
    std::vector<Column> out;
    add_model_columns(out);
    add_performance_columns(out);
    add_cost_columns(out);
    return out;
  }();
  return table;
}

const Column* find_column(std::string_view path) {
  for (const Column& column : columns()) {
    if (column.path == path) return &column;
  }
  return nullptr;
}

const Column& require_column(std::string_view path) {
  if (const Column* column = find_column(path)) return *column;
  std::vector<std::string> known;
  for (const Column& column : columns()) known.emplace_back(column.path);
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

std::vector<const Column*> require_columns(std::string_view paths) {
  std::vector<const Column*> out;
  while (true) {
    const std::size_t comma = paths.find(',');
    std::string_view path = paths.substr(0, comma);
    while (path.starts_with(' ')) path.remove_prefix(1);
    while (path.ends_with(' ')) path.remove_suffix(1);
    const Column* column = &require_column(path);
    if (std::find(out.begin(), out.end(), column) != out.end()) {
      throw Error(ErrorKind::usage, fmt::format("column \"{}\" is named twice", path),
                  "name each column once");
    }
    out.push_back(column);
    if (comma == std::string_view::npos) return out;
    paths.remove_prefix(comma + 1);
  }
}

const std::vector<const Column*>& all_columns() {
  static const std::vector<const Column*> all = [] {
    std::vector<const Column*> out;
    for (const Column& column : columns()) out.push_back(&column);
    return out;
  }();
  return all;
}

std::string column_text(const Column& column, const Estimate& estimate) {
  if (column.kind == ColumnKind::text) {
    const std::string_view text = column.text(estimate);
    return text.empty() ? "n/a" : std::string(text);
  }
  const std::optional<double> value = column.number(estimate);
  if (!value) return "n/a";
  if (column.kind == ColumnKind::boolean) return *value != 0 ? "yes" : "no";
  return format_number(*value, column.display);
}

}  // namespace trcost
