// SPDX-License-Identifier: Apache-2.0
// A training of several stages is the sum of its stages.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/columns/estimate_columns.h"
#include "json/strict_json.h"
#include "report/workbook/budget.h"
#include "text/files.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

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
  return estimate(s, test_catalog()).front();
}

}  // namespace

TEST_CASE("stages add up to the training", "[estimate][stages]") {
  const Scenario s = example();
  const Estimate whole = estimate(s, test_catalog()).front();
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
  const Estimate whole = estimate(example(), test_catalog()).front();
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
  const Estimate e = estimate(s, test_catalog()).front();
  CHECK(e.memory.fits);
  CHECK(e.gpu_hours > 6.01 / 1.35);
  CHECK(e.gpu_hours < 6.01 * 1.35);
  REQUIRE(e.range.total_usd);
  CHECK(e.range.total_usd->p10 < 7.20);
  CHECK(e.range.total_usd->p90 > 7.20);
}

TEST_CASE("what differs between stages is said with the stage", "[estimate][stages]") {
  const Estimate whole = estimate(example(), test_catalog()).front();
  int scales = 0;
  for (const Assumption& each : whole.assumptions) {
    if (each.path != "data.scale") continue;
    CHECK(each.why.starts_with(scales == 0 ? "projector: " : "instructions: "));
    ++scales;
  }
  CHECK(scales == 2);
  CHECK(whole.warnings.empty());  // both start from trained weights
}

namespace {

// One stage that fits eight H100 and one whose sequences do not, in a layout given in full.
Scenario short_and_long() {
  Scenario s;
  s.set_number(Field::model_params, 7e9);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 8);
  s.set_number(Field::cost_price_per_gpu_hour, 2);
  for (const auto& [name, tokens, length] :
       {std::tuple("most", 1e12, 4096.0), std::tuple("long", 1e9, 131072.0)}) {
    Scenario::Stage& stage = s.stages.emplace_back();
    stage.name = name;
    stage.overrides.set_number(Field::data_tokens, tokens);
    stage.overrides.set_number(Field::data_seq_length, length);
    for (const Field degree : {Field::layout_tp, Field::layout_pp}) s.set_number(degree, 1);
    s.set_number(Field::layout_dp, 8);
    s.set_number(Field::train_micro_batch, 1);
    s.set_text(Field::layout_sharding, "parameters");
    s.set_text(Field::layout_recompute, "none");
  }
  return s;
}

Estimate stage_alone(const Scenario& whole, std::size_t index) {
  return estimate(stage_scenario(whole, whole.stages[index]), test_catalog()).front();
}

}  // namespace

TEST_CASE("a job fits where all of its stages do", "[estimate][stages]") {
  const Scenario s = short_and_long();
  REQUIRE(stage_alone(s, 0).memory.fits);
  const Estimate too_long = stage_alone(s, 1);
  REQUIRE_FALSE(too_long.memory.fits);
  REQUIRE(stage_alone(s, 0).gpu_hours > 10 * too_long.gpu_hours);  // not the largest stage
  const Estimate whole = estimate(s, test_catalog()).front();
  CHECK_FALSE(whole.memory.fits);
  CHECK(whole.memory.total == too_long.memory.total);
  CHECK(whole.stages[0].memory.fits);
  CHECK_FALSE(whole.stages[1].memory.fits);
}

TEST_CASE("speeds of a job are quotients of what its stages add", "[estimate][stages]") {
  const Scenario s = short_and_long();
  const Estimate whole = estimate(s, test_catalog()).front();
  const Estimate parts[] = {stage_alone(s, 0), stage_alone(s, 1)};
  double busy = 0;
  double peak = 0;
  double product = 0;
  for (const Estimate& e : parts) {
    const PerformanceSummary& p = e.performance;
    const double seconds = e.gpu_hours * 3600 * p.goodput * p.production_overhead;
    busy += seconds;
    peak += seconds * 989.4e12;
    product += e.gpu_hours * p.goodput * p.production_overhead;
  }
  CHECK_THAT(whole.performance.tokens_per_second_per_gpu, WithinRel(1.001e12 / busy, 1e-9));
  CHECK_THAT(whole.performance.mfu, WithinRel(whole.flops.model / peak, 1e-6));
  CHECK_THAT(whole.performance.goodput * whole.performance.production_overhead,
             WithinRel(product / whole.gpu_hours, 1e-12));
  CHECK_THAT(whole.flops.per_token, WithinRel(whole.flops.model / 1.001e12, 1e-12));
  CHECK_THAT(*whole.cost.total, WithinRel(2 * whole.gpu_hours, 1e-12));
  CHECK(whole.waterfall.empty());
  CHECK(find_column("layout.global_batch")->number(whole).has_value() ==
        (parts[0].layout == parts[1].layout));
  CHECK_FALSE(find_column("seq_length")->number(whole).has_value());
}

