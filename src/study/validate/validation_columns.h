// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "quantity/layers.h"
#include "study/validate/first_predictions.h"
#include "study/validate/replay.h"
#include "study/validate/serving_validation.h"
#include "study/validate/validate.h"
#include "study/validate/validate_runs.h"
#include "text/column.h"

namespace trcost::study {

const Columns<ValidationResult>& validation_columns();
const Columns<RunValidation>& run_validation_columns();
const Columns<VisionValidation>& vision_validation_columns();
const Columns<MemoryValidation>& memory_validation_columns();
const Columns<ServingValidation>& serving_validation_columns();
const Columns<PosttrainingValidation>& posttraining_validation_columns();
const Columns<FirstPredictions>& first_prediction_columns();
const Columns<ValidationSummary>& validation_summary_columns();
const Columns<SourceVotes>& vote_columns();

/// The getter of a member that a row inherits, at the end of a path as in `column::member`.
template <class Row, auto... Path>
inline constexpr auto inherited =
    [](const Row& row) -> decltype(auto) { return column::follow<Path...>(row); };

/// The getter of a number that a row has only with a prediction.
template <class Row, auto... Path>
inline constexpr auto if_predicted = [](const Row& row) {
  return row.problem.empty() ? std::optional<double>(column::follow<Path...>(row)) : std::nullopt;
};

/// The columns that name the published figure that a row replays.
template <class Row>
constexpr Column<Row> figure_columns() {
  using namespace column;
  Column<Row> out;
  out.expand = [](Columns<Row>& table, const Column<Row>&) {
    using R = ReplayableRun;
    table.add({string("id", inherited<Row, &Row::run, &R::id>, "of the measured row", Rank::key),
               string("run", inherited<Row, &Row::run, &R::title>, "published")});
  };
  return out;
}

/// The quality and the source of the published figure.
template <class Row>
constexpr Column<Row> origin_columns() {
  using namespace column;
  Column<Row> out;
  out.expand = [](Columns<Row>& table, const Column<Row>&) {
    using R = ReplayableRun;
    table.add({string("quality", inherited<Row, &Row::run, &R::quality>,
                      "A as published, B one thing assumed, C several"),
               string("source", inherited<Row, &Row::source>, "one vote"),
               string("reference", inherited<Row, &Row::run, &R::reference>, "where it was read")});
  };
  return out;
}

/// Why a row is not predicted, else why it does not count.
template <class Row>
const std::string& problem_words(const Row& row) {
  return row.problem.empty() ? row.run->why_not : row.problem;
}

/// The summaries, the one of all rows last.
template <class Result>
std::vector<ValidationSummary> with_all(const Result& result) {
  std::vector<ValidationSummary> out = result.summaries;
  out.push_back(result.all);
  return out;
}

inline constexpr Subject<ValidationResult> kValidation = {"validation", validation_columns, "rows"};
/// The validation with a line per summary.
inline constexpr Subject<ValidationResult> kValidationSummary = {"validation", validation_columns,
                                                                 "summaries"};
inline constexpr Subject<RunValidation> kRunValidation = {"published runs", run_validation_columns,
                                                          "runs"};

inline constexpr Subject<VisionValidation> kVisionValidation = {"vision-language runs",
                                                                vision_validation_columns, "rows"};
inline constexpr Subject<MemoryValidation> kMemoryValidation = {"memory validation",
                                                                memory_validation_columns, "rows"};
inline constexpr Subject<ServingValidation> kServingValidation = {
    "serving validation", serving_validation_columns, "rows"};
inline constexpr Subject<PosttrainingValidation> kPosttrainingValidation = {
    "post-training validation", posttraining_validation_columns, "rows"};
inline constexpr Subject<FirstPredictions> kFirstPredictions = {"first predictions",
                                                                first_prediction_columns, "rows"};

}  // namespace trcost::study
