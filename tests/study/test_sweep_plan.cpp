// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "catalog/assumed.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/columns/estimate_columns.h"
#include "report/about/sweep.h"
#include "study/sweep/columns.h"
#include "study/sweep/plan.h"
#include "study/sweep/price_doubts.h"
#include "trcost/error.h"

namespace {

using trcost::Field;
using trcost::SweepPlan;
using trcost::SweepRequest;

SweepRequest sweep_over(std::vector<std::string> vary) {
  SweepRequest out;
  out.base.set_number(Field::model_params, 7e9);
  out.base.set_number(Field::data_tokens, 1e11);
  out.base.set_text(Field::hardware_accelerator, "h100-sxm");
  out.vary = std::move(vary);
  return out;
}

// Of the values of a row.
std::vector<std::string> names_of(const SweepPlan& plan) {
  std::vector<std::string> out;
  for (const auto& column : trcost::sweep_row_columns(plan, plan.columns())) {
    out.emplace_back(column.path);
  }
  return out;
}

std::string plan_error(const SweepRequest& wrong) {
  try {
    const SweepPlan plan(wrong, test_catalog());
  } catch (const trcost::Error& error) {
    CHECK(error.kind == trcost::ErrorKind::usage);
    return std::string(error.what()) + " | " + error.hint;
  }
  return "accepted";
}

template <class Change>
std::string plan_error(Change change) {
  SweepRequest wrong = sweep_over({"hardware.gpus=8..64:x2"});
  change(wrong);
  return plan_error(wrong);
}

}  // namespace

TEST_CASE("rows are numbered with the last axis fastest", "[sweep]") {
  const SweepPlan plan(sweep_over({"model.params=1e9,3e9,10e9", "hardware.gpus=8..64:x2"}),
                       test_catalog());
  REQUIRE(plan.size() == 12);
  std::vector<std::uint64_t> at(2);
  for (std::uint64_t index = 0; index < plan.size(); ++index) {
    plan.locate(index, at);
    CHECK(at[0] == index / 4);
    CHECK(at[1] == index % 4);
    CHECK(plan.index_of(at) == index);
  }
}

TEST_CASE("several platforms that are not varied are the fastest axis", "[sweep]") {
  SweepRequest several = sweep_over({"hardware.gpus=8,16"});
  several.base.set_text(Field::hardware_accelerator, "h100-sxm,b200");
  const SweepPlan plan(several, test_catalog());
  CHECK(plan.size() == 4);
  CHECK(plan.named_axes() == 1);
  const std::vector<std::uint64_t> second = {0, 1};
  CHECK(plan.accelerator(second) == "b200");
  CHECK(names_of(plan)[0] == "hardware.gpus");
  CHECK(names_of(plan)[1] == "accelerator");

  SweepRequest none = sweep_over({"hardware.gpus=8,16"});
  none.base.clear(Field::hardware_accelerator);
  CHECK(SweepPlan(none, test_catalog()).size() == 2 * test_catalog().assumed().accelerators.size());

  several.select = "cost.total";
  CHECK(names_of(SweepPlan(several, test_catalog())) ==
        std::vector<std::string>{"hardware.gpus", "accelerator", "cost.total", "error"});
}

TEST_CASE("columns are the axes, all or selected results, then the error", "[sweep]") {
  SweepRequest all = sweep_over({"layout.tp=1,2", "hardware.gpus=8"});
  const std::vector<std::string> names = names_of(SweepPlan(all, test_catalog()));
  CHECK(names[0] == "layout.tp");
  CHECK(names[1] == "hardware.gpus");
  CHECK(names.back() == "error");
  // The axis stands for the column of the same name.
  CHECK(names.size() == 2 + trcost::columns().size() - 1 + 1);
  all.select = "performance.mfu,layout.tp,cost.total";
  CHECK(names_of(SweepPlan(all, test_catalog())) ==
        std::vector<std::string>{"layout.tp", "hardware.gpus", "performance.mfu", "cost.total",
                                 "error"});
}

