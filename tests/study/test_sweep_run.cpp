// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "catalog_fixture.h"
#include "catch.h"
#include "report/about/sweep.h"
#include "report/row_text.h"
#include "study/sweep/plan.h"
#include "study/sweep/worker.h"
#include "trcost/error.h"

namespace {

using trcost::Estimate;
using trcost::Field;
using trcost::Format;
using trcost::SweepPlan;
using trcost::SweepRequest;

// Fixed layouts, some of which divide nothing, on three platforms of which one lacks fp8.
SweepRequest small_grid() {
  SweepRequest out;
  out.base.set_number(Field::data_tokens, 1e11);
  out.base.set_number(Field::layout_pp, 1);
  out.base.set_number(Field::layout_cp, 1);
  out.base.set_text(Field::layout_sharding, "optimizer");
  out.base.set_text(Field::layout_recompute, "selective");
  out.base.set_number(Field::train_micro_batch, 1);
  out.vary = {"model.params=1e9,7e9", "layout.tp=1,2,3", "hardware.gpus=8..32:x2",
              "train.precision=bf16,fp8", "hardware.accelerator=h100-sxm,a100-sxm-80gb,b200"};
  return out;
}

std::string run(const SweepRequest& request, Format format, unsigned threads,
                trcost::SweepOutcome* outcome = nullptr) {
  const SweepPlan plan(request, test_catalog());
  std::string out;
  trcost::SweepDocument document(plan, format, {}, [&](std::string_view text) { out += text; });
  trcost::SweepRun options;
  options.threads = threads;
  options.begin = plan.begin();
  options.end = plan.end();
  document.open();
  const trcost::SweepOutcome result =
      trcost::run_plan(plan, test_catalog(), options, trcost::sweep_renderer(plan, format),
                       [&](std::string_view rows) { document.add(rows); });
  document.close();
  if (outcome != nullptr) *outcome = result;
  return out;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

double cell(const std::string& line, std::size_t column) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < column; ++i) at = line.find(',', at) + 1;
  return std::stod(line.substr(at));
}

}  // namespace

TEST_CASE("every row of the grid in order, and the same bytes for any number of threads",
          "[sweep]") {
  trcost::SweepOutcome outcome;
  const std::string one = run(small_grid(), Format::csv, 1, &outcome);
  const std::vector<std::string> rows = lines(one);
  REQUIRE(rows.size() == 1 + 2 * 3 * 3 * 2 * 3);
  CHECK(rows[1].starts_with("1000000000,1,8,bf16,h100-sxm,"));
  CHECK(rows[2].starts_with("1000000000,1,8,bf16,a100-sxm-80gb,"));
  CHECK(rows.back().starts_with("7000000000,3,32,fp8,b200,"));
  CHECK(outcome.computed == 108);
  CHECK(outcome.written == 108);
  CHECK(outcome.failed > 0);
  CHECK(outcome.failed < 108);
  // A platform without the format has no answer, and the row says so.
  CHECK_THAT(rows[5], Catch::Contains("a100-sxm-80gb") && Catch::Contains("has no fp8"));
  for (const unsigned threads : {2U, 3U, 8U}) CHECK(run(small_grid(), Format::csv, threads) == one);
  for (const Format format : {Format::jsonl, Format::json, Format::table, Format::md}) {
    CHECK(run(small_grid(), format, 1) == run(small_grid(), format, 4));
  }
}

TEST_CASE("parts one after another are the whole", "[sweep]") {
  for (const Format format : {Format::csv, Format::jsonl}) {
    const std::string whole = run(small_grid(), format, 2);
    for (const std::uint64_t parts : {2U, 5U, 108U, 150U}) {
      std::string joined;
      for (std::uint64_t part = 1; part <= parts; ++part) {
        SweepRequest request = small_grid();
        request.shard = trcost::SweepShard{part, parts};
        joined += run(request, format, 1);
      }
      CHECK(joined == whole);
    }
  }
}

