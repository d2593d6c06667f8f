// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/runs/runs.h"
#include "planner/plan.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::study {

/// Selection of measured rows. An empty name accepts all. `source` and `model` match a part.
struct ValidationFilter {
  std::string accelerator, stack, source, task, model;
  bool default_tuning = false;  ///< the default of the stack instead of the tuning of the row
  [[nodiscard]] bool selects() const {
    return !(accelerator + stack + source + task + model).empty();
  }
};

/// A measured row and its prediction.
struct ValidationRow {
  const ThroughputRow* measured = nullptr;
  Layout layout;         ///< as published, completed by the planner where facts are missing
  double layers = 0;     ///< that a pipeline deals
  bool planned = false;  ///< the planner chose something
  StepTime time;
  double predicted = 0;  ///< tokens per second and GPU
  double error = 0;      ///< predicted / measured - 1
  std::string problem;   ///< why there is no prediction, else empty
};

/// Errors of rows predicted by fits that left out their source.
struct LeftOut {
  int rows = 0;
  double median = 0;  ///< of |error|
  double p90 = 0;
  double bias = 0;
  double inside = 0;  ///< share within P10 to P90
  double width = 0;   ///< median P90 / P10
  /// Mean interval score of ln(tokens/s) at 80 %: width, and 10 per unit outside (Gneiting and
  /// Raftery 2007, doi 10.1198/016214506000001437, section 6.2).
  double score = 0;
};

/// Errors of a set of rows, each weighted by 1 / size of its group.
struct ValidationSummary {
  std::string dimension;  ///< `accelerator`, `stack`, ...
  std::string value;
  int rows = 0;
  int apart = 0;  ///< rows that the fit excludes, which have no part in the errors unless all are
  int groups = 0;
  double median = 0;  ///< of |error|
  double p90 = 0;
  double bias = 0;                  ///< median of error
  std::optional<LeftOut> left_out;  ///< where rows have such a prediction
};

struct ValidationResult {
  std::vector<ValidationRow> rows;
  ValidationSummary all;
  std::vector<ValidationSummary> summaries;  ///< by dimension, in a fixed order
  /// Error of sources predicted before they were added: median, sources, day. None with a filter.
  std::optional<double> first_median;
  int first_sources = 0;
  std::string first_date;
};

/// Predicts every measured row that the filter accepts from its published facts alone.
ValidationResult validate(const Catalog& catalog, const ValidationFilter& filter = {});

/// The stack of a row, or the default one.
std::string_view stack_of(const ThroughputRow& row);
/// The workload of a row. Throws Error if the catalog lacks its model.
Workload row_workload(const Catalog& catalog, const ThroughputRow& row);
/// The platform of a row. Throws Error if the catalog lacks its chip or stack.
Platform row_platform(const Catalog& catalog, const ThroughputRow& row,
                      bool default_tuning = false);
/// Sets the tuning of the row. Without one, or with `default_tuning`, sets the usual one of the
/// stack.
void set_row_tuning(Platform& platform, const ThroughputRow& row, bool default_tuning);
/// The published facts of a row as a request to the planner.
PlanRequest row_request(const ThroughputRow& row, const Workload& workload);
/// Whether the published layout is complete enough to be predicted as it is.
bool row_layout_known(const ThroughputRow& row);

/// Error of a row, for summaries.
struct RowError {
  double error = 0;
  double weight = 1;
  std::string_view group;               ///< its experiment
  std::optional<double> left_out = {};  ///< predicted / measured without its source
  double sigma = 0;                     ///< of ln(predicted), likewise
  bool apart = false;                   ///< the fit excludes it
};

/// `predicted / measured`, or empty without a prediction.
std::optional<double> ratio(std::optional<double> predicted, double measured);

/// Error of a row that has a prediction.
RowError row_error(const ValidationRow& row);

/// Weighted errors of rows.
ValidationSummary summarise(const std::vector<RowError>& rows, std::string dimension,
                            std::string value);

}  // namespace trcost::study
