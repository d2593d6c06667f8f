// SPDX-License-Identifier: Apache-2.0
#include "text/column.h"

namespace trcost::text {

std::string_view ColumnInfo::heading() const {
  if (!title.empty()) return title;
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::size_t ColumnTable::find(std::string_view path) const {
  std::size_t column = 0;
  while (column < size() && info(column).path != path) ++column;
  return column;
}

std::size_t ColumnTable::find(ColumnRole role) const {
  std::size_t column = 0;
  while (column < size() && info(column).role != role) ++column;
  return column;
}

bool ColumnTable::is_optional(std::string_view group) const {
  return std::ranges::find(optional_, group) != optional_.end();
}

const Columns<std::string>& text_columns() {
  static const Columns<std::string> table = {column::string(
      "", [](const std::string& text) -> std::string_view { return text; }, "")};
  return table;
}

}  // namespace trcost::text
