// SPDX-License-Identifier: Apache-2.0
#include "report/schema/schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/memory_columns.h"
#include "json/record_json.h"
#include "quantity/suggest.h"
#include "report/about/documents.h"
#include "report/about/recipe.h"
#include "report/about/solve/solve.h"
#include "study/calibrate/calibrate.h"
#include "study/diff/diff.h"
#include "study/experiments/experiments.h"
#include "study/serve/serving_columns.h"
#include "study/sweep/columns.h"
#include "study/tco/tco.h"
#include "study/tokens/token_report.h"
#include "study/transfer/transfer.h"
#include "study/validate/validation_columns.h"
#include "trcost/error.h"

namespace trcost::report {
namespace {

template <auto Table>
std::string schema_of_table(const Schema& schema) {
  return json_schema(Table(), schema.name, schema.title);
}

// The unknown and the target of an answer have columns of their own, which no fixed schema lists.
std::string schema_of_solve(const Schema& schema) {
  SolveReport report;
  report.target.column = &column_for(ColumnRole::total);
  report.solutions.emplace_back();
  const SolveAnswer answer(report);
  return json_schema(answer.record().table(), schema.name, schema.title, SchemaNames::some);
}

// The axes of a sweep have columns of their own, which no fixed schema lists.
std::string schema_of_sweep(const Schema& schema) {
  const Columns<SweepRow> rows = sweep_row_columns(all_columns());
  return json_schema(sweep_columns(rows), schema.name, schema.title);
}

constexpr Schema kSchemas[] = {
    {"estimate", "trcost estimate --format json", schema_of_table<estimate_document_columns>},
    {"memory", "trcost memory --format json", schema_of_table<memory_columns>},
    {"sweep", "trcost sweep --format json, whose rows have the columns of --select",
     schema_of_sweep},
    {"solve", "trcost solve --format json, with the unknown and the target", schema_of_solve},
    {"diff", "trcost diff --format json", schema_of_table<diff_columns>},
    {"transfer", "trcost transfer --format json", schema_of_table<transfer_columns>},
    {"experiments", "trcost experiments --format json", schema_of_table<experiment_columns>},
    {"serve", "trcost serve --format json", schema_of_table<serving_columns>},
    {"tco", "trcost tco --format json", schema_of_table<tco_columns>},
    {"recipe", "trcost recipe --format json", schema_of_table<recipe_columns>},
    {"tokens", "trcost tokens --format json", schema_of_table<token_columns>},
    {"validate", "trcost validate --format json", schema_of_table<validation_columns>},
    {"validate-runs", "trcost validate --runs --format json",
     schema_of_table<run_validation_columns>},
    {"validate-vision", "trcost validate --vision --format json",
     schema_of_table<vision_validation_columns>},
    {"validate-memory", "trcost validate --memory --format json",
     schema_of_table<memory_validation_columns>},
    {"validate-serving", "trcost validate --serving --format json",
     schema_of_table<serving_validation_columns>},
    {"validate-posttraining", "trcost validate --posttraining --format json",
     schema_of_table<posttraining_validation_columns>},
    {"validate-predicted-first", "trcost validate --predicted-first --format json",
     schema_of_table<first_prediction_columns>},
    {"validate-calibrated", "trcost validate --calibrated --format json",
     schema_of_table<calibration_curve_columns>},
    {"calibrate", "trcost calibrate --format json", schema_of_table<calibration_columns>},
};

}  // namespace

std::span<const Schema> schemas() {
  return kSchemas;
}

std::string schema_text(std::string_view name) {
  const auto* at = std::ranges::find(kSchemas, name, &Schema::name);
  if (at != std::end(kSchemas)) return at->text(*at);
  std::vector<std::string> known;
  for (const Schema& each : kSchemas) known.emplace_back(each.name);
  std::string hint = did_you_mean(std::string(name), known);
  hint += fmt::format("{}allowed: {}", hint.empty() ? "" : " ", fmt::join(known, ", "));
  throw Error(ErrorKind::usage, fmt::format("there is no schema \"{}\"", name), hint);
}

}  // namespace trcost::report