TEST_CASE("the range is computed only where somebody reads it", "[sweep]") {
  SweepRequest some = sweep_over({"hardware.gpus=8,16"});
  CHECK(SweepPlan(some, test_catalog()).needs_range());
  some.select = "cost.total";
  CHECK_FALSE(SweepPlan(some, test_catalog()).needs_range());
  some.where = {"range.total_usd.p90<=1M"};
  CHECK(SweepPlan(some, test_catalog()).needs_range());
}

TEST_CASE("parts of a grid are contiguous and the whole", "[sweep]") {
  for (const std::uint64_t parts : {1U, 2U, 3U, 7U, 12U, 20U}) {
    std::uint64_t next = 0;
    for (std::uint64_t part = 1; part <= parts; ++part) {
      SweepRequest shard = sweep_over({"model.params=1e9,3e9,10e9", "hardware.gpus=8..64:x2"});
      shard.shard = trcost::SweepShard{part, parts};
      const SweepPlan plan(shard, test_catalog());
      CHECK(plan.begin() == next);
      CHECK(plan.end() - plan.begin() <= 12 / parts + 1);
      CHECK(plan.first_shard() == (part == 1));
      next = plan.end();
    }
    CHECK(next == 12);
  }
  for (const char* text : {"", "1", "0/2", "3/2", "1/0", "a/2", "1/2/3", "1/ 2", "-1/2"}) {
    CHECK_THROWS_AS(trcost::parse_shard(text), trcost::Error);
  }
  CHECK(trcost::parse_shard("2/8").part == 2);
}

TEST_CASE("conditions on fields drop values of an axis", "[sweep]") {
  SweepRequest some = sweep_over({"hardware.gpus=8..512:x2", "train.precision=bf16,fp8"});
  some.where = {"hardware.gpus<=64", "hardware.gpus!=16", "train.precision=bf16"};
  const SweepPlan plan(some, test_catalog());
  CHECK(plan.size() == 3);
  CHECK(plan.conditions().empty());
  some.where = {"memory.fits=true", "wall_clock_seconds<30d", "accelerator!=b200"};
  CHECK(SweepPlan(some, test_catalog()).conditions().size() == 3);
  CHECK(SweepPlan(some, test_catalog()).conditions()[1].number == 30 * 86400);
  // Of a field that nobody set, the resolved value is meant.
  some = sweep_over({"train.precision=bf16,fp8"});
  some.where = {"hardware.gpus<=512"};
  CHECK(SweepPlan(some, test_catalog()).conditions()[0].column->path == "gpus");
}