TEST_CASE("a row is what estimate gives for its scenario", "[sweep]") {
  const SweepPlan plan(small_grid(), test_catalog());
  const std::vector<std::string> rows = lines(run(small_grid(), Format::csv, 1));
  std::vector<std::uint64_t> at(plan.axes().size());
  for (std::uint64_t index = 0; index < plan.size(); index += 7) {
    plan.locate(index, at);
    trcost::Scenario scenario = plan.base();
    for (std::size_t i = 0; i < at.size(); ++i) plan.axes()[i].set(scenario, at[i]);
    std::string expected;
    try {
      const std::vector<Estimate> estimates = trcost::estimate(scenario, test_catalog());
      expected = trcost::RowText(plan.columns(), Format::csv).of(estimates.at(0));
      expected.pop_back();  // the line's end
    } catch (const trcost::Error& error) {
      expected = error.message;
    }
    CHECK_THAT(rows[index + 1], Catch::Contains(expected));
  }
}

// Answers may not depend on what was asked before: whatever an estimator keeps is found only by all
// that it was made from.
TEST_CASE("a row does not depend on the rows before it", "[sweep]") {
  SweepRequest request;
  request.base.set_number(Field::model_params, 2e9);
  request.base.set_text(Field::hardware_accelerator, "h100-sxm");
  request.base.set_number(Field::hardware_gpus, 16);
  request.vary = {"layout.tp=1,2"};
  const std::vector<std::vector<std::string>> axes = {
      {"model.modality=text,vl", "train.recipe=full,lora", "data.seq_length=2048,4096",
       "train.attention=flash,standard", "model.vocab=32000,128256"},
      {"data.tokens=1e9,1e11", "data.epochs=1,2", "train.global_batch=64,256",
       "train.micro_batch=1,2", "train.precision=bf16,fp8,best"},
      {"cost.pricing=on-demand,own,spot", "cost.region=us,de", "cost.pue=1.1,1.4",
       "cost.storage_price=0.01,0.02", "cost.utilization=50%,90%"},
      {"cost.price_per_gpu_hour=1,2,3", "cost.electricity_price=0.05,0.2",
       "efficiency.stack=typical,megatron", "hardware.accelerator=h100-sxm,b200,a100-sxm-80gb"},
      {"data.samples=1e6,1e7", "data.text_tokens_per_sample=100,200", "cost.provider=aws,lambda",
       "efficiency.goodput=0.9,0.95", "efficiency.mfu=0.3,0.4", "layout.recompute=none,full"},
  };
  std::mt19937 random(7);
  for (const std::vector<std::string>& group : axes) {
    request.vary.resize(1);
    for (const std::string& axis : group) request.vary.push_back(axis);
    const SweepPlan plan(request, test_catalog());
    trcost::SweepWorker busy(plan, test_catalog());
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t index = random() % plan.size();
      std::string expected;
      std::string found;
      trcost::SweepWorker fresh(plan, test_catalog());
      fresh.go_to(index);
      trcost::sweep_renderer(plan, Format::csv)(fresh.compute(), expected);
      busy.go_to(index);
      trcost::sweep_renderer(plan, Format::csv)(busy.compute(), found);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("conditions keep the rows that meet them, in order", "[sweep]") {
  SweepRequest request = small_grid();
  request.select = "memory.fits,cost.total";
  const std::vector<std::string> all = lines(run(request, Format::csv, 1));
  request.where = {"memory.fits=true", "cost.total<=5k"};
  std::vector<std::string> expected;
  for (const std::string& row : all) {
    const bool header = row.starts_with("model.params");
    if (header || (row.find(",true,") != std::string::npos && cell(row, 6) <= 5000)) {
      expected.push_back(row);
    }
  }
  REQUIRE(expected.size() > 5);
  REQUIRE(expected.size() < all.size() - 5);
  CHECK(lines(run(request, Format::csv, 3)) == expected);
}

TEST_CASE("sort orders all rows, top keeps the first", "[sweep]") {
  SweepRequest request = small_grid();
  request.select = "cost.total";
  request.where = {"cost.total>0"};
  std::vector<std::string> expected = lines(run(request, Format::csv, 1));
  const auto by_cost = [](const std::string& a, const std::string& b) {
    return cell(a, 5) < cell(b, 5);
  };
  std::stable_sort(expected.begin() + 1, expected.end(), by_cost);
  request.sort = "cost.total";
  CHECK(lines(run(request, Format::csv, 2)) == expected);
  request.top = 5;
  std::vector<std::string> first(expected.begin(), expected.begin() + 6);
  CHECK(lines(run(request, Format::csv, 1)) == first);
  CHECK(lines(run(request, Format::csv, 4)) == first);
  request.sort = "cost.total:desc";
  const std::vector<std::string> last = lines(run(request, Format::csv, 2));
  REQUIRE(last.size() == 6);
  CHECK(cell(last[1], 5) == cell(expected.back(), 5));
  request.sort = "-hardware.gpus,cost.total";
  CHECK(cell(lines(run(request, Format::csv, 2))[1], 2) == 32);
}

TEST_CASE("rows without an answer sort last in both directions", "[sweep]") {
  SweepRequest request = small_grid();
  request.select = "cost.total";
  for (const char* sort : {"cost.total", "cost.total:desc"}) {
    request.sort = sort;
    const std::vector<std::string> rows = lines(run(request, Format::csv, 2));
    bool failed = false;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const bool answer = rows[i].back() == ',';
      CHECK((answer ? !failed : true));
      failed = failed || !answer;
    }
    CHECK(failed);
    // They stand in grid order, whatever row a thread computed before them.
    request.sort += ",hardware.gpus:desc,performance.mfu";
    for (const char* columns : {"", "cost.total"}) {
      request.select = columns;
      const std::string one = run(request, Format::csv, 1);
      for (const unsigned threads : {2U, 3U, 8U}) {
        REQUIRE(run(request, Format::csv, threads) == one);
      }
    }
    request.select = "cost.total";
  }
}

TEST_CASE("a frontier holds exactly the rows that no other row beats", "[sweep]") {
  SweepRequest request = small_grid();
  request.select = "wall_clock_seconds,cost.total,performance.mfu";
  const std::vector<std::string> all = lines(run(request, Format::csv, 1));
  const auto beats = [](const std::string& a, const std::string& b) {
    const bool no_worse = cell(a, 5) <= cell(b, 5) && cell(a, 6) <= cell(b, 6);
    return no_worse && (cell(a, 5) < cell(b, 5) || cell(a, 6) < cell(b, 6));
  };
  std::vector<std::string> expected = {all[0]};
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].back() != ',') continue;
    const bool beaten = std::any_of(all.begin() + 1, all.end(), [&](const std::string& other) {
      return other.back() == ',' && beats(other, all[i]);
    });
    if (!beaten) expected.push_back(all[i]);
  }
  request.pareto = "wall_clock_seconds,cost.total";
  for (const unsigned threads : {1U, 4U}) {
    CHECK(lines(run(request, Format::csv, threads)) == expected);
  }
  request.pareto = "cost.total,wall_clock_seconds:max";
  CHECK(lines(run(request, Format::csv, 2)) != expected);
}

