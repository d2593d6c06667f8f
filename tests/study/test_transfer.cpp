// SPDX-License-Identifier: Apache-2.0
// A carried run says of every platform one thing: time, GPU-hours and bill are of the same steps.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/hardware/hardware.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "study/transfer/transfer.h"
#include "study/validate/validate.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

constexpr double kDay = 86400;

Scenario training(double params, double tokens) {
  Scenario s;
  s.set_number(Field::model_params, params);
  s.set_number(Field::data_tokens, tokens);
  return s;
}

TransferRequest carried(Scenario base, double gpus, double days, const char* to) {
  TransferRequest request;
  request.base = std::move(base);
  request.from = "h100-sxm";
  request.from_gpus = gpus;
  request.seconds = days * kDay;
  request.targets = parse_transfer_targets(to);
  return request;
}

std::vector<TransferRow> rows_of(const TransferResult& result) {
  std::vector<TransferRow> rows = {result.source};
  rows.insert(rows.end(), result.targets.begin(), result.targets.end());
  return rows;
}

bool of_the_run(Part part) {
  return part != Part::experiments && part != Part::evaluation;
}

// The same platform without a measurement.
Estimate predicted(const TransferRequest& request, const Estimate& row) {
  Scenario s = request.base;
  s.set_text(Field::hardware_accelerator, row.accelerator);
  s.set_number(Field::hardware_gpus, row.gpus);
  return estimate(s, test_catalog()).front();
}

void check_bill(const Estimate& e) {
  double sum = 0;
  int of_hours = 0;
  for (const LineItem& item : e.cost.items) {
    if (item.included) sum += *item.amount;
    if (item.unit != Unit::gpu_hour || !of_the_run(item.part)) continue;
    ++of_hours;
    CHECK_THAT(item.quantity, WithinRel(e.gpu_hours, 1e-12));
  }
  CHECK(of_hours > 0);
  CHECK_THAT(sum, WithinRel(*e.cost.total, 1e-9));
  CHECK_THAT(e.gpu_hours * 3600, WithinRel(e.gpus * e.wall_clock_seconds, 1e-12));
}

void check_pace(const TransferRow& row, const Estimate& before, double factor) {
  const Estimate& e = row.estimate;
  CHECK_THAT(row.predicted_seconds, WithinRel(before.wall_clock_seconds, 1e-12));
  CHECK_THAT(e.wall_clock_seconds / row.predicted_seconds, WithinRel(factor, 1e-9));
  CHECK_THAT(e.performance.step_seconds / before.performance.step_seconds, WithinRel(factor, 1e-9));
  CHECK_THAT(e.performance.mfu * factor, WithinRel(before.performance.mfu, 1e-9));
  CHECK(e.layout == before.layout);
  CHECK_THAT(e.performance.goodput, WithinRel(before.performance.goodput, 1e-12));
  double product = 1;
  for (const WaterfallTerm& term : e.waterfall) product *= term.share;
  if (e.waterfall.empty()) return;  // of a round of several kinds of work
  CHECK_THAT(product, WithinRel(e.performance.mfu * e.performance.goodput *
                                    e.performance.production_overhead,
                                1e-9));
}

void check_transfer(const TransferRequest& request) {
  const TransferResult result = transfer(request, test_catalog());
  REQUIRE(!result.targets.empty());
  for (const TransferRow& row : rows_of(result)) {
    INFO(row.estimate.accelerator << " x " << row.estimate.gpus);
    check_bill(row.estimate);
    check_pace(row, predicted(request, row.estimate), result.factor);
  }
  if (request.seconds) CHECK(result.source.estimate.wall_clock_seconds == *request.seconds);
}

}  // namespace

TEST_CASE("a carried run's bill is of the hours that it takes", "[transfer][property]") {
  // Numbers of accelerators that divide into good layouts, and such that leave some idle.
  for (const double gpus : {2048.0, 16384.0, 1000.0, 1001.0}) {
    INFO(gpus << " measured");
    check_transfer(carried(training(70e9, 1e12), gpus, 40 * 2048 / gpus, "b200,h200:1001"));
  }
}

// Of 2,048 spot accelerators the estimate leaves many idle: fewer are preempted.
TEST_CASE("so it is of spot accelerators some of which idle", "[transfer][property]") {
  Scenario spot = training(70e9, 1e12);
  spot.set_text(Field::cost_pricing, "spot");
  const TransferRequest request = carried(spot, 2048, 40, "b200,h200");
  const TransferRow source = transfer(request, test_catalog()).source;
  CHECK(source.estimate.layout.gpus() < source.estimate.gpus);
  CHECK_THAT(*source.estimate.cost.total,
             WithinRel(2048 * 40 * 24 * *source.estimate.cost.price_per_gpu_hour, 1e-9));
  check_transfer(request);
}

TEST_CASE("so it is of owned machines, with experiments, and of checkpoints by the hour",
          "[transfer][property]") {
  Scenario own = training(70e9, 1e12);
  own.set_text(Field::cost_pricing, "own");
  own.set_number(Field::cost_experiments, 0.5);
  check_transfer(carried(own, 1024, 80, "b200"));
  Scenario short_run = training(7e9, 1e9);
  short_run.set_number(Field::cost_checkpoint_interval, 3600);
  check_transfer(carried(short_run, 64, 0.03, "b200"));
}

TEST_CASE("so it is of a preference tuning, whose round scores and learns",
          "[transfer][property]") {
  Scenario dpo;
  dpo.set_text(Field::model_name, "llama-3.1-8b");
  dpo.set_text(Field::train_method, "dpo");
  dpo.set_number(Field::data_samples, 1e6);
  dpo.set_text(Field::layout_recompute, "full");
  check_transfer(carried(dpo, 64, 0.5, "b200"));
}

