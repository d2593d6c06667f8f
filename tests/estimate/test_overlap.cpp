// SPDX-License-Identifier: Apache-2.0
// --overlap: which exchange runs behind compute, in the words that scripts may rely on.
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/question/platform/resolve_platform.h"
#include "estimate/question/work/notes.h"
#include "performance/training/step_model.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Scenario overlapped_run(const std::string& overlap) {
  Scenario s;
  s.set_text(Field::model_name, "mixtral-8x7b");
  s.set_number(Field::data_tokens, 1e11);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_text(Field::efficiency_stack, "megatron");
  s.set_text(Field::efficiency_tuning, "showcase");
  if (!overlap.empty()) s.set(field_info(Field::efficiency_overlap), overlap, "--overlap");
  return s;
}

// A mixture of experts on several nodes, so that every kind of exchange takes place.
double seconds(const std::string& overlap, StepTerm term) {
  Workload workload;
  workload.language = test_catalog().model("mixtral-8x7b").language;
  workload.seq_length = workload.attention_length = 32768;
  Layout layout;
  layout.tp = layout.pp = 2;
  layout.cp = layout.ep = 8;
  layout.dp = 4;
  layout.global_batch = 64;
  Notes notes(false);
  const Platform platform =
      resolve_platform(overlapped_run(overlap), test_catalog(), "h100-sxm", notes);
  return StepModel(workload, platform).step(layout).terms[static_cast<std::size_t>(term)];
}

std::string written(const std::string& overlap) {
  return std::string(overlapped_run(overlap).text(Field::efficiency_overlap));
}

}  // namespace

TEST_CASE("each kind of exchange is hidden by its own word, and by on", "[estimate][overlap]") {
  const std::pair<const char*, StepTerm> kinds[] = {{"dp", StepTerm::data_parallel},
                                                    {"tp", StepTerm::tensor_parallel},
                                                    {"pp", StepTerm::pipeline_transfer},
                                                    {"ep", StepTerm::expert_parallel},
                                                    {"cp", StepTerm::context_parallel}};
  for (const auto& [word, term] : kinds) {
    INFO(word);
    const double open = seconds("off", term), hidden = seconds(word, term);
    CHECK(open > 0);
    CHECK(hidden < open);
    // Together they share the work behind which they hide.
    CHECK(seconds("on", term) >= hidden * (1 - 1e-9));
    CHECK(seconds("on", term) < open);
    for (const auto& [other, of_other] : kinds) {
      if (other == word) continue;
      CHECK_THAT(seconds(other, term), WithinRel(open, 1e-9));
    }
  }
}

TEST_CASE("kinds are separated by commas, all or none stand alone", "[estimate][overlap]") {
  CHECK(written("dp,tp") == "dp,tp");
  CHECK(written("DP, tp") == "dp,tp");
  CHECK_THROWS_AS(overlapped_run("dp,dp"), Error);
  CHECK_THROWS_AS(overlapped_run("experts"), Error);
  for (const char* both : {"on,dp", "off,dp", "on,off"}) {
    CHECK_THROWS_AS(estimate(overlapped_run(both), test_catalog()), Error);
  }
}

TEST_CASE("the words of before stand for those of now", "[estimate][overlap]") {
  CHECK(written("none") == "off");
  CHECK(written("tensor,expert,pipeline,data") == "tp,ep,pp,dp");
  CHECK_THROWS_AS(overlapped_run("data,dp"), Error);
}
