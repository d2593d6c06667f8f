// SPDX-License-Identifier: Apache-2.0
// Rendering of an estimate as one row of a format.
#pragma once

#include <array>
#include <span>
#include <string>

#include "estimate/columns/estimate_columns.h"
#include "report/format/format.h"
#include "study/sweep/columns.h"

namespace trcost {

class RowText {
 public:
  RowText(std::span<const EstimateColumn* const> columns, Format format)
      : table_(sweep_row_columns(columns)), writer_(*format_writer(format).rows) {}

  /// Appends the row with its line end. Its last cell is an empty error.
  void append(std::string& out, const Estimate& estimate) const {
    SweepRow row;
    row.estimate = &estimate;
    const std::array<Record, 2> row_path = {record_of(table_.document(), head_),
                                            record_of(table_.rows(), row)};
    writer_.row(out, table_.plan(), row_path);
  }
  [[nodiscard]] std::string of(const Estimate& estimate) const {
    std::string out;
    append(out, estimate);
    return out;
  }
  [[nodiscard]] std::string header() const {
    std::string out;
    writer_.open(out, table_.plan(), record_of(table_.document(), head_));
    return out;
  }

 private:
  SweepTable table_;
  SweepHead head_;
  const RowWriter& writer_;
};

}  // namespace trcost
