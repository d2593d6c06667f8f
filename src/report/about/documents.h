// SPDX-License-Identifier: Apache-2.0
// The answer of each command as a Document. The answer has to outlive the document.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/format/document.h"

namespace trcost {
struct ServingReport;
}  // namespace trcost
namespace trcost::estimation {
struct MemoryReport;
}  // namespace trcost::estimation
namespace trcost::study {
struct CalibrationCurve;
struct CalibrationResult;
struct DiffReport;
struct ExperimentReport;
struct MemoryValidation;
struct FirstPredictions;
struct PosttrainingValidation;
struct RunValidation;
struct ServingValidation;
struct TokenItem;
struct TcoReport;
struct TokenReport;
struct TransferReport;
struct ValidationResult;
struct VisionValidation;
}  // namespace trcost::study

namespace trcost::report {

struct SolveReport;
class RowStream;
class Table;

Document tokens_document(const TokenReport& report);
/// Streams a token report as json, jsonl or csv: a token_record() per item, and at the end one of
/// the report.
RowStream token_stream(Format format, std::function<void(std::string_view)> write);
Record token_record(const TokenItem& item);
Record token_record(const TokenReport& report);
/// Lists the token families with their options, rules and sources.
Document token_families_document();

Document estimate_document(const Report& report);
/// Returns the columns of an estimate's JSON.
const ColumnTable& estimate_document_columns();
Document memory_document(const MemoryReport& report);
Document serving_document(const ServingReport& report);
Document transfer_document(const TransferReport& report);
Document tco_document(const TcoReport& report);
Document solve_document(const SolveReport& report);
Document diff_document(const DiffReport& report);
Document experiments_document(const ExperimentReport& report);

/// Part of a validation: `usual` is the summary for people and the rows for machines.
enum class ValidationPart : std::uint8_t { usual, rows, summaries };
Document validation_document(const ValidationResult& result, ValidationPart part);
Document run_validation_document(const RunValidation& validation);
Document vision_validation_document(const VisionValidation& validation);
/// Returns a validation, for people with its rows if `rows`.
Document memory_validation_document(const MemoryValidation& validation, bool rows);
Document serving_validation_document(const ServingValidation& validation, bool rows);
Document first_predictions_document(const FirstPredictions& all, bool rows);
Document posttraining_validation_document(const PosttrainingValidation& validation, bool rows);
Document calibration_document(const CalibrationResult& result);
Document calibration_curve_document(const CalibrationCurve& curve);

/// Returns a listing: a table as the list `name`, with its keys for machines and its titles for
/// people. The title of the page defaults to the name.
Document table_document(Table table, std::string name, std::string title = {});

}  // namespace trcost::report
