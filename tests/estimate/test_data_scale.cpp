// SPDX-License-Identifier: Apache-2.0
// How far given tokens go, both ways: tokens that days and dollars buy, days and dollars that
// tokens take.
#include <algorithm>
#include <cmath>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "contains.h"
#include "estimate/answer.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/solve.h"
#include "workload/scaling_loss.h"

using namespace trcost;

namespace {

// Pre-training scales as they are quoted, with what the reference makes of them at 40 % MFU. The
// dollars are at io.net's prices, $1.49 and $2.19.
struct Quoted {
  double params;
  const char* encoder;
  const char* accelerator;
  double gpus, days, dollars, tokens;
};
constexpr Quoted kQuoted[] = {
    {8e9, "1B", "a100-sxm-80gb", 8, 3, 860, 5.4e9},
    {8e9, "1B", "a100-sxm-80gb", 8, 7, 2000, 12.6e9},
    {14e9, "1B", "a100-sxm-80gb", 16, 7, 4000, 14e9},
    {14e9, "1B", "a100-sxm-80gb", 16, 14, 8000, 29e9},
    {72e9, "2B", "h100-sxm", 64, 14, 47000, 71e9},
    {72e9, "2B", "h100-sxm", 64, 30, 101000, 152e9},
};

Scenario quoted_run(const Quoted& each) {
  Scenario s;
  s.set_number(Field::model_params, each.params);
  s.set_text(Field::model_vision_encoder, each.encoder);
  s.set_number(Field::hardware_gpus, each.gpus);
  s.set_text(Field::hardware_accelerator, each.accelerator);
  s.set_text(Field::cost_provider, "io.net");
  return s;
}

std::string scale_of(const Estimate& e) {
  for (const Assumption& each : e.assumptions) {
    if (each.path == "data.scale") return each.value + ": " + each.why;
  }
  return {};
}

bool warns_of_adaptation(const Estimate& e) {
  return std::ranges::any_of(e.warnings, [](const std::string& text) {
    return text.find("too few to train from scratch") != std::string::npos;
  });
}

constexpr double kDayDataScale = 86400;
constexpr double kWithin =
    1.4;  // a constant MFU alone misses published rates by 46 % in the median

}  // namespace

TEST_CASE("days and dollars buy tokens of adaptation scale", "[estimate][solve][vision]") {
  for (const Quoted& each : kQuoted) {
    INFO(each.params << " in " << each.days << " d");
    SolveRequest request;
    request.base = quoted_run(each);
    request.unknown = &field_info(Field::data_tokens);
    request.target = solve_target("wall_clock_seconds", each.days * kDayDataScale);
    const Solution bought = Solver(test_catalog()).solve(request, each.accelerator);
    REQUIRE(bought.solved);
    const double tokens = bought.values.front().second;
    CHECK(tokens > each.tokens / kWithin);
    CHECK(tokens < each.tokens * kWithin);
    REQUIRE(bought.estimate->cost.total);
    CHECK(*bought.estimate->cost.total > 0.98 * each.dollars);
    CHECK(*bought.estimate->cost.total < 1.02 * each.dollars);
    // The dollars quoted lie within the range that is said.
    REQUIRE(bought.estimate->range.total_usd);
    CHECK(bought.estimate->range.total_usd->p10 < each.dollars);
    CHECK(bought.estimate->range.total_usd->p90 > each.dollars);
    CHECK(warns_of_adaptation(*bought.estimate));
    CHECK(contains(scale_of(*bought.estimate), "adaptation"));

    // And back: these tokens take these days.
    Scenario back = quoted_run(each);
    back.set_number(Field::data_tokens, tokens);
    const Estimate taken = answer(back);
    CHECK_THAT(taken.wall_clock_seconds, WithinRel(each.days * kDayDataScale, 1e-6));
    CHECK_THAT(*taken.cost.total, WithinRel(*bought.estimate->cost.total, 1e-9));
    CHECK(warns_of_adaptation(taken));
  }
}

TEST_CASE("dollars buy the tokens that those days do, at the price they imply",
          "[estimate][solve][vision]") {
  for (const Quoted& each : kQuoted) {
    INFO(each.params << " for $" << each.dollars);
    SolveRequest request;
    request.base = quoted_run(each);
    request.base.set_number(Field::cost_price_per_gpu_hour,
                            each.dollars / (each.gpus * each.days * 24));
    request.unknown = &field_info(Field::data_tokens);
    request.target = solve_target("cost.total", each.dollars);
    const Solution bought = Solver(test_catalog()).solve(request, each.accelerator);
    REQUIRE(bought.solved);
    CHECK_THAT(bought.estimate->wall_clock_seconds, WithinRel(each.days * kDayDataScale, 1e-6));
    CHECK_THAT(*bought.estimate->cost.total, WithinRel(each.dollars, 1e-6));
  }
}

TEST_CASE("the tokens of the quoted scales take about the quoted days", "[estimate][vision]") {
  for (const Quoted& each : kQuoted) {
    INFO(each.params << " on " << each.tokens);
    Scenario s = quoted_run(each);
    s.set_number(Field::data_tokens, each.tokens);
    const double days = answer(s).wall_clock_seconds / kDayDataScale;
    CHECK(days > each.days / kWithin);
    CHECK(days < each.days * kWithin);
  }
}