TEST_CASE("a measured throughput is the throughput of the answer", "[transfer][property]") {
  TransferRequest request = carried(training(70e9, 1e12), 1001, 1, "b200");
  request.seconds.reset();
  request.tokens_per_second = 700e3;
  check_transfer(request);
  const Estimate source = transfer(request, test_catalog()).source.estimate;
  CHECK_THAT(source.performance.tokens_per_second_per_gpu * 1001, WithinRel(700e3, 1e-9));
}

TEST_CASE("energy and range of a carried run follow its hours", "[transfer]") {
  const TransferRequest request = carried(training(70e9, 1e12), 1001, 80, "b200");
  const TransferRow row = transfer(request, test_catalog()).targets.front();
  const Estimate before = predicted(request, row.estimate);
  const double ratio = row.estimate.gpu_hours / before.gpu_hours;
  CHECK_THAT(*row.estimate.energy.kwh, WithinRel(ratio * *before.energy.kwh, 1e-9));
  CHECK(row.gpu_hours.p10 < row.estimate.gpu_hours);
  CHECK(row.gpu_hours.p90 > row.estimate.gpu_hours);
  CHECK(row.usd->p10 < *row.estimate.cost.total);
  CHECK(row.usd->p90 > *row.estimate.cost.total);
}

// Predicted MFU times measured over predicted rate, of every row that a replay answers.
TEST_CASE("the highest published MFU is that of the replayed rows on such chips", "[transfer]") {
  const ValidationResult replayed = validate(test_catalog());
  const auto highest = [&](const std::vector<std::string_view>& chips) {
    double expected = 0;
    for (const ValidationRow& row : replayed.rows) {
      const Accelerator& chip = test_catalog().accelerator(row.measured->accelerator);
      const bool among = chips.empty() || std::ranges::find(chips, chip.name) != chips.end();
      if (!row.problem.empty() || !among) continue;
      const double peak = *peak_flops(chip, row.measured->precision);
      const double mfu = row.time.model_flops / row.time.seconds / row.layout.gpus() / peak;
      const double faster = row.measured->tokens_per_second_per_gpu / row.predicted;
      expected = std::max(expected, mfu * faster);
    }
    return expected;
  };
  const auto said = [](const char* chip) {
    return highest_published_mfu(test_catalog(), test_catalog().accelerator(chip)).mfu;
  };
  // A 3090 and an H20 are of the architecture, and much slower.
  CHECK_THAT(said("a100-sxm-80gb"), WithinRel(highest({"a100-sxm-40gb", "a100-sxm-80gb",
                                                       "a100-pcie-40gb", "a100-pcie-80gb", "a800"}),
                                              1e-9));
  CHECK_THAT(said("h100-sxm"),
             WithinRel(highest({"h100-sxm", "h100-sxm-96gb", "h200", "h800", "gh200"}), 1e-9));
  Accelerator unknown = test_catalog().accelerator("h100-sxm");
  unknown.architecture = "none of ours";
  CHECK_THAT(highest_published_mfu(test_catalog(), unknown).mfu, WithinRel(highest({}), 1e-9));
}

TEST_CASE("a measurement is doubted where no run on its architecture came so far", "[transfer]") {
  Scenario work = training(8e9, 1e11);
  TransferRequest request = carried(work, 64, 7, "h100-sxm");
  request.from = "a100-sxm-80gb";
  const TransferResult usual = transfer(request, test_catalog());
  CHECK(usual.warnings.empty());
  *request.seconds *= usual.source.estimate.performance.mfu / 0.75;
  const TransferResult fast = transfer(request, test_catalog());
  REQUIRE(fast.warnings.size() == 1);
  CHECK(fast.warnings[0].find("75% on a100-sxm-80gb") != std::string::npos);
  CHECK(fast.warnings[0].find("published rows on ampere chips") != std::string::npos);
}

TEST_CASE("what cannot be carried is refused by name", "[transfer]") {
  Scenario stages = training(7e9, 1e10);
  stages.stages.push_back({"one", {}});
  CHECK_THROWS_WITH(transfer(carried(stages, 64, 1, "b200"), test_catalog()),
                    Catch::Contains("several stages"));
  Scenario rounds;
  rounds.set_text(Field::model_name, "llama-3.1-8b");
  rounds.set_text(Field::train_method, "ppo");
  CHECK_THROWS_WITH(transfer(carried(rounds, 64, 1, "b200"), test_catalog()),
                    Catch::Contains("a round has several"));
  CHECK_THROWS_WITH(transfer(carried(training(7e9, 1e12), 8, 0.01, "b200"), test_catalog()),
                    Catch::Contains("would need an MFU of"));
  TransferRequest twice = carried(training(7e9, 1e10), 64, 1, "b200");
  twice.tokens_per_second = 1e5;
  CHECK_THROWS_WITH(transfer(twice, test_catalog()), Catch::Contains("two measurements"));
  CHECK_THROWS_WITH(transfer(carried(training(7e9, 1e10), 64, 1, "b200,b200:64"), test_catalog()),
                    Catch::Contains("twice among the targets"));
}

TEST_CASE("a price of any region is a warning of the answer", "[transfer][region]") {
  TransferRequest request = carried(training(7e9, 1e11), 64, 10, "h100-sxm:32");
  const auto regional = [&] {
    return std::ranges::count_if(
        transfer(request, test_catalog()).warnings,
        [](const std::string& line) { return line.find("any region") != std::string::npos; });
  };
  CHECK(regional() == 0);
  request.base.set_text(Field::cost_region, "cn");
  CHECK(regional() == 1);
}
