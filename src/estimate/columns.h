// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trcost/columns.h"

namespace trcost {

/// The rows of the table of columns, by part of the document.
void add_model_columns(std::vector<Column>& out);        ///< platform, model, tokens, FLOPs
void add_performance_columns(std::vector<Column>& out);  ///< layout, memory, performance, time
void add_cost_columns(std::vector<Column>& out);         ///< energy, cost, range, steps, pipeline

namespace column_rows {

using E = const Estimate&;
using Number = std::optional<double>;

constexpr Column text(std::string_view path, std::string_view (*get)(E), std::string_view help) {
  return {path, ColumnKind::text, "", NumberKind::number, Better::neither, help, nullptr, get};
}

constexpr Column boolean(std::string_view path, Number (*get)(E), std::string_view help) {
  return {path, ColumnKind::boolean, "", NumberKind::number, Better::neither, help, get, nullptr};
}

constexpr Column figure(std::string_view path, std::string_view unit, NumberKind display,
                        Better better, Number (*get)(E), std::string_view help) {
  return {path, ColumnKind::number, unit, display, better, help, get, nullptr};
}

}  // namespace column_rows
}  // namespace trcost
