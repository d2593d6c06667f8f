// SPDX-License-Identifier: Apache-2.0
// What a solver answers: the target is met, and one unit further it is not.
#include "trcost/solve.h"

#include <algorithm>
#include <cmath>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/columns/estimate_columns.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

SolveRequest request(std::string_view column, double value, const Field* unknown) {
  SolveRequest r;
  r.base.set_number(Field::model_params, 7e9);
  r.base.set_number(Field::hardware_gpus, 256);
  r.base.set_number(Field::data_tokens, 1e12);
  r.base.set_number(Field::cost_price_per_gpu_hour, 2.5);
  if (unknown) {
    r.unknown = &field_info(*unknown);
    r.base.clear(*unknown);
  }
  r.target = solve_target(column, value);
  return r;
}

double column_of(const Scenario& scenario, const SolveTarget& target) {
  Estimate out;
  Estimator(test_catalog()).run_one(scenario, "h100-sxm", out);
  return *target.column->number(out);
}

Scenario with(Scenario scenario, Field field, double value) {
  scenario.set_number(field, value);
  return scenario;
}

}  // namespace

TEST_CASE("the most tokens that a budget trains: one more would pass it", "[solve]") {
  const Field tokens = Field::data_tokens;
  const SolveRequest asked = request("cost.total", 1e5, &tokens);
  const Solution found = Solver(test_catalog()).solve(asked, "h100-sxm");
  REQUIRE(found.solved);
  REQUIRE(found.values.size() == 1);
  const double most = found.values[0].second;
  CHECK(most == std::floor(most));
  CHECK(*found.achieved <= 1e5);
  CHECK_THAT(*found.achieved, WithinRel(1e5, 1e-3));
  CHECK_THAT(column_of(found.scenario, asked.target), WithinRel(*found.achieved, 1e-12));
  REQUIRE(found.beyond);
  CHECK(*found.beyond_achieved > 1e5);
  // Half the budget trains fewer, twice the budget more.
  CHECK(column_of(with(found.scenario, tokens, most / 2), asked.target) < 1e5);
  CHECK(column_of(with(found.scenario, tokens, most * 2), asked.target) > 1e5);
}

TEST_CASE("a time asks for the cluster that a deadline gets, and tells the cheapest and the fewest",
          "[solve]") {
  const Field gpus = Field::hardware_gpus;
  for (const double days : {0.3, 1.0, 7.0, 30.0, 90.0}) {
    INFO(days << " days");
    const double deadline = days * 86400.0;
    const SolveRequest asked = request("wall_clock_seconds", deadline, &gpus);
    const Solution found = Solver(test_catalog()).solve(asked, "h100-sxm");
    REQUIRE(found.solved);
    CHECK(*found.achieved <= deadline);
    Scenario free = with(found.scenario, Field::hardware_deadline, deadline);
    free.clear(gpus);
    const Estimate timed = estimate(free, test_catalog())[0];
    CHECK(found.values[0].second == timed.gpus);
    CHECK_THAT(*found.estimate->cost.total, WithinRel(*timed.cost.total, 1e-12));
    for (const SolveChoice& choice : found.choices) {
      CHECK(choice.wall_clock_seconds <= deadline);
      if (choice.what.starts_with("least cost")) CHECK(choice.total_usd <= timed.cost.total);
      if (choice.what.starts_with("fewest")) CHECK(choice.value <= timed.gpus);
    }
  }
}

TEST_CASE("the fewest of all numbers are found, not only of those that a step divides", "[solve]") {
  const Field gpus = Field::hardware_gpus;
  const double deadline = 7 * 86400.0;
  const Solution found =
      Solver(test_catalog()).solve(request("wall_clock_seconds", deadline, &gpus), "h100-sxm");
  double fewest = 0;
  for (double n = 200; fewest == 0; ++n) {
    Estimate each;
    Estimator(test_catalog()).run_one(with(found.scenario, gpus, n), "h100-sxm", each);
    if (each.wall_clock_seconds <= deadline) fewest = n;
  }
  const auto told = [](const SolveChoice& choice) { return choice.what.starts_with("fewest"); };
  const auto first = std::find_if(found.choices.begin(), found.choices.end(), told);
  REQUIRE(first != found.choices.end());
  CHECK(first->value == fewest);
}

