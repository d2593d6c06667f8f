// SPDX-License-Identifier: Apache-2.0
// What a sweep says: a document, whose rows have the axes, columns of an estimate and why there is
// none.
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

/// The value at a place of an axis.
Value axis_value(const SweepAxis& axis, std::uint64_t at);

/// What stands around the rows.
struct SweepHead {
  std::string price_data_date;
  std::string scenario;  ///< JSON
  bool interrupted = false;
  std::function<void(RowSink&)> rows = {};  ///< where they were kept
};
/// The list of them.
inline constexpr std::string_view kSweepRows = "rows";
/// The columns of a document with these of its rows, which have to outlive them.
Columns<SweepHead> sweep_columns(const ColumnTable& rows);

/// `columns` of the estimate, which say nothing where there is none but its platform, and `error`.
Columns<SweepRow> sweep_row_columns(std::span<const EstimateColumn* const> columns);
/// The same after the axes that were asked for, under the paths of their fields.
Columns<SweepRow> sweep_row_columns(const SweepPlan& plan,
                                    std::span<const EstimateColumn* const> columns);

/// The columns of a sweep made for writing its rows.
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