TEST_CASE("a stop leaves a beginning of the whole", "[sweep]") {
  const std::string whole = run(small_grid(), Format::csv, 1);
  const SweepPlan plan(small_grid(), test_catalog());
  for (const std::size_t stop_after : {1U, 3U, 6U}) {
    std::atomic<bool> stop{false};
    trcost::SweepRun options;
    options.threads = 2;
    options.end = plan.end();
    options.stop = &stop;
    std::string out = lines(whole)[0] + "\n";
    std::size_t writes = 0;
    const trcost::SweepOutcome outcome =
        trcost::run_plan(plan, test_catalog(), options, trcost::sweep_renderer(plan, Format::csv),
                         [&](std::string_view rows) {
                           out += rows;
                           if (++writes == stop_after) stop = true;
                         });
    CHECK(whole.starts_with(out));
    CHECK(out.ends_with("\n"));
    CHECK(outcome.written == lines(out).size() - 1);
    CHECK(outcome.interrupted == (outcome.computed < plan.size()));
  }
}

TEST_CASE("an exception of the writer ends the sweep", "[sweep]") {
  const SweepPlan plan(small_grid(), test_catalog());
  trcost::SweepRun options;
  options.threads = 3;
  options.end = plan.end();
  struct Full {};
  CHECK_THROWS_AS(
      trcost::run_plan(plan, test_catalog(), options, trcost::sweep_renderer(plan, Format::csv),
                       [](std::string_view) { throw Full{}; }),
      Full);
}
