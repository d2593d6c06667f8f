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

/// Which measured rows to replay; an empty name takes all, `source` and `model` match a part.
struct ValidationFilter {
  std::string accelerator, stack, source, task, model;
  bool default_tuning = false;  ///< as who does not say how tuned a run is, else as the row says
};

/// A measured row beside its prediction.
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

/// What estimates of rows would have been by constants and spreads that never saw their source.
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
  int apart = 0;  ///< of them the fit keeps apart: no part of what follows, unless all are
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
};

/// Predicts every measured row that the filter lets through, from its published facts alone.
ValidationResult validate(const Catalog& catalog, const ValidationFilter& filter = {});

/// What a row trains, and on what; throws Error where the catalog lacks its chip, model or stack.
/// What the row ran on; what is assumed where it does not say.
std::string_view stack_of(const ThroughputRow& row);
Workload row_workload(const Catalog& catalog, const ThroughputRow& row);
Platform row_platform(const Catalog& catalog, const ThroughputRow& row,
                      bool default_tuning = false);
/// As tuned as the row says, else, or with `default_tuning`, as its stack's users mostly have it.
void set_row_tuning(Platform& platform, const ThroughputRow& row, bool default_tuning);
/// The published facts of a row as a request to the planner.
PlanRequest row_request(const ThroughputRow& row, const Workload& workload);
/// Whether nothing that the row leaves open matters: its layout is predicted as published.
bool row_layout_known(const ThroughputRow& row);

/// What a summary needs of a row.
struct RowError {
  double error = 0;
  double weight = 1;
  std::string_view group;               ///< its experiment
  std::optional<double> left_out = {};  ///< predicted / measured without its source
  double sigma = 0;                     ///< of ln(predicted), likewise
  bool apart = false;                   ///< the fit keeps it apart, and shows it all the same
};

/// `predicted / measured`, where there is a prediction.
std::optional<double> ratio(std::optional<double> predicted, double measured);

/// That of a row with a prediction.
RowError error_of(const ValidationRow& row);

/// Weighted errors of rows.
ValidationSummary summarise(const std::vector<RowError>& rows, std::string dimension,
                            std::string value);

}  // namespace trcost::study
