// SPDX-License-Identifier: Apache-2.0
// Calibration: a software stack fitted to a few measured steps.
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

/// A measured step, and the inputs of its prediction.
struct MeasuredStep {
  std::string name;   ///< `row 3`, or of a log its file without folders
  std::string model;  ///< for people
  Workload workload;
  Platform platform;
  PlanRequest request;  ///< known part of the layout
  Layout layout;        ///< completed by the planner
  double seconds = 0;   ///< measured, of one optimizer step
  double wait = 1;      ///< predicted seconds over those of the step: waiting for data
  double offset = 0;    ///< of ln(predicted seconds), from a fit without this source
};

/// A part of the time of a step: constants of a stack that a calibration multiplies by one factor.
struct StackFactor {
  std::string_view name;
  std::array<double Stack::*, 5> members;  ///< times, then nulls
  std::string_view what;                   ///< in words
  std::string_view narrow;                 ///< further step that would narrow it most
  std::string_view try_first;              ///< what to try if it takes longer than predicted
  double least = 0;                        ///< lower bound of the value that is multiplied
  bool rate = false;  ///< the constant is a speed, so a longer time is a smaller value
};
inline constexpr std::size_t kStackFactors = 8;
const std::array<StackFactor, kStackFactors>& stack_factors();

/// Spread between published sources (data/efficiency/pooling.json), the prior of a user's
/// factors.
struct Pooling {
  std::array<double, kStackFactors> spread{};  ///< of ln(factor) between sources
  double step = 0;        ///< of ln(seconds) between steps of one source, factors known
  double step_worth = 0;  ///< number of steps as which that spread counts
  double chip = 0;        ///< of ln(seconds) of one source between two chips
};
Pooling read_pooling(const Catalog& catalog);

/// Factors fitted to measured steps.
struct StackFit {
  std::array<double, kStackFactors> log{};    ///< ln of each factor
  std::array<double, kStackFactors> sigma{};  ///< of it, after the steps
  std::vector<double> before, after;          ///< ln(predicted / measured seconds) of each step
  std::array<double, kStackFactors> share{};  ///< d ln(seconds) / d ln(factor), mean over the steps
  double step = 0;          ///< spread between the user's own steps, factors known
  double sigma_before = 0;  ///< of ln(predicted) of a step like these, without them
  double sigma_after = 0;   ///< with them
};

/// ln of the predicted seconds of a step under factors moved by `log`.
double log_seconds(const MeasuredStep& step, const std::array<double, kStackFactors>& log);
/// d ln(seconds) / d ln(factor) of each factor.
std::array<double, kStackFactors> step_slopes(const MeasuredStep& step,
                                              const std::array<double, kStackFactors>& at);

/// Maximises the posterior of the factors by Gauss-Newton. Steps scatter normally about the
/// prediction, with a variance from them and the published rows. Factors have a t-distribution (4
/// degrees of freedom) about 1, so that users far from all published sources are possible. One step
/// moves the prediction part of the way. Deterministic.
StackFit fit_stack(const std::vector<MeasuredStep>& steps, const Pooling& pooling);

/// Name in files and range of a constant.
const Constant<Stack>& stack_constant(double Stack::*member);
/// The stack with its times multiplied by factors.
Stack moved_stack(const Stack& base, const std::array<double, kStackFactors>& log);

struct CalibrationRow {
  std::string name, model, accelerator;
  double gpus = 0;
  Layout layout;
  double layers = 0;
  bool planned = false;  ///< the planner chose something of the layout
  double measured_seconds = 0, predicted_before = 0, predicted_after = 0;
  double error_before = 0, error_after = 0;  ///< of seconds: predicted / measured - 1
};

/// A part of a step as an explanation of the difference between measured and predicted time.
struct ExplainedTerm {
  std::string_view name, what;
  double predicted_seconds = 0;     ///< of the step that goes with it
  std::optional<double> factor;     ///< on its time that alone gives the measured step
  double usual = 0;                 ///< factor that two of three published sources stay within
  std::optional<double> deviation;  ///< ln(factor) over ln(usual): the least explains best
  std::string_view try_first;       ///< what to try
};

