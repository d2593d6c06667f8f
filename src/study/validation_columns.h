// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/calibrate.h"
#include "study/posttraining_validation.h"
#include "study/serving_validation.h"
#include "study/validate.h"
#include "study/validate_memory.h"
#include "study/validate_runs.h"
#include "study/validate_vision.h"
#include "text/column.h"

namespace trcost {

const Columns<ValidationResult>& validation_columns();
const Columns<RunValidation>& run_validation_columns();
const Columns<VisionValidation>& vision_validation_columns();
const Columns<MemoryValidation>& memory_validation_columns();
const Columns<ServingValidation>& serving_validation_columns();
const Columns<PosttrainingValidation>& posttraining_validation_columns();
const Columns<ValidationSummary>& validation_summary_columns();
const Columns<SourceVotes>& vote_columns();

/// The summaries; that of all rows stands last.
template <class Result>
std::vector<ValidationSummary> with_all(const Result& result) {
  std::vector<ValidationSummary> out = result.summaries;
  out.push_back(result.all);
  return out;
}
const Columns<CalibrationCurve>& calibration_curve_columns();
const Columns<CalibrationResult>& calibration_columns();

inline constexpr Subject<ValidationResult> kValidation = {"validation", validation_columns, "rows"};
/// The same, about its summaries.
inline constexpr Subject<ValidationResult> kValidationSummary = {"validation", validation_columns,
                                                                 "summaries"};
inline constexpr Subject<RunValidation> kRunValidation = {"published runs", run_validation_columns,
                                                          "runs"};

inline constexpr Subject<VisionValidation> kVisionValidation = {
    "vision-language runs", vision_validation_columns, "rows"};
inline constexpr Subject<MemoryValidation> kMemoryValidation = {
    "memory validation", memory_validation_columns, "rows"};
inline constexpr Subject<ServingValidation> kServingValidation = {
    "serving validation", serving_validation_columns, "rows"};
inline constexpr Subject<PosttrainingValidation> kPosttrainingValidation = {
    "post-training validation", posttraining_validation_columns, "rows"};
inline constexpr Subject<CalibrationCurve> kCalibrationCurve = {
    "calibration curve", calibration_curve_columns, "sources"};
inline constexpr Subject<CalibrationResult> kCalibration = {"calibration", calibration_columns,
                                                            "rows"};

}  // namespace trcost