TEST_CASE("one stage alone says what it says without stages", "[estimate][stages]") {
  Scenario s = short_and_long();
  s.stages.resize(1);
  const Estimate whole = estimate(s, test_catalog()).front();
  const Estimate plain = stage_alone(s, 0);
  CHECK(whole.layout == plain.layout);
  CHECK(whole.waterfall.size() == plain.waterfall.size());
  for (const EstimateColumn& column : columns()) {
    INFO(column.path);
    if (column.kind == ColumnKind::text) {
      CHECK(column.text(whole) == column.text(plain));
    } else {
      const auto a = column.number(whole);
      const auto b = column.number(plain);
      REQUIRE(a.has_value() == b.has_value());
      if (b && *b != 0) CHECK_THAT(*a / *b, WithinRel(1.0, 1e-9));
    }
  }
}

// Two halves share what is uncertain, so the job spreads as the whole does. Ranges of the user for
// single stages are independent: of two equal halves the spread is less than that of each.
TEST_CASE("the range of a job is one draw over its stages", "[estimate][stages][range]") {
  Scenario s = short_and_long();
  for (Scenario::Stage& stage : s.stages) {
    stage.overrides.set_number(Field::data_tokens, 5e11);
    stage.overrides.set_number(Field::data_seq_length, 4096);
  }
  // The halves are as long as the whole only in the share of their time that overheads take.
  s.set_number(Field::efficiency_production_overhead, 0.8);
  const Estimate half = stage_alone(s, 0);
  const auto ratio = [](const Quantiles& q) { return q.p90 / q.p10; };
  CHECK_THAT(ratio(*estimate(s, test_catalog()).front().range.total_usd),
             WithinRel(ratio(*half.range.total_usd), 0.003));  // as the draws of one run
  Scenario apart = s;
  int i = 0;
  for (Scenario::Stage& stage : apart.stages) {
    const char* range = i++ == 0 ? "1e11..2.5e12" : "1.1e11..2.4e12";
    stage.overrides.set(field_info(Field::data_tokens), range, "--tokens");
  }
  const double together = ratio(*estimate(apart, test_catalog()).front().range.total_usd);
  CHECK(together < 0.8 * ratio(*stage_alone(apart, 0).range.total_usd));
  CHECK(together > ratio(*half.range.total_usd));
}

TEST_CASE("an owned machine in stages is owned", "[estimate][stages][ownership]") {
  Scenario s = example();
  s.set_text(Field::cost_pricing, "own");
  const Estimate whole = estimate(s, test_catalog()).front();
  CHECK(whole.cost.own);
  CHECK(whole.cost.machines.has_value());
  CHECK(whole.cost.break_even_utilization.has_value());
  CHECK(std::ranges::count(whole.cost.items, Part::capital, &LineItem::part) == 2);
}

namespace {

// A stage of a run on 64 H100, with what it says otherwise.
Scenario::Stage stage(const char* name, const std::vector<std::pair<Field, const char*>>& fields) {
  Scenario::Stage out;
  out.name = name;
  for (const auto& [field, text] : fields) out.overrides.set(field_info(field), text, "test");
  return out;
}

Estimate staged(std::vector<Scenario::Stage> stages) {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.1-8b");
  s.set_number(Field::data_tokens, 1e10);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 64);
  s.stages = std::move(stages);
  return estimate(s, test_catalog()).front();
}

bool known(const Estimate& e, const char* path) {
  return find_column(path)->number(e).has_value();
}

}  // namespace

TEST_CASE("what of one model learns stands with the stage where stages differ",
          "[estimate][stages]") {
  const Estimate e = staged({stage("all", {}), stage("some", {{Field::train_recipe, "lora"}})});
  CHECK(e.complete);
  CHECK(e.model.name == "llama-3.1-8b");
  CHECK(known(e, "model.params_total"));
  CHECK_FALSE(known(e, "model.params_trainable"));
  CHECK(e.stages[0].model.params_trainable == e.model.params_total);
  CHECK(*e.stages[1].model.params_trainable < 0.05 * e.model.params_total);
  const Estimate same = staged({stage("a", {}), stage("b", {{Field::data_tokens, "2e10"}})});
  CHECK(same.model.params_trainable == same.model.params_total);
}

TEST_CASE("stages of two models have no one model", "[estimate][stages]") {
  const Estimate e =
      staged({stage("large", {}), stage("small", {{Field::model_name, "llama-3.2-1b"}})});
  CHECK(e.complete);
  for (const char* path : {"model.params_total", "model.params_active", "model.layers",
                           "model.params_trainable", "model.hidden"}) {
    INFO(path);
    CHECK_FALSE(known(e, path));
  }
  CHECK(e.model.name == "llama-3.1-8b; llama-3.2-1b");
  CHECK(e.stages[0].model.params_total > 6 * e.stages[1].model.params_total);
  CHECK(e.phases[0].layers == 32);
  CHECK(e.phases[1].layers == 16);
}