TEST_CASE("the finding carries its numbers", "[estimate][vision]") {
  Scenario s = quoted_run(kQuoted[0]);
  s.set_number(Field::data_tokens, 5.4e9);
  const Estimate e = answer(s);
  REQUIRE(e.warnings.size() == 2);  // the other one: the date of io.net's price is not known
  // 5.4e9 / D*(7.99e9) by the law's own formula: 3.3 % of 163B.
  const double optimal = optimal_tokens(e.model.params_total);
  CHECK(contains(e.warnings[0], "5.40B tokens"));
  CHECK(contains(e.warnings[0], format_number(optimal, NumberKind::count)));
  CHECK(contains(e.warnings[0], format_number(5.4e9 / optimal, NumberKind::fraction, 2)));
  CHECK(contains(e.warnings[0], "from scratch"));
}

TEST_CASE("only where tokens are far from compute-optimal", "[estimate]") {
  Scenario s;
  s.set_number(Field::model_params, 1e9);
  s.set_number(Field::hardware_gpus, 8);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  CHECK(scale_of(answer(s)).empty());  // the default is the optimum itself
  const double optimal = optimal_tokens(answer(s).model.params_total);
  s.set_number(Field::data_tokens, 0.26 * optimal);
  CHECK(scale_of(answer(s)).empty());
  CHECK_FALSE(warns_of_adaptation(answer(s)));
  s.set_number(Field::data_tokens, 0.24 * optimal);
  CHECK(warns_of_adaptation(answer(s)));
  s.set_number(Field::data_epochs, 2);  // passes count
  CHECK_FALSE(warns_of_adaptation(answer(s)));
}

TEST_CASE("what learns from weights that are given is not warned about", "[estimate][recipe]") {
  Scenario s;
  s.set_text(Field::model_name, "llava-1.5-7b");
  s.set_number(Field::data_samples, 50e3);
  s.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
  s.set_number(Field::hardware_gpus, 8);
  for (const char* recipe : {"lora", "qlora", "projector", "adapter"}) {
    INFO(recipe);
    s.set_text(Field::train_recipe, recipe);
    const Estimate e = answer(s);
    CHECK_FALSE(warns_of_adaptation(e));
    CHECK(contains(scale_of(e), "the language model is trained already"));
  }
  for (const char* recipe : {"full", "frozen-vision"}) {
    INFO(recipe);
    s.set_text(Field::train_recipe, recipe);  // samples of instructions: fine-tuning
    const Estimate e = answer(s);
    CHECK_FALSE(warns_of_adaptation(e));
    CHECK(contains(scale_of(e), "adaptation"));
  }
  s.clear(Field::data_samples);
  s.set_number(Field::data_tokens, 45e6);  // a budget of tokens may be meant from scratch
  CHECK(warns_of_adaptation(answer(s)));
  s.set_text(Field::train_recipe, "lora");
  CHECK_FALSE(warns_of_adaptation(answer(s)));
}

TEST_CASE("below a quarter of the optimum a smaller model is better by the law itself",
          "[estimate][scaling_law]") {
  for (const double params : {1e9, 8e9, 72e9}) {
    const double tokens = 0.25 * optimal_tokens(params);
    const ComputeOptimal smaller = compute_optimal(0.9 * 6 * params * tokens);
    CHECK(smaller.params < 0.5 * params);
    CHECK(scaling_loss(smaller.params, smaller.tokens) <= scaling_loss(params, tokens));
  }
}

TEST_CASE("the batch of samples follows their number", "[estimate][vision]") {
  Scenario s;
  s.set_text(Field::model_name, "paligemma-3b");
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 256);
  s.set_number(Field::data_text_tokens_per_sample, 128);
  const auto batch = [&](double samples) {
    s.set_number(Field::data_samples, samples);
    return answer(s).layout.global_batch;
  };
  // LLaVA-1.5's 665,000 instructions in batches of 128 (arXiv:2310.03744); PaliGemma's billion
  // pairs of 384 tokens (arXiv:2407.07726) are pre-training, in batches of millions of tokens.
  // On more accelerators than sequences each gets one, as InternVL 2.5's 512 (arXiv:2412.05271).
  s.set_number(Field::hardware_gpus, 64);
  CHECK(batch(665e3) >= 128 / std::sqrt(2.0));
  CHECK(batch(665e3) <= 128 * std::sqrt(2.0));
  s.set_number(Field::hardware_gpus, 256);
  CHECK(batch(665e3) >= 256);
  CHECK(batch(665e3) <= 512);
  CHECK(batch(1e9) * 384 > 1e6);
  CHECK(batch(1e9) * 384 < 4.2e6);
  CHECK(batch(6e9) >= batch(1e9));
}

TEST_CASE("a billion samples use the cluster they are given", "[estimate][vision]") {
  Scenario s;
  s.set_text(Field::model_name, "paligemma-3b");
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 256);
  s.set_number(Field::data_text_tokens_per_sample, 128);
  s.set_number(Field::data_samples, 1e9);
  const Estimate open = answer(s);
  CHECK(open.layout.gpus() == 256);
  s.set_number(Field::train_global_batch, 8192);
  CHECK_THAT(open.gpu_hours, WithinRel(answer(s).gpu_hours, 0.15));
}
