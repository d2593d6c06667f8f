// SPDX-License-Identifier: Apache-2.0
// Replays of measured steps: which rows, what is counted, and how errors are summed.
#include "study/validate/validate.h"

#include <cmath>
#include <map>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"

using namespace trcost;

TEST_CASE("a summary counts experiments once, however many rows one has", "[validate]") {
  // One experiment seen three times, 10 % fast, and one seen once, 30 % slow.
  const std::vector<RowError> rows = {
      {0.1, 1 / 3.0, "a"}, {0.1, 1 / 3.0, "a"}, {0.1, 1 / 3.0, "a"}, {-0.3, 1, "b"}};
  const ValidationSummary summary = summarise(rows, "all", "all");
  CHECK(summary.rows == 4);
  CHECK(summary.groups == 2);
  CHECK_THAT(summary.median, WithinRel(0.1, 1e-12));
  CHECK_THAT(summary.p90, WithinRel(0.3, 1e-12));
  CHECK_FALSE(summary.left_out);
}

TEST_CASE("rows that the fit keeps apart are counted beside its errors, not in them",
          "[validate]") {
  RowError fitted{0.1, 1, "a"}, apart{0.9, 1, "b"};
  fitted.left_out = 1.2;
  apart.apart = true;
  const ValidationSummary both = summarise({fitted, apart}, "all", "all");
  CHECK(both.rows == 2);
  CHECK(both.apart == 1);
  CHECK(both.groups == 1);
  CHECK_THAT(both.median, WithinRel(0.1, 1e-12));
  CHECK_THAT(both.bias, WithinRel(0.1, 1e-12));
  CHECK(both.left_out->rows == both.rows - both.apart);
  // Where there are no others they say what there is to say.
  const ValidationSummary alone = summarise({apart}, "all", "all");
  CHECK(alone.apart == 1);
  CHECK_THAT(alone.median, WithinRel(0.9, 1e-12));
}

TEST_CASE("coverage, width and score of left-out rows by hand", "[validate]") {
  // Sigma 0.1: half a width of 0.12816. One row inside, one beyond by ln 1.5 - 0.12816.
  RowError inside{0, 1, "a"}, outside{0, 1, "b"};
  inside.left_out = 1.05;
  outside.left_out = 1.5;
  inside.sigma = outside.sigma = 0.1;
  const auto left = summarise({inside, outside}, "all", "all").left_out;
  REQUIRE(left);
  const double half = 1.2815515655446004 * 0.1;
  CHECK_THAT(left->inside, WithinRel(0.5, 1e-12));
  CHECK_THAT(left->width, WithinRel(std::exp(2 * half), 1e-12));
  CHECK_THAT(left->score, WithinRel(2 * half + 0.5 * 10 * (std::log(1.5) - half), 1e-9));
  CHECK_THAT(left->median, WithinRel(0.05, 1e-9));
  CHECK_THAT(left->p90, WithinRel(0.5, 1e-9));
}

TEST_CASE("a filter takes the rows it names, and predicts them as all rows do", "[validate]") {
  ValidationFilter filter;
  filter.accelerator = "b200";
  const ValidationResult some = validate(test_catalog(), filter);
  REQUIRE_FALSE(some.rows.empty());
  std::size_t expected = 0;
  for (const ThroughputRow& row : test_catalog().runs().throughput) {
    expected += row.accelerator == "b200" ? 1 : 0;
  }
  CHECK(some.rows.size() == expected);
  filter.source = some.rows.front().measured->source;
  const ValidationResult fewer = validate(test_catalog(), filter);
  REQUIRE_FALSE(fewer.rows.empty());
  CHECK(fewer.rows.size() <= some.rows.size());
  std::map<std::string, double> predicted;
  for (const ValidationRow& row : some.rows) predicted[row.measured->id] = row.predicted;
  for (const ValidationRow& row : fewer.rows) {
    CHECK(row.predicted == predicted.at(row.measured->id));
  }
  filter.source = "no such source";
  CHECK(validate(test_catalog(), filter).rows.empty());
}

TEST_CASE("rows keep what was published, and their error is of that", "[validate]") {
  ValidationFilter filter;
  filter.stack = "megatron";
  const ValidationResult result = validate(test_catalog(), filter);
  int known = 0;
  for (const ValidationRow& row : result.rows) {
    const ThroughputRow& m = *row.measured;
    INFO(m.id);
    if (!row.problem.empty()) continue;
    CHECK_THAT(row.error, WithinAbs(row.predicted / m.tokens_per_second_per_gpu - 1, 1e-12));
    CHECK(row.layout.gpus() <= m.gpus);
    if (m.tp) CHECK(row.layout.tp == *m.tp);
    if (m.pp) CHECK(row.layout.pp == *m.pp);
    if (m.recompute) CHECK(row.layout.recompute == *m.recompute);
    if (m.global_batch) CHECK(row.layout.global_batch == *m.global_batch);
    known += row.planned ? 0 : 1;
  }
  CHECK(known > 50);
  // Every summary is of rows that have a prediction, and a dimension covers all of them.
  std::map<std::string, int> rows;
  for (const ValidationSummary& each : result.summaries) rows[each.dimension] += each.rows;
  for (const auto& [dimension, count] : rows) {
    INFO(dimension);
    CHECK(count == result.all.rows);
  }
}

TEST_CASE("without tuning stated no row is predicted faster than as a showcase", "[validate]") {
  ValidationFilter stated, unstated;
  stated.source = unstated.source = "NVIDIA";
  unstated.default_tuning = true;
  const ValidationResult shown = validate(test_catalog(), stated),
                         usual = validate(test_catalog(), unstated);
  REQUIRE(shown.rows.size() == usual.rows.size());
  int slower = 0;
  for (std::size_t i = 0; i < shown.rows.size(); ++i) {
    const ValidationRow& a = shown.rows[i];
    if (a.measured->tuning != Tuning::showcase || !a.problem.empty()) continue;
    INFO(a.measured->id);
    if (!row_layout_known(*a.measured)) continue;
    CHECK(usual.rows[i].predicted <= a.predicted * (1 + 1e-9));
    slower += usual.rows[i].predicted < a.predicted ? 1 : 0;
  }
  CHECK(slower > 20);
}