TEST_CASE("a time that no cluster meets in steps of this training is refused as a deadline is",
          "[solve]") {
  // Steps of 30,156 sequences would do it, at four times the tokens for the same loss.
  const Field gpus = Field::hardware_gpus;
  SolveRequest asked = request("wall_clock_seconds", 3600, &gpus);
  asked.base.set_number(Field::model_params, 7e9);
  asked.base.set_number(Field::data_tokens, 1e12);
  Scenario timed = asked.base;
  timed.set_text(Field::hardware_accelerator, "h100-sxm");
  timed.set_number(Field::hardware_deadline, 3600);
  const auto message = [](auto&& ask) -> std::string {
    try {
      ask();
    } catch (const Error& error) {
      return error.message;
    }
    return "answered";
  };
  const std::string refused = message([&] { estimate(timed, test_catalog()); });
  CHECK(refused.find("finishes within 60.0 min") != std::string::npos);
  CHECK(message([&] { Solver(test_catalog()).solve(asked, "h100-sxm"); }) == refused);
}

TEST_CASE("what is searched is in order and holds the answer", "[solve]") {
  const Field tokens = Field::data_tokens;
  const Solution found =
      Solver(test_catalog()).solve(request("wall_clock_seconds", 1e6, &tokens), "h100-sxm");
  REQUIRE(found.solved);
  CHECK(found.searched.size() <= kMostTrials);
  bool holds = false;
  for (std::size_t i = 0; i < found.searched.size(); ++i) {
    if (i > 0) CHECK(found.searched[i].value > found.searched[i - 1].value);
    holds = holds || found.searched[i].value == found.values[0].second;
  }
  CHECK(holds);
}

TEST_CASE("a target that nothing reaches is said, with the nearest that exists", "[solve]") {
  const Field gpus = Field::hardware_gpus;
  const Solution found =
      Solver(test_catalog()).solve(request("performance.mfu", 0.99, &gpus), "h100-sxm");
  CHECK_FALSE(found.solved);
  CHECK_FALSE(found.problem.empty());
  REQUIRE(found.achieved);
  CHECK(*found.achieved < 0.99);
}

TEST_CASE("without an unknown a budget gives model and data as the scaling law pairs them",
          "[solve]") {
  SolveRequest asked = request("cost.total", 1e6, nullptr);
  asked.base.clear(Field::model_params);
  asked.base.clear(Field::data_tokens);
  const Solution found = Solver(test_catalog()).solve(asked, "h100-sxm");
  REQUIRE(found.solved);
  REQUIRE(found.values.size() == 2);
  CHECK(*found.achieved <= 1e6 * (1 + 1e-9));
  CHECK_THAT(*found.achieved, WithinRel(1e6, 0.01));
  const ComputeOptimal pair = compute_optimal(6 * found.values[0].second * found.values[1].second);
  CHECK_THAT(found.values[0].second, WithinRel(pair.params, 0.02));
  CHECK_THAT(found.values[1].second, WithinRel(pair.tokens, 0.02));
  // The tokens are those of the whole range with the parameters fixed.
  asked.base.set_number(Field::model_params, found.values[0].second);
  asked.unknown = &field_info(Field::data_tokens);
  const Solution fixed = Solver(test_catalog()).solve(asked, "h100-sxm");
  CHECK(fixed.values[0].second == found.values[1].second);
  CHECK(fixed.estimates < found.estimates);
}

TEST_CASE("what a cluster computes is its peak, its share and its time", "[solve]") {
  const SolveRequest asked = request("cost.total", 1, nullptr);
  Estimate e;
  Estimator(test_catalog()).run_one(asked.base, "h100-sxm", e);
  const ClusterRun run = cluster_run(e, 86400);
  CHECK_THAT(run.flops, WithinRel(256 * 989.4e12 * e.performance.mfu * 86400, 1e-3));
  CHECK_THAT(run.gpu_hours, WithinRel(256 * 24.0, 1e-12));
  CHECK_THAT(*run.usd, WithinRel(256 * 24 * 2.5, 1e-12));
  CHECK_THAT(run.realised_flops,
             WithinRel(run.flops * run.goodput * run.production_overhead, 1e-12));
}
