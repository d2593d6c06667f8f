// SPDX-License-Identifier: Apache-2.0
// Published rounds and whole runs of post-training: that they can be asked, and how far the answers
// lie. Bounds are the goals of data/phases.md ("Validation design").
#include <set>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "study/validate/replay.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

const PosttrainingValidation& all_rows() {
  static const PosttrainingValidation shared = validate_posttraining(test_catalog());
  return shared;
}

PosttrainingValidation of_framework(const std::string& name) {
  ValidationFilter filter;
  filter.stack = name;
  return validate_posttraining(test_catalog(), filter);
}

}  // namespace

TEST_CASE("every post-training row can be asked or says why not", "[methods][published]") {
  std::set<std::string> ids;
  for (const PosttrainingReplay& row : all_rows().rows) {
    const ReplayableRun& run = *row.run;
    INFO(run.id);
    CHECK(ids.insert(run.id).second);
    CHECK((run.quality == "A" || run.quality == "B" || run.quality == "C"));
    CHECK_FALSE(run.reference.empty());
    CHECK((run.unit == MeasuredUnit::round_seconds || run.unit == MeasuredUnit::gpu_hours));
    CHECK(run.measured.value_or(0) > 0);
    CHECK_FALSE((run.fit && !run.why_not.empty()));
    if (run.scenario.empty()) CHECK_FALSE(run.why_not.empty());
  }
}

TEST_CASE("rounds of NeMo RL are met", "[methods][published]") {
  const PosttrainingValidation v = of_framework("modern");
  CHECK(v.all.rows == 49);
  CHECK(v.all.median < 0.15);
  CHECK(v.all.p90 < 0.35);
  // With the model left out of the fit.
  REQUIRE(v.all.left_out);
  CHECK(v.all.left_out->rows == 49);
  CHECK(v.all.left_out->median < 0.2);
  CHECK(v.all.left_out->inside > 0.7);
}

TEST_CASE("DeepSpeed-Chat's tables are met with the software of 2023", "[methods][published]") {
  const PosttrainingValidation v = of_framework("deepspeed-chat");
  CHECK(v.all.median < 0.25);
  CHECK(v.all.p90 < 0.6);
  // 30B on eight cards of 40 GB and 66B on eight of 80 GB kept optimizer state in host memory.
  CHECK(v.all.rows >= 9);
}

TEST_CASE("nine hours for 13B on eight A100 lie in the range", "[methods][published]") {
  for (const ReplayableRun& run : test_catalog().runs().posttraining_runs) {
    if (run.id != "pt0005") continue;
    Scenario s = replay_scenario(run);
    s.set_number(Field::rollout_steps, 129);
    const Estimate e = estimate(s, test_catalog()).front();
    CHECK(e.range.wall_clock_seconds.p10 < 9 * 3600);
    CHECK(e.range.wall_clock_seconds.p90 > 9 * 3600);
    return;
  }
  FAIL("the row is gone");
}

TEST_CASE("the range of whole runs holds 70 to 90 % of them", "[methods][published]") {
  const SourceVotes& runs = all_rows().runs;
  CHECK(runs.rows >= 6);
  CHECK(runs.coverage >= 0.7);
}
