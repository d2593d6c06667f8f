// SPDX-License-Identifier: Apache-2.0
// Each subject as a document. What is handed in has to outlive the document.
#pragma once

#include <cstdint>

#include "estimate/cluster/memory_fit.h"
#include "quantity/layers.h"
#include "report/about/solve/solve_report.h"
#include "report/format/document.h"
#include "report/format/row_stream.h"
#include "study/calibrate/calibrate.h"
#include "study/diff/diff.h"
#include "study/experiments/experiments.h"
#include "study/tokens/token_report.h"
#include "study/transfer/transfer.h"
#include "study/validate/serving_validation.h"
#include "study/validate/validate.h"
#include "study/validate/validate_runs.h"
#include "study/validate/replay.h"
#include "trcost/report.h"
#include "trcost/serving.h"

namespace trcost::report {

Document tokens_document(const TokenReport& report);
/// The same as json, jsonl or csv while the items come; hand the report to its finish().
RowStream token_stream(Format format, std::function<void(std::string_view)> write);
Record token_record(const TokenItem& item);
Record token_record(const TokenReport& report);
/// The families with their options, rules and sources.
Document token_families_document();

Document estimate_document(const Report& report);
/// Of its JSON.
const ColumnTable& estimate_document_columns();
Document memory_document(const MemoryReport& report);
Document serving_document(const ServingReport& report);

/// What of a validation is asked for: people get its summary, machines its rows.
enum class ValidationPart : std::uint8_t { usual, rows, summaries };
Document validation_document(const ValidationResult& result, ValidationPart part);
Document transfer_document(const TransferReport& report);
Document solve_document(const SolveReport& report);
Document diff_document(const DiffReport& report);
Document experiments_document(const ExperimentReport& report);
Document run_validation_document(const RunValidation& validation);
Document vision_validation_document(const VisionValidation& validation);
Document memory_validation_document(const MemoryValidation& validation, bool rows);
Document serving_validation_document(const ServingValidation& validation, bool rows);
Document posttraining_validation_document(const PosttrainingValidation& validation, bool rows);
Document calibration_curve_document(const CalibrationCurve& curve);
Document calibration_document(const CalibrationResult& result);

}  // namespace trcost::report
