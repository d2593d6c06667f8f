// SPDX-License-Identifier: Apache-2.0
// Stored predictions of sources before they were added.
#include <algorithm>
#include <cmath>

#include "catalog/runs/runs.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "study/validate/first_predictions.h"
#include "study/validate/validate.h"

using namespace trcost;

TEST_CASE("stored predictions have one vote per source", "[validate][first]") {
  const FirstPredictions all = first_predictions(test_catalog());
  CHECK(all.rows.size() >= 203);
  double votes = 0;
  int sources = 0;
  for (const FirstPrediction& row : all.rows) votes += row.weight;
  for (const FirstSummary& s : all.summaries) sources += s.source.empty() ? s.sources : 0;
  CHECK(std::abs(votes - sources) < 1e-9);
  const FirstSummary* speed = find_summary(all, "throughput");
  REQUIRE(speed != nullptr);
  // The median of 11 votes lies between the medians of single sources.
  double least = 1e300, most = 0;
  for (const FirstSummary& s : all.summaries) {
    if (s.kind != "throughput" || s.source.empty()) continue;
    least = std::min(least, s.median);
    most = std::max(most, s.median);
  }
  CHECK(speed->median > least);
  CHECK(speed->median < most);
}

TEST_CASE("stored predictions are selected by source", "[validate][first]") {
  const FirstPredictions one = first_predictions(test_catalog(), "lumi");
  REQUIRE_FALSE(one.rows.empty());
  for (const FirstPrediction& row : one.rows) {
    CHECK(row.source.find("lumi") != std::string::npos);
    CHECK(std::abs(row.error - (*row.predicted / row.measured - 1)) < 1e-12);
  }
}

TEST_CASE("the errors that estimates state are those of the stored predictions",
          "[validate][first]") {
  const FirstPredictions all = first_predictions(test_catalog());
  for (const UnseenErrorRow& stated : load_unseen_errors(test_catalog())) {
    INFO(stated.kind);
    const FirstSummary* found = find_summary(all, stated.kind);
    REQUIRE(found != nullptr);
    CHECK(found->sources == stated.sources);
    CHECK_THAT(found->median, WithinAbs(stated.median_error, 0.0005));
    std::vector<RowError> factors;
    for (const FirstPrediction& row : all.rows) {
      if (row.kind != stated.kind || !row.predicted) continue;
      const double ratio = *row.predicted / row.measured;
      factors.push_back({std::max(ratio, 1 / ratio), row.weight, row.source});
    }
    CHECK_THAT(summarise(factors, "kind", stated.kind).p90, WithinAbs(stated.tenth_factor, 0.005));
  }
}
