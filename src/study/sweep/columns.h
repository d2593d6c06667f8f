// SPDX-License-Identifier: Apache-2.0
// Columns of a sweep's document, and of its rows: axes, columns of an estimate, and an error.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/row_writer.h"
#include "quantity/layers.h"
#include "study/sweep/plan.h"
#include "text/column.h"

namespace trcost::study {

/// The value at a position of an axis.
Value axis_value(const SweepAxis& axis, std::uint64_t at);

/// The document around the rows.
struct SweepHead {
  std::string price_data_date;
  std::string scenario;  ///< JSON
  std::vector<std::string> warnings = {};
  bool interrupted = false;
  std::function<void(RowSink&)> rows = {};  ///< emits the rows that were kept
};
/// Path of the list of rows.
inline constexpr std::string_view kSweepRows = "rows";
/// Columns of the document. The columns of its rows have to outlive them.
Columns<SweepHead> sweep_columns(const ColumnTable& rows);

/// `columns` of the estimate and `error`. Without an estimate all but the platform are unknown.
Columns<SweepRow> sweep_row_columns(std::span<const EstimateColumn* const> columns);
/// Overload that puts the axes of the request first, under the paths of their fields.
Columns<SweepRow> sweep_row_columns(const SweepPlan& plan,
                                    std::span<const EstimateColumn* const> columns);

/// Columns of a sweep, prepared for writing its rows.
class SweepTable {
 public:
  explicit SweepTable(Columns<SweepRow> rows) : rows_(std::move(rows)) {}
  SweepTable(const SweepTable&) = delete;
  SweepTable& operator=(const SweepTable&) = delete;

  [[nodiscard]] const Columns<SweepRow>& rows() const { return rows_; }
  [[nodiscard]] const Columns<SweepHead>& document() const { return document_; }
  [[nodiscard]] const RowPlan& plan() const { return plan_; }

 private:
  Columns<SweepRow> rows_;
  Columns<SweepHead> document_ = sweep_columns(rows_);
  RowPlan plan_{document_, kSweepRows, false};
};

}  // namespace trcost::study
