// SPDX-License-Identifier: Apache-2.0
// A training of several stages is the sum of its stages.
#include <algorithm>
#include <string>

#include "catalog/strict_json.h"
#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/estimate.h"
#include "trcost/files.h"

using namespace trcost;

namespace {

const Catalog& catalog() {
  static const Catalog shared;
  return shared;
}

Scenario example() {
  const std::string path = TRCOST_SOURCE_DIR "/examples/scenarios/llava-two-stages.json";
  return scenario_from_json(read_text_file(path), path);
}

// The stage alone, as a scenario of its own.
Estimate alone(const Scenario& whole, const char* recipe, double samples, double text,
               double batch) {
  Scenario s = whole;
  s.stages.clear();
  s.set_text(Field::train_recipe, recipe);
  s.set_number(Field::data_samples, samples);
  s.set_number(Field::data_text_tokens_per_sample, text);
  s.set_number(Field::data_images_per_sample, 1);
  s.set_number(Field::train_global_batch, batch);
  return estimate(s, catalog()).front();
}

}  // namespace

TEST_CASE("stages add up to the training", "[estimate][stages]") {
  const Scenario s = example();
  const Estimate whole = estimate(s, catalog()).front();
  const Estimate first = alone(s, "projector", 558128, 44, 256);
  const Estimate second = alone(s, "frozen-vision", 665298, 324, 128);
  REQUIRE(whole.stages.size() == 2);
  CHECK(whole.stages[0].name == "projector");
  CHECK_THAT(whole.gpu_hours, WithinRel(first.gpu_hours + second.gpu_hours, 1e-12));
  CHECK_THAT(whole.tokens.total, WithinRel(558128.0 * 620 + 665298.0 * 900, 1e-12));
  CHECK_THAT(whole.flops.model, WithinRel(first.flops.model + second.flops.model, 1e-12));
  CHECK_THAT(*whole.cost.total, WithinRel(*first.cost.total + *second.cost.total, 1e-9));
  CHECK_THAT(whole.stages[1].gpu_hours, WithinRel(second.gpu_hours, 1e-12));
  double sum = 0;
  for (const LineItem& item : whole.cost.items) sum += item.included ? *item.amount : 0;
  CHECK_THAT(sum, WithinRel(*whole.cost.total, 1e-9));
  CHECK_THAT(*whole.energy.kwh, WithinRel(*first.energy.kwh + *second.energy.kwh, 1e-9));
}

// github.com/haotian-liu/LLaVA: 3.5 h of projector pre-training and 10 h of instruction tuning on
// eight A100.
TEST_CASE("the two stages of LLaVA-1.5-7B take about what they took", "[estimate][stages]") {
  const Estimate whole = estimate(example(), catalog()).front();
  CHECK(whole.stages[0].wall_clock_seconds / 3600 > 3.5 / 1.35);
  CHECK(whole.stages[0].wall_clock_seconds / 3600 < 3.5 * 1.35);
  CHECK(whole.wall_clock_seconds / 3600 > 13.5 / 1.4);
  CHECK(whole.wall_clock_seconds / 3600 < 13.5 * 1.4);
}

// 665K samples take 10 h on eight A100, so 50,000 take 6 h on one: $7.20 at $1.20 an hour.
TEST_CASE("LoRA of LLaVA-7B on 50,000 pairs, one A100 40 GB", "[estimate][recipe]") {
  Scenario s;
  s.set_text(Field::model_name, "llava-1.5-7b");
  s.set_text(Field::train_recipe, "lora");
  s.set_number(Field::data_samples, 50e3);
  s.set_text(Field::hardware_accelerator, "a100-sxm-40gb");
  s.set_number(Field::hardware_gpus, 1);
  s.set_text(Field::efficiency_stack, "hf-trainer");
  s.set_number(Field::cost_price_per_gpu_hour, 1.20);
  const Estimate e = estimate(s, catalog()).front();
  CHECK(e.memory.fits);
  CHECK(e.gpu_hours > 6.01 / 1.35);
  CHECK(e.gpu_hours < 6.01 * 1.35);
  REQUIRE(e.range.total_usd);
  CHECK(e.range.total_usd->p10 < 7.20);
  CHECK(e.range.total_usd->p90 > 7.20);
}

TEST_CASE("what differs between stages is said with the stage", "[estimate][stages]") {
  const Estimate whole = estimate(example(), catalog()).front();
  int scales = 0;
  for (const Assumption& each : whole.assumptions) {
    if (each.path != "data.scale") continue;
    CHECK(each.why.starts_with(scales == 0 ? "projector: " : "instructions: "));
    ++scales;
  }
  CHECK(scales == 2);
  CHECK(whole.warnings.empty());  // both start from trained weights
}