TEST_CASE("the grid is refused before anything is computed", "[sweep]") {
  using R = SweepRequest;
  CHECK_THAT(plan_error([](R& r) { r.vary.clear(); }), Catch::Contains("nothing varies"));
  CHECK_THAT(plan_error([](R& r) { r.vary.push_back("hardware.gpus=8"); }),
             Catch::Contains("varied twice"));
  CHECK_THAT(plan_error([](R& r) { r.base.clear(Field::model_params); }),
             Catch::Contains("model is missing"));
  CHECK_THAT(plan_error([](R& r) { r.vary.push_back("hardware.accelerator=h100-smx"); }),
             Catch::Contains("did you mean \"h100-sxm\"?"));
  CHECK_THAT(plan_error([](R& r) { r.base.set_text(Field::efficiency_stack, "megatorn"); }),
             Catch::Contains("megatron"));
  CHECK_THAT(plan_error([](R& r) { r.select = "cost.totl"; }), Catch::Contains("cost.total"));
  CHECK_THAT(plan_error([](R& r) { r.select = "cost.total,,gpus"; }),
             Catch::Contains("empty name"));
  CHECK_THAT(plan_error([](R& r) { r.select = "gpus,gpus"; }), Catch::Contains("twice"));
  CHECK_THAT(plan_error([](R& r) { r.sort = "cost.total:up"; }), Catch::Contains("direction"));
  CHECK_THAT(plan_error([](R& r) { r.sort = "train.precision"; }),
             Catch::Contains("does not vary") && Catch::Contains("precision"));
  CHECK_THAT(plan_error([](R& r) { r.top = 3; }), Catch::Contains("--sort"));
  CHECK_THAT(plan_error([](R& r) { r.pareto = "layout.tp,cost.total"; }), Catch::Contains(":min"));
  CHECK_THAT(plan_error([](R& r) { r.pareto = "accelerator,cost.total"; }),
             Catch::Contains("not a number"));
  CHECK_THAT(plan_error([](R& r) { r.where = {"hardware.gpus>64"}; }),
             Catch::Contains("no value of hardware.gpus"));
  CHECK_THAT(plan_error([](R& r) { r.where = {"model.params>1e12"}; }),
             Catch::Contains("no row meets"));
  CHECK_THAT(plan_error([](R& r) { r.where = {"cost.totl>1"}; }), Catch::Contains("cost.total"));
  CHECK_THAT(plan_error([](R& r) { r.where = {"memory.fits=maybe"}; }), Catch::Contains("true"));
  CHECK_THAT(plan_error([](R& r) { r.where = {"accelerator<h100"}; }), Catch::Contains("= or !="));
  CHECK_THAT(plan_error([](R& r) { r.where = {"cost.total"}; }),
             Catch::Contains("not a condition"));
  CHECK_THAT(plan_error([](R& r) { r.where = {"cost.total>"}; }),
             Catch::Contains("not a condition"));
  CHECK_THAT(plan_error([](R& r) {
               r.where = {"data.seq_length>=1k", "cost.spares=0.1"};
             }),
             Catch::Contains("has no value in this sweep"));
}

TEST_CASE("more than 1e12 rows need a shard", "[sweep]") {
  SweepRequest huge =
      sweep_over({"cost.price_per_gpu_hour=1..2:0.0000001", "data.tokens=1e9..2e9:10"});
  CHECK_THAT(plan_error(huge), Catch::Contains("1e12") && Catch::Contains("--shard"));
  huge.shard = trcost::parse_shard("1000000/1000000");
  const SweepPlan plan(huge, test_catalog());
  CHECK(plan.size() == 10'000'001ULL * 100'000'001ULL);
  CHECK(plan.end() == plan.size());
  huge.vary.push_back("hardware.gpus=1..10000000:1");
  CHECK_THAT(plan_error(huge), Catch::Contains("1.8e19"));
}

TEST_CASE("an axis takes the place of the field that it excludes", "[sweep]") {
  const SweepPlan plan(sweep_over({"data.samples=1e6,1e7", "data.text_tokens_per_sample=512"}),
                       test_catalog());
  CHECK_FALSE(plan.base().has(Field::data_tokens));
  CHECK_THAT(plan_error([](SweepRequest& r) {
               r.vary.push_back("data.samples=1e6");
               r.vary.push_back("data.tokens=1e9");
             }),
             Catch::Contains("exclude each other"));
}

TEST_CASE("a region without a price is a doubt of the sweep, whatever axis it is on",
          "[sweep][region]") {
  const auto doubts = [](std::vector<std::string> vary) {
    return trcost::find_price_doubts(SweepPlan(sweep_over(std::move(vary)), test_catalog()),
                                     test_catalog());
  };
  CHECK_FALSE(doubts({"hardware.gpus=8,16"}).doubtful);
  const auto regions = doubts({"cost.region=us,cn,fr", "hardware.gpus=8,16"});
  CHECK(regions.doubtful);
  REQUIRE(regions.lines.size() == 1);
  CHECK(regions.lines[0].find("cn") != std::string::npos);
  CHECK(doubts({"hardware.gpus=8,16", "cost.region=cn"}).lines == regions.lines);
  // A price that the user sets leaves no doubt.
  CHECK_FALSE(doubts({"cost.region=cn", "cost.price_per_gpu_hour=2,3"}).doubtful);
}
