// SPDX-License-Identifier: Apache-2.0
// Published vision-language and whole runs: that they can be asked, and how far the answers lie.
#include <cmath>
#include <set>
#include <string>

#include "catch.h"
#include "performance/training/step_model.h"
#include "study/validate/replay.h"
#include "study/validate/validate_runs.h"
#include "trcost/catalog.h"

using namespace trcost;

TEST_CASE("every vision row can be asked or says why not", "[study][vision]") {
  const Catalog catalog;
  std::set<std::string> ids;
  int asked = 0, unanswered = 0;
  const VisionValidation validation = validate_vision(catalog);
  for (const VisionReplay& row : validation.rows) {
    const ReplayableRun& run = *row.run;
    INFO(run.id);
    CHECK(ids.insert(run.id).second);
    CHECK((run.quality == "A" || run.quality == "B" || run.quality == "C"));
    CHECK_FALSE(run.reference.empty());
    CHECK(run.fit != !run.why_not.empty());
    if (run.scenario.empty()) {
      CHECK_FALSE(run.fit);
      continue;
    }
    ++asked;
    if (!row.problem.empty()) ++unanswered;
    CHECK((row.problem.empty() || row.weight == 0));
  }
  CHECK(asked >= 60);
  // One run kept weights and optimizer in 16 bit alone, which no memory recipe here does.
  CHECK(unanswered <= 1);
}

// The goals that these figures are held to: a factor of 1.35, a bias of 0.9 to 1.1; of whole runs
// 1.4, 0.85 to 1.15, and a range whose P90 is at most three times its P10.
TEST_CASE("vision-language runs lie around their estimates", "[study][vision]") {
  const Catalog catalog;
  const VisionValidation v = validate_vision(catalog);
  CHECK(v.vision.sources >= 14);
  CHECK(v.vision.factor < 1.35);
  CHECK(v.vision.bias > 0.9);
  CHECK(v.vision.bias < 1.1);
  CHECK(v.left_out_factor < 1.35);
  CHECK(v.vision.coverage > 0.7);
  CHECK(v.contrastive.factor < 1.35);
  for (const VisionReplay& row : v.rows) {
    if (row.weight == 0 || row.contrastive) continue;
    INFO(row.run->id);
    // Half of the sources of Hugging Face code that were predicted before they were added lie
    // outside of a factor of two (data/runs/predicted_first.csv), so that P10 to P90 of eight in
    // ten is six. Of other stacks there are few sources, which lie closer.
    const bool hugging_face = row.run->scenario.find("hf-trainer") != std::string::npos;
    CHECK(row.range.p90 / row.range.p10 < (hugging_face ? 6.5 : 4));
    CHECK(row.range.p90 / row.range.p10 > (hugging_face ? 4 : 2));
  }
}

TEST_CASE("whole runs lie around their estimates", "[study][runs]") {
  const Catalog catalog;
  const RunValidation v = validate_runs(catalog);
  CHECK(v.families >= 20);
  CHECK(v.left_out_factor < 1.4);
  CHECK(v.left_out_bias > 0.85);
  CHECK(v.left_out_bias < 1.15);
  CHECK(v.coverage > 0.7);
  CHECK(v.coverage <= 0.9);
  CHECK(std::abs(v.above - v.below) <= 6);
  for (const RunReplay& row : v.rows) {
    if (!row.problem.empty()) continue;
    INFO(row.run->name);
    // Of mixtures sources that no fit has seen lie 0.32 apart (data/efficiency/residuals.csv): of
    // the one run of a mixture whose software nobody else has the range is wider. Sources of
    // vision-language runs lie 0.34 apart in Megatron (vision_residuals.csv).
    const std::string& name = row.run->name;
    const bool wide = name == "DeepSeek-V3" || name.starts_with("Llama-4");
    CHECK(row.range.p90 / row.range.p10 <= (wide ? 3.2 : 3));
  }
}
