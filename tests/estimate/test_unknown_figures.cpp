// SPDX-License-Identifier: Apache-2.0
// Unknown figures stay unknown: they are neither 0 nor 1.
#include <algorithm>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/answer.h"
#include "estimate/answer/work_totals.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Scenario run_on_64(const char* accelerator) {
  Scenario s;
  s.set_number(Field::model_params, 7e9);
  s.set_number(Field::data_tokens, 1e10);
  s.set_text(Field::hardware_accelerator, accelerator);
  s.set_number(Field::hardware_gpus, 64);
  return s;
}

std::string source_of(const Estimate& e, std::string_view name) {
  const auto found = std::ranges::find(e.derivations, name, &Derivation::name);
  REQUIRE(found != e.derivations.end());
  return found->source;
}

}  // namespace

TEST_CASE("what the network leaves is known where steps are modelled", "[estimate][unknown]") {
  Scenario s = run_on_64("h100-sxm");
  const PerformanceSummary modelled = answer(s).performance;
  REQUIRE(modelled.interconnect_efficiency);
  CHECK(*modelled.interconnect_efficiency < 1);
  s.set_number(Field::efficiency_mfu, 0.4);
  CHECK_FALSE(answer(s).performance.interconnect_efficiency);
  CHECK_FALSE(answer(s).work.network_seconds);

  Scenario round;
  round.set_text(Field::model_name, "llama-3.1-8b");
  round.set_text(Field::train_method, "ppo");
  round.set_text(Field::hardware_accelerator, "h100-sxm");
  round.set_number(Field::hardware_gpus, 32);
  CHECK_FALSE(answer(round).performance.interconnect_efficiency);
}

TEST_CASE("a sum with an unknown part is unknown", "[estimate][unknown]") {
  WorkTotals known, unknown;
  known.network_seconds = known.peak_flop_bf16 = 3.0;
  unknown.network_seconds.reset();
  unknown.peak_flop_bf16.reset();
  WorkTotals sum = known;
  add(sum, known);
  CHECK(sum.network_seconds == 6.0);
  add(sum, unknown);
  CHECK_FALSE(sum.network_seconds);
  CHECK_FALSE(sum.peak_flop_bf16);
  add(sum, known);
  CHECK_FALSE(sum.network_seconds);
}

TEST_CASE("a share of the bf16 peak is of chips that have one", "[estimate][unknown]") {
  // Volta and Turing have fp16 alone.
  Scenario s = run_on_64("v100-sxm-32gb");
  s.set_text(Field::train_precision, "fp16");
  CHECK_FALSE(answer(s).performance.mfu_bf16);
  const PerformanceSummary ampere = answer(run_on_64("a100-sxm-80gb")).performance;
  CHECK(ampere.mfu_bf16 == ampere.mfu);
}

TEST_CASE("no published row stands behind a given MFU", "[estimate][unknown]") {
  Scenario s = run_on_64("h100-sxm");
  CHECK(answer(s).performance.quality->rows > 0);
  s.set_number(Field::efficiency_mfu, 0.4);
  const MethodQuality given = *answer(s).performance.quality;
  CHECK(given.rows == 0);
  CHECK(given.median_error == 0);
  CHECK(given.family.empty());
}

TEST_CASE("failures that the user counted are the user's", "[estimate][unknown]") {
  Scenario s = run_on_64("h100-sxm");
  CHECK(source_of(answer(s, true), "time between interruptions M").find("2407.21783") !=
        std::string::npos);
  s.set_number(Field::efficiency_failure_gpu_hours, 20000);
  CHECK(source_of(answer(s, true), "time between interruptions M") == "the user");
  s.set_text(Field::cost_pricing, "spot");
  s.set_number(Field::efficiency_preemption_hours, 12);
  CHECK(source_of(answer(s, true), "time between interruptions M") ==
        "the user; preemptions: the user");
}
