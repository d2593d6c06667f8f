// SPDX-License-Identifier: Apache-2.0
// Ratios are quotients of amounts, of a plain run too.
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Scenario h100_run(double params, double tokens, double gpus) {
  Scenario s;
  s.set_number(Field::model_params, params);
  s.set_number(Field::data_tokens, tokens);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, gpus);
  return s;
}

constexpr double kPeak = 989.4e12;  // FLOP/s of an H100 in bf16

// The figures of an answer against each other.
void check_figures(const Scenario& s) {
  const Estimate e = estimate(s, test_catalog()).front();
  INFO(scenario_to_json(s));
  const PerformanceSummary& p = e.performance;
  const double step_tokens = e.layout.global_batch * *e.seq_length;
  const double step_flops = e.flops.per_token * step_tokens;
  CHECK_THAT(p.mfu, WithinRel(step_flops / (e.gpus * kPeak * p.step_seconds), 1e-9));
  CHECK_THAT(p.tflops_per_gpu, WithinRel(p.mfu * kPeak / 1e12, 1e-9));
  CHECK_THAT(p.tokens_per_second_per_gpu, WithinRel(step_tokens / p.step_seconds / e.gpus, 1e-9));
  CHECK_THAT(p.hfu / p.mfu, WithinRel(e.flops.hardware / e.flops.model, 1e-9));
  CHECK(p.mfu_bf16 == p.mfu);
  // The whole bill's hours, less what is not steps, do the whole work.
  const double busy = e.gpu_hours * 3600 * p.goodput * p.production_overhead;
  CHECK_THAT(e.flops.model / (busy * kPeak), WithinRel(p.mfu, 1e-9));
}

}  // namespace

TEST_CASE("figures of a plain run follow from each other", "[estimate][ratios]") {
  for (const double gpus : {64.0, 1000.0, 1001.0}) check_figures(h100_run(7e9, 1e12, gpus));
  // Most of these stand idle, so that fewer are preempted: the MFU is of all that are paid.
  Scenario spot = h100_run(70e9, 1e12, 2048);
  spot.set_text(Field::cost_pricing, "spot");
  check_figures(spot);
  const Estimate e = estimate(spot, test_catalog()).front();
  CHECK(e.layout.gpus() < e.gpus);
}

TEST_CASE("a share that was given comes back as it was given", "[estimate][ratios]") {
  Scenario s = h100_run(7e9, 1e11, 64);
  for (int i = 1; i < 100; ++i) {
    const double share = i / 100.0;
    s.set_number(Field::efficiency_mfu, share);
    s.set_number(Field::efficiency_goodput, share);
    s.set_number(Field::efficiency_production_overhead, share);
    const PerformanceSummary p = estimate(s, test_catalog()).front().performance;
    CHECK(p.mfu == share);
    CHECK(p.goodput == share);
    CHECK(p.production_overhead == share);
  }
}
