// SPDX-License-Identifier: Apache-2.0
// A stack of one's own: what a few measured steps say of the software that took them.
#pragma once

#include <array>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/runs/runs.h"
#include "planner/plan.h"
#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::catalog {
template <class T>
struct Constant;
}  // namespace trcost::catalog

namespace trcost::study {

/// A step that somebody measured, beside what predicts it.
struct MeasuredStep {
  std::string name;   ///< `row 3`, or of a log its file without folders
  std::string model;  ///< for people
  Workload workload;
  Platform platform;
  PlanRequest request;  ///< what is known of the layout
  Layout layout;        ///< with what the planner chose
  double seconds = 0;   ///< measured, of one optimizer step
  double wait = 1;      ///< predicted seconds over those of the step: waiting for data
  double offset = 0;    ///< of ln(predicted seconds), by constants that others fitted
};

/// A part of the time of a step that a calibration stretches: the constants of a stack that it is
/// made of, all by one factor.
struct StackFactor {
  std::string_view name;
  std::array<double Stack::*, 5> members;  ///< times; null beyond the last
  bool rate = false;        ///< the constant is a speed: a longer time is a smaller value
  double least = 0;         ///< where the start is below: a fixed time starts from some
  std::string_view what;    ///< in words
  std::string_view narrow;  ///< which further step would tell most of it
};
inline constexpr std::size_t kStackFactors = 8;
const std::array<StackFactor, kStackFactors>& stack_factors();

/// How far sources lie apart, from the published rows (data/efficiency/pooling.json): what is known
/// of a user's factors before any step of theirs.
struct Pooling {
  std::array<double, kStackFactors> spread{};  ///< of ln(factor) between sources
  double step = 0;        ///< of ln(seconds) between steps of one source, factors known
  double step_worth = 0;  ///< how many steps that spread is worth against the user's own
  double chip = 0;        ///< of ln(seconds) of one source between two chips
};
Pooling read_pooling(const Catalog& catalog);

/// What measured steps make of the factors.
struct StackFit {
  std::array<double, kStackFactors> log{};    ///< ln of each factor
  std::array<double, kStackFactors> sigma{};  ///< of it, after the steps
  std::vector<double> before, after;          ///< ln(predicted / measured seconds) of each step
  std::array<double, kStackFactors> share{};  ///< d ln(seconds) / d ln(factor), mean over the steps
  double step = 0;          ///< spread between the user's own steps, factors known
  double sigma_before = 0;  ///< of ln(predicted) of a step like these, without them
  double sigma_after = 0;   ///< the same with them
};

/// ln of the predicted seconds of a step under factors moved by `log`.
double log_seconds(const MeasuredStep& step, const std::array<double, kStackFactors>& log);

/// Maximises the posterior of the factors by Gauss-Newton: steps scatter normally about the
/// prediction, with a variance that they and the published rows say together; factors have a
/// t-distribution (4 degrees of freedom) about 1, so that a user far from all published ones is
/// believed. One step moves the prediction part of the way. Deterministic.
StackFit fit_stack(const std::vector<MeasuredStep>& steps, const Pooling& pooling);

/// A constant by its member: its name in files, and its range.
const Constant<Stack>& stack_constant(double Stack::*member);
/// The stack with its times stretched by factors.
Stack moved_stack(const Stack& base, const std::array<double, kStackFactors>& log);

struct CalibrationRow {
  std::string name, model, accelerator;
  double gpus = 0;
  Layout layout;
  double layers = 0;
  bool planned = false;  ///< the planner chose something of the layout
  double measured_seconds = 0, predicted_before = 0, predicted_after = 0;
  double error_before = 0, error_after = 0;  ///< of tokens per second: predicted / measured - 1
};

struct CalibrationResult {
  std::string base;  ///< the stack that was started from
  std::vector<CalibrationRow> rows;
  StackFit fit;
  struct Factor {
    std::string_view name, what;
    double factor = 1;  ///< on the time
    double sigma = 0;   ///< of its logarithm
    double share = 0;   ///< of a step's time that goes with it, mean
  };
  std::vector<Factor> factors;
  double sigma = 0;  ///< of ln(seconds) of one more step like these: the range of estimates
  double sigma_elsewhere = 0;                ///< the same on another chip
  double error_before = 0, error_after = 0;  ///< median |error| of the rows
  std::vector<std::string> accelerators;
  std::vector<std::string> narrow;    ///< what would narrow the range most, first things first
  std::vector<std::string> warnings;  ///< contradictions, steps left out
  std::string stack_json;             ///< the file
};

/// What measured steps are read into, and what is to be said of them.
struct Measurements {
  std::string base;  ///< the stack that is calibrated, empty until a step names it
  std::vector<MeasuredStep> steps;
  std::vector<std::string> warnings;  ///< steps left out, facts that contradict flags
};

/// The rows of a table with the columns of data/runs/throughput.csv: model, accelerator, gpus,
/// seq_length and a speed are needed, by the row or by `asked`; the planner chooses what else is
/// open. The stack is that of `asked`, or of the rows. Throws Error naming line and column, and
/// Error (usage) where rows are of several stacks.
void read_measured_rows(const Catalog& catalog, std::string_view csv, std::string_view origin,
                        const Scenario& asked, Measurements& out);

/// The step of a log of the training that `asked` describes; facts that the log prints fill what it
/// leaves open. Throws Error (usage) where accelerator, GPUs or batch are not known.
void read_measured_log(const Catalog& catalog, std::istream& log, std::string_view origin,
                       const Scenario& asked, Measurements& out);

/// Fits the stack to the steps. Throws Error (usage) without steps, and where one is so far from
/// its prediction that no software explains it (a wrong unit).
CalibrationResult calibrate(const Catalog& catalog, Measurements measured);

/// A published row as a step, predicted as by constants that never saw its source, where the fit
/// that left it out is known; throws Error as row_workload() and plan() do.
MeasuredStep published_step(const Catalog& catalog, const ThroughputRow& row);

/// What calibrating to some rows of a source does to the error of its others.
struct SourceCurve {
  static constexpr std::array<int, 3> kRows = {1, 3, 10};  ///< that are calibrated to
  std::string source;
  int rows = 0;
  double groups = 0;  ///< experiments
  double error =
      0;  ///< median |predicted / measured - 1| of all its rows, source left out of the fit
  std::array<std::optional<double>, kRows.size()> after;  ///< of the other rows, mean over draws
  std::optional<double> inside;  ///< share of them within P10 to P90, calibrated to three
};
struct CalibrationCurve {
  std::vector<SourceCurve> rows;  ///< a source each, most measured rows first
  int measured = 0;               ///< rows of all
  /// Of the sources with rows for three: means of those above and below `kWrong`.
  static constexpr double kWrong = 0.15;
  struct Mean {
    int sources = 0;
    double error = 0;
    std::array<double, SourceCurve::kRows.size()> after{};
    double inside = 0;
  };
  Mean wrong, right;
};
/// Every source with a prediction that left it out: `draws` choices of 1, 3 and 10 of its rows
/// each.
CalibrationCurve calibration_curve(const Catalog& catalog, std::string_view source = {});

const Columns<CalibrationCurve>& calibration_curve_columns();
const Columns<CalibrationResult>& calibration_columns();
inline constexpr Subject<CalibrationCurve> kCalibrationCurve = {
    "calibration curve", calibration_curve_columns, "sources"};
inline constexpr Subject<CalibrationResult> kCalibration = {"calibration", calibration_columns,
                                                            "rows"};

}  // namespace trcost
