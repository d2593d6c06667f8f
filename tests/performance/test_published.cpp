// SPDX-License-Identifier: Apache-2.0
// The measured rows, replayed: medians by family within a tolerance that a broken formula breaks.
#include <algorithm>
#include <string>
#include <vector>

#include "catalog_fixture.h"
#include "catch.h"
#include "performance/training/step_model.h"
#include "study/validate/validate.h"

namespace {

using namespace trcost;

ValidationSummary family(const ValidationResult& result, bool mixture, bool known, bool tuning) {
  std::vector<RowError> rows;
  for (const ValidationRow& row : result.rows) {
    const ThroughputRow& m = *row.measured;
    if (!row.problem.empty()) continue;
    // Not fitted, or hardly (APART and WEAK of refit.py), and first runs, which are a tail.
    if (m.quality == "C" || m.tuning == Tuning::first_run ||
        m.source.find("dispatcher") != std::string::npos || m.source.starts_with("whyNLP") ||
        m.source.starts_with("swiss-ai")) {
      continue;
    }
    // Predicted by rule: nothing was calibrated that could stay where it was.
    if (!test_catalog().efficiency(test_catalog().accelerator(m.accelerator)).measured) continue;
    const bool moe = test_catalog().run_model(m.model).language.moe.has_value();
    if (moe == mixture && row.planned != known && (m.task != RowTask::pretrain) == tuning) {
      rows.push_back(row_error(row));
    }
  }
  return summarise(rows, "family", "");
}

const ValidationResult& all_rows() {
  static const ValidationResult result = validate(test_catalog());
  return result;
}

}  // namespace

TEST_CASE("every measured row has a prediction") {
  for (const ValidationRow& row : all_rows().rows) {
    INFO(row.measured->id << ": " << row.problem);
    CHECK(row.problem.empty());
    CHECK(row.predicted > 0);
  }
  CHECK(all_rows().rows.size() > 900);
}

TEST_CASE("medians of the published families stay where calibration left them") {
  const ValidationResult& result = all_rows();
  CHECK(family(result, false, true, false).median < 0.05);
  // Below 0.19 before 234 rows of 68 origins more came, many of them of laboratories and single
  // users, and below 0.2 before 96 rows of ten sources (N4) that nobody had looked at.
  CHECK(family(result, false, true, false).p90 < 0.22);
  CHECK(family(result, false, false, false).median < 0.10);
  CHECK(family(result, true, true, false).median < 0.15);
  CHECK(family(result, false, true, true).median < 0.12);
  CHECK(family(result, false, false, true).median < 0.14);
  CHECK(std::abs(result.all.bias) < 0.03);
}

TEST_CASE("filters select rows, and summaries cover what is selected") {
  ValidationFilter filter;
  filter.accelerator = "a100-sxm-80gb";
  filter.source = "Korthikanti";
  const ValidationResult result = validate(test_catalog(), filter);
  REQUIRE(result.rows.size() == 7);
  CHECK(result.all.rows == 7);
  for (const ValidationRow& row : result.rows) {
    CHECK(row.measured->accelerator == "a100-sxm-80gb");
    // Table 5 of 2205.05198, within what other implementations reach (model.md 5.3).
    CHECK(std::abs(row.error) < 0.15);
  }
}
