// SPDX-License-Identifier: Apache-2.0
// The columns of `solve`, which are named by what is sought: made for each answer.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/about/solve/solve_report.h"
#include "text/column.h"

namespace trcost::report {

/// A solution with what stands beside it in a row.
struct SolutionRow {
  const SolveReport* report = nullptr;
  const Solution* solution = nullptr;
  const ClusterRun* cluster = nullptr;  ///< null where no cluster is rented for a time

  /// The whole estimate at the answer as `estimate --format json` writes it; empty where there is
  /// none. Made when it is first asked for.
  [[nodiscard]] const std::string& result() const;

 private:
  mutable std::string result_;
};

/// The answer with its table, which has to stay where it is.
class SolveAnswer {
 public:
  explicit SolveAnswer(const SolveReport& report);
  SolveAnswer(const SolveAnswer&) = delete;
  SolveAnswer& operator=(const SolveAnswer&) = delete;

  [[nodiscard]] Record record() const { return record_of(columns_, *this); }
  [[nodiscard]] const SolveReport& report() const { return *report_; }
  [[nodiscard]] const std::vector<SolutionRow>& rows() const { return rows_; }
  [[nodiscard]] const Columns<SolutionRow>& row_columns() const { return row_columns_; }

 private:
  const SolveReport* report_;
  std::vector<SolutionRow> rows_;
  Columns<SolutionRow> row_columns_;
  Columns<SolveAnswer> columns_;
};

/// Whether the unknown's own column says what the estimate's column of this path does.
bool is_unknown(const SolveReport& report, std::string_view path);
/// Whether a column of the estimate stands beside them: the first ones, without the unknown and the
/// target.
bool is_further(const SolveReport& report, const ColumnInfo& column);

}  // namespace trcost::report
