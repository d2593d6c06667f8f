// SPDX-License-Identifier: Apache-2.0
// The answer of `solve`: its columns, named by the unknown and the target, and its tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/table/table.h"
#include "text/column.h"
#include "trcost/solve.h"

namespace trcost::report {

/// An answer of `trcost solve`.
struct SolveReport {
  SolveTarget target;
  std::string target_words;          ///< `cost.total is at most $1.00M`
  std::string unknown_words;         ///< `data.tokens`
  std::vector<Solution> solutions;   ///< one per platform
  std::vector<ClusterRun> clusters;  ///< one per platform if a cluster is rented for a time
  std::string price_data_date;
  bool break_even = false;      ///< the target is the cost of another platform
  std::string scenario = "{}";  ///< JSON of the question without the unknown and the target
};

/// Returns the name of a solution's platform for people: `H100 SXM 80GB`.
std::string platform_title(const Solution& solution);
/// Returns `cost.total is at most $1.00M`.
std::string target_words(const SolveTarget& target);

/// Whether a total has to stay within a budget with another chance than half.
bool keeps_budget(const SolveTarget& target);
/// Returns what a solution reaches of the target's column. A budget that keeps_budget() is met by a
/// quantile, Solution::achieved, and this is the median.
std::optional<double> target_figure(const SolveTarget& target, const Solution& solution);

/// Returns the name of a field in a sentence or a heading: `tokens`, `GPUs`.
std::string field_title(const FieldInfo& info);
/// The column that is solved for, in words of a sentence.
std::string target_name(const EstimateColumn& column);
/// Returns the solved ones first, by the evidence of their prices, then the longest training for a
/// budget, else the cheapest.
std::vector<const Solution*> sort_solutions(const SolveReport& report);
/// Returns the first of sort_solutions() if it is solved, else null.
const Solution* best_solution(const SolveReport& report);
/// Returns the answer in sentences: the best platform, then confidence and deadline.
std::vector<std::string> solve_sentences(const SolveReport& report);

/// A row of the answer.
struct SolutionRow {
  const SolveReport* report = nullptr;
  const Solution* solution = nullptr;
  const ClusterRun* cluster = nullptr;  ///< null if no cluster is rented for a time

  /// Returns the JSON of `estimate --format json` at the answer, or nothing if there is none. Made
  /// when it is first needed.
  [[nodiscard]] const std::string& result() const;

 private:
  mutable std::string result_;
};

/// A report with its rows and columns.
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

/// Tells whether a column of the estimate repeats an unknown.
bool is_unknown(const SolveReport& report, std::string_view path);
/// Tells whether a column of the estimate is shown after the unknown and the target.
bool is_further(const SolveReport& report, const ColumnInfo& column);

/// Returns a row per platform: the unknowns, the target and the costs.
Table solutions_table(const SolveReport& report);
/// Returns the other values that reach the target, with their cost.
Table choices_table(const Solution& solution);

}  // namespace trcost::report