TEST_CASE("the quality of a method is one where stages share it", "[estimate][stages]") {
  const Estimate same = staged({stage("a", {}), stage("b", {{Field::data_tokens, "2e10"}})});
  CHECK(same.performance.quality == staged({stage("a", {})}).performance.quality);
  const Estimate apart = staged({stage("all", {}), stage("some", {{Field::train_recipe, "lora"}})});
  CHECK_FALSE(apart.performance.quality.has_value());
  CHECK_FALSE(known(apart, "performance.quality.sigma"));
  CHECK(apart.stages[0].method != apart.stages[1].method);
}

TEST_CASE("one commitment holds stages of one term, of two it holds neither",
          "[estimate][stages][prices]") {
  const char* const kReserved = "reserved-1y";
  const Estimate one =
      staged({stage("few", {{Field::hardware_gpus, "8"}, {Field::cost_pricing, kReserved}}),
              stage("many", {{Field::cost_pricing, kReserved}})});
  REQUIRE(one.cost.obligation.has_value());
  CHECK(one.cost.obligation->gpus == 64);
  CHECK_THAT(one.cost.obligation->usd, WithinRel(64 * 8766 * *one.cost.price_per_gpu_hour, 1e-12));
  CHECK_THAT(one.stages[0].obligation->usd, WithinRel(one.cost.obligation->usd / 8, 1e-12));
  // Stages by the hour have no commitment.
  const Estimate part =
      staged({stage("few", {{Field::hardware_gpus, "8"}, {Field::cost_pricing, kReserved}}),
              stage("many", {})});
  REQUIRE(part.cost.obligation.has_value());
  CHECK(part.cost.obligation->gpus == 8);
  const Estimate two = staged({stage("year", {{Field::cost_pricing, kReserved}}),
                               stage("three", {{Field::cost_pricing, "reserved-3y"}})});
  CHECK_FALSE(two.cost.obligation.has_value());
  CHECK(two.stages[0].obligation->hours == 8766);
  CHECK(two.stages[1].obligation->hours == 3 * 8766);
}

TEST_CASE("stages of one name are numbered, and every format has the answer",
          "[estimate][stages]") {
  const Scenario s = scenario_from_json(
      R"json({"model": {"params": 1e9}, "hardware": {"accelerator": "h100-sxm", "gpus": 64},
          "stages": [{"name": "a", "data": {"tokens": 1e10}},
                     {"name": "a", "data": {"tokens": 2e10}},
                     {"name": "a (2)", "data": {"tokens": 1e10}},
                     {"name": "a", "data": {"tokens": 1e10}}]})json",
      "test");
  const std::vector<Estimate> answer = estimate(s, test_catalog());
  std::vector<std::string> names;
  for (const StageResult& stage : answer.front().stages) names.push_back(stage.name);
  CHECK(names == std::vector<std::string>{"a", "a (3)", "a (2)", "a (4)"});
  std::set<std::string> rows;
  for (const LineItem& item : answer.front().cost.items) {
    CHECK(rows.insert(item_name(item)).second);
  }
  CHECK_NOTHROW(budget_of(answer));
}

namespace {

// Stages that train one model on tokens of their own.
Scenario stages_of_tokens(const std::vector<double>& tokens) {
  Scenario s;
  s.set_number(Field::model_params, 1e9);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 64);
  for (const double each : tokens) {
    Scenario::Stage stage{"stage", {}};
    stage.overrides.set_number(Field::data_tokens, each);
    s.stages.push_back(stage);
  }
  return s;
}

double width(const Quantiles& q) {
  return q.p90 / q.p10;
}

}  // namespace

TEST_CASE("stages of equal values have the answer of each", "[estimate][stages]") {
  const Estimate one = estimate(stages_of_tokens({1e10}), test_catalog()).front();
  const Estimate three = estimate(stages_of_tokens({1e10, 2e10, 1e10}), test_catalog()).front();
  REQUIRE(three.stages.size() == 3);
  CHECK(three.stages[0].gpu_hours == one.gpu_hours);
  CHECK(three.stages[2].gpu_hours == one.gpu_hours);
  CHECK(three.stages[2].name == "stage (3)");
  CHECK(three.stages[1].gpu_hours > one.gpu_hours);
}

// The inputs of all stages are the same, so that a sum of them spreads as each does. From 17 stages
// on, those that move alike are drawn as one.
TEST_CASE("the range of many stages is as wide as that of few", "[estimate][stages][range]") {
  const Estimate few = estimate(stages_of_tokens({1e10, 1e10}), test_catalog()).front();
  std::vector<double> tokens(40, 1e10);
  const Estimate many = estimate(stages_of_tokens(tokens), test_catalog()).front();
  CHECK_THAT(width(many.range.gpu_hours), WithinRel(width(few.range.gpu_hours), 1e-9));
  CHECK_THAT(width(*many.range.total_usd), WithinRel(width(*few.range.total_usd), 1e-9));
  CHECK_THAT(many.range.total_usd->p50, WithinRel(20 * few.range.total_usd->p50, 1e-9));
  REQUIRE(many.range.contributions.size() == few.range.contributions.size());
  for (std::size_t i = 0; i < few.range.contributions.size(); ++i) {
    CHECK_THAT(many.range.contributions[i].share,
               WithinRel(few.range.contributions[i].share, 1e-9));
  }
}
