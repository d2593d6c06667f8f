// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/plan_columns.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// The rows of the table of columns, by part of the document.
void add_model_columns(Columns<Estimate>& out);        ///< platform, model, tokens, FLOPs
void add_performance_columns(Columns<Estimate>& out);  ///< layout, memory, performance, time
void add_cost_columns(Columns<Estimate>& out);         ///< energy, cost, range, steps, pipeline

namespace column_rows {

using E = const Estimate&;
using Number = std::optional<double>;

using column::as;
using column::boolean;
using column::priced;
using column::shown;
using column::text;

template <class Get>
constexpr EstimateColumn figure(std::string_view path, std::string_view unit, NumberKind display,
                                Better better, Get get, std::string_view help,
                                Rank rank = Rank::rest, std::string_view title = {}) {
  return column::number(path, unit, display, better, get, help, rank, title);
}

}  // namespace column_rows
}  // namespace trcost::estimation
