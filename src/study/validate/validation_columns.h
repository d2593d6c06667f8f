// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "quantity/layers.h"
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
const Columns<ValidationSummary>& validation_summary_columns();
const Columns<SourceVotes>& vote_columns();

/// What is predicted of a row, or follows from that: empty where there is no prediction.
template <class Row>
std::optional<double> where_known(const Row& row, double value) {
  return row.problem.empty() ? std::optional(value) : std::nullopt;
}

/// Which published figure a row replays.
template <class Replay>
constexpr std::array<Column<Replay>, 2> figure_columns() {
  using Row = const Replay&;
  return {column::text(
              "id", [](Row r) -> auto& { return r.run->id; }, "of the measured row", Rank::key),
          column::text(
              "run", [](Row r) -> auto& { return r.run->title; }, "published")};
}

/// How good it is, and where it was read.
template <class Replay>
constexpr std::array<Column<Replay>, 3> origin_columns() {
  using Row = const Replay&;
  return {column::text(
              "quality", [](Row r) -> auto& { return r.run->quality; },
              "A as published, B one thing assumed, C several"),
          column::text(
              "source", [](Row r) -> auto& { return r.source; }, "one vote"),
          column::text(
              "reference", [](Row r) -> auto& { return r.run->reference; }, "where it was read")};
}

/// The summaries; that of all rows stands last.
template <class Result>
std::vector<ValidationSummary> with_all(const Result& result) {
  std::vector<ValidationSummary> out = result.summaries;
  out.push_back(result.all);
  return out;
}

inline constexpr Subject<ValidationResult> kValidation = {"validation", validation_columns, "rows"};
/// The same, about its summaries.
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

}  // namespace trcost::study