/// Measured and predicted time of a step, term by term.
struct StepExplanation {
  std::string name;
  double measured_seconds = 0, predicted_seconds = 0;
  std::vector<ExplainedTerm> terms;  ///< the likeliest first
  std::string summary;
};
std::vector<StepExplanation> explain_steps(const std::vector<MeasuredStep>& steps,
                                           const Pooling& pooling);

struct LogSteps;
/// A logged round with rollouts beside the predicted one: generation, scoring, learning, the rest.
/// Throws Error (usage) if the question has no rollouts.
StepExplanation explain_round(const Catalog& catalog, const LogSteps& log, std::string name,
                              const Scenario& question);

struct CalibrationResult {
  std::string base;  ///< stack before the calibration
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
  double sigma_elsewhere = 0;                ///< likewise on another chip
  double error_before = 0, error_after = 0;  ///< median |error| of the rows
  std::vector<std::string> accelerators;
  std::vector<std::string> narrow;         ///< ways to narrow the range, most effective first
  std::vector<std::string> warnings;       ///< contradictions, steps left out
  std::vector<StepExplanation> explained;  ///< if asked for
  std::string stack_json;                  ///< the file, empty if no step is near enough to fit to
};

/// Measured steps as read, with their warnings.
struct Measurements {
  std::string base;  ///< the stack that is calibrated, empty until a step names it
  std::vector<MeasuredStep> steps;
  std::vector<StepExplanation> rounds;  ///< with rollouts, to which no stack is fitted
  std::vector<std::string> warnings;    ///< steps left out, facts that contradict flags
};

/// Reads the rows of a table with the columns of data/runs/throughput.csv. The row or `asked` has
/// to set model, accelerator, gpus, seq_length and a speed. The planner chooses the rest. The stack
/// is that of `asked`, or of the rows. Throws Error naming line and column, and Error (usage) for
/// rows of several stacks.
void read_measured_rows(const Catalog& catalog, std::string_view csv, std::string_view origin,
                        const Scenario& asked, Measurements& out);

/// Reads the step of a log of the training that `asked` describes. Facts that the log prints fill
/// its unset fields. Throws Error (usage) if accelerator, GPUs or batch are not known.
void read_measured_log(const Catalog& catalog, std::istream& log, std::string_view origin,
                       const Scenario& asked, Measurements& out);

/// Fits the stack to the steps. Throws Error (usage) without steps, and for a step so far from its
/// prediction that its unit must be wrong.
/// A step that takes eight times the prediction is reported and not fitted to. `explain` adds the
/// explanation of every step.
CalibrationResult calibrate(const Catalog& catalog, Measurements measured, bool explain = false);

/// A published row as a step. If a fit without its source is known, that fit predicts it. Throws
/// Error as row_workload() and plan() do.
MeasuredStep published_step(const Catalog& catalog, const ThroughputRow& row);

/// Error of the other rows of a source after calibrating to some of them.
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
  /// Means of the sources with errors above and below `kWrong` that have rows enough for three.
  static constexpr double kWrong = 0.15;
  struct Mean {
    int sources = 0;
    double error = 0;
    std::array<double, SourceCurve::kRows.size()> after{};
    double inside = 0;
  };
  Mean wrong, right;
};
/// Curves of every source that a fit left out, each from random choices of 1, 3 and 10 of its
/// rows.
CalibrationCurve calibration_curve(const Catalog& catalog, std::string_view source = {});

const Columns<CalibrationCurve>& calibration_curve_columns();
const Columns<CalibrationResult>& calibration_columns();
inline constexpr Subject<CalibrationCurve> kCalibrationCurve = {
    "calibration curve", calibration_curve_columns, "sources"};
inline constexpr Subject<CalibrationResult> kCalibration = {"calibration", calibration_columns,
                                                            "rows"};

}  // namespace trcost::study
