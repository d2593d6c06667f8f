// SPDX-License-Identifier: Apache-2.0
// Which inputs are uncertain, how much, and what they move.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "catch.h"
#include "cost/distribution.h"
#include "cost/ownership.h"
#include "cost/uncertain_inputs.h"
#include "error_message.h"
#include "quantity/portable_math.h"
#include "quantity/statistics.h"
#include "scenario/fields.h"
#include "trcost/error.h"

using namespace trcost;

TEST_CASE("inverse of the normal distribution function", "[range]") {
  // The distribution function from erfc, which is independent of algorithm AS 241.
  for (double z = -8; z <= 8; z += 0.37) {
    const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
    if (p > 0.999999) continue;  // 1 - p has lost its digits
    CHECK_THAT(inverse_normal(p), WithinAbs(z, 1e-9));
  }
  CHECK_THAT(inverse_normal(0.9), WithinAbs(1.2815515655446004, 1e-14));
}

TEST_CASE("rejects distributions with swapped ends, negative spread or values of 0", "[range]") {
  using Kind = Distribution::Kind;
  CHECK(message_of([] {
          log_moments({Kind::uniform, 2, 1, 0});
        }).find("swapped") != std::string::npos);
  CHECK_THROWS_AS(log_moments({Kind::uniform, 0, 1, 0}), Error);
  CHECK_THROWS_AS(log_moments({Kind::normal, 1, 0.5, 0}), Error);
  CHECK_THROWS_AS(log_moments({Kind::lognormal, -1, 0.5, 0}), Error);
  CHECK_THROWS_AS(log_moments({Kind::triangular, 1, 2, 3}), Error);
  CHECK_THAT(log_moments({Kind::uniform, 1, 1, 0}).sigma, WithinAbs(0, 1e-12));
}

namespace {

std::vector<std::string> names_of(const UncertaintyContext& context) {
  std::vector<UncertainInput> inputs;
  default_uncertain_inputs(context, inputs);
  std::vector<std::string> names;
  for (const UncertainInput& each : inputs) names.emplace_back(each.name());
  return names;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

double sigma_of(const UncertaintyContext& context, std::string_view name) {
  std::vector<UncertainInput> inputs;
  default_uncertain_inputs(context, inputs);
  const auto found = std::ranges::find(inputs, name, &UncertainInput::name);
  return found == inputs.end() ? 0 : found->factor.b;
}

}  // namespace

TEST_CASE("a field that the user sets loses its default spread and no other", "[range]") {
  const UncertaintyContext nothing;
  const auto all = names_of(nothing);
  struct Case {
    std::string_view name;
    bool UncertaintyContext::*said;
  };
  for (const Case& each : {Case{"MFU", &UncertaintyContext::mfu_given},
                           Case{"goodput", &UncertaintyContext::goodput_given},
                           Case{"evaluations and restarts", &UncertaintyContext::overhead_given},
                           Case{"tokens", &UncertaintyContext::tokens_ranged},
                           Case{"price per GPU-hour", &UncertaintyContext::price_given},
                           Case{"experiments", &UncertaintyContext::experiments_ranged}}) {
    UncertaintyContext context;
    context.*each.said = true;
    const auto left = names_of(context);
    INFO(each.name);
    CHECK(has(all, each.name));
    CHECK_FALSE(has(left, each.name));
    CHECK(left.size() + 1 == all.size());
  }
  UncertaintyContext own;
  own.own = true;
  CHECK(has(names_of(own), "purchase price"));
  CHECK_FALSE(has(names_of(own), "price per GPU-hour"));
  own.purchase_sigma = purchase_sigma({0, 0}, true);
  CHECK_FALSE(has(names_of(own), "purchase price"));
}

TEST_CASE("default spreads are those of the table", "[range]") {
  UncertaintyContext context;
  context.params = 7e9;
  CHECK_THAT(sigma_of(context, "MFU"), WithinRel(0.52, 1e-12));
  context.gpus = 256;
  CHECK_THAT(sigma_of(context, "MFU"), WithinRel(0.30, 1e-12));
  context.gpus = 8;
  context.params = 1e8;
  CHECK_THAT(sigma_of(context, "MFU"), WithinRel(0.60, 1e-12));
  context.fine_tuning = true;
  CHECK_THAT(sigma_of(context, "MFU"), WithinRel(0.55, 1e-12));
  context.fine_tuning = false;
  context.gpus = 1;
  context.stack_known = true;
  context.mfu_sigma = 0.05;
  CHECK_THAT(sigma_of(context, "MFU"), WithinRel(0.08, 1e-12));
  context.moe = true;
  CHECK_THAT(sigma_of(context, "MFU"), WithinRel(0.18, 1e-12));
  context.gpus = 4096;
  CHECK_THAT(sigma_of(context, "goodput"), WithinRel(0.06, 1e-12));
  context.gpus = 8192;
  CHECK_THAT(sigma_of(context, "goodput"), WithinRel(0.105, 1e-12));
  context.gpus = 16384;
  CHECK_THAT(sigma_of(context, "goodput"), WithinRel(0.15, 1e-12));
  CHECK_THAT(sigma_of(context, "tokens"), WithinRel(0.25, 1e-12));
  context.tokens_given = true;
  CHECK_THAT(sigma_of(context, "tokens"), WithinRel(0.10, 1e-12));
  context.image_share = 1;
  CHECK_THAT(sigma_of(context, "tokens"), WithinRel(std::hypot(0.10, 0.25), 1e-12));
  context.image_share = 0.5;  // of a budget, what images hold moves their tokens alone
  CHECK_THAT(sigma_of(context, "tokens"), WithinRel(std::hypot(0.10, 0.125), 1e-12));
  context.own = true;
  CHECK_THAT(sigma_of(context, "electricity"),
             WithinRel(std::sqrt(0.2 * 0.2 + 0.1 * 0.1 + 0.05 * 0.05), 1e-12));
  context.electricity_given = context.pue_given = true;
  CHECK_THAT(sigma_of(context, "electricity"), WithinRel(0.1, 1e-12));
}

TEST_CASE("at P90 no chip is faster than its peak", "[range]") {
  UncertaintyContext context;
  context.mfu_sigma = 0.44;
  context.mfu = 0.7;
  CHECK(0.7 * std::exp(1.2815515655446004 * sigma_of(context, "MFU")) <= 1 + 1e-9);
}

TEST_CASE("exponents of the cost by law", "[range]") {
  const auto law = [](Field field) {
    return known_exponents(field_meaning(field).law, WorkShares{});
  };
  CHECK((*law(Field::cost_price_per_gpu_hour))[Driver::rent] == 1);
  CHECK((*law(Field::cost_price_per_gpu_hour))[Driver::hours] == 0);
  CHECK((*law(Field::efficiency_mfu))[Driver::days] == -1);
  CHECK((*law(Field::cost_utilization))[Driver::capital] == -1);
  CHECK_FALSE(law(Field::layout_tp).has_value());
  CHECK_FALSE(law(Field::data_seq_length).has_value());
}

TEST_CASE("stated tokens are a plan, a range replaces the program's: model.md 10",
          "[range][published]") {
  // "number of tokens/epochs actually run | plan | 0.10 (0.25 exploratory)".
  const auto sigma = [](bool stated, bool ranged) {
    UncertaintyContext context;
    context.tokens_given = stated;
    context.tokens_ranged = ranged;
    std::vector<UncertainInput> inputs;
    default_uncertain_inputs(context, inputs);
    const auto tokens = std::ranges::find(inputs, Cause::amount, &UncertainInput::cause);
    return tokens == inputs.end() ? 0 : log_moments(tokens->factor).sigma;
  };
  CHECK_THAT(sigma(true, false), WithinAbs(0.10, 1e-12));
  CHECK_THAT(sigma(false, false), WithinAbs(0.25, 1e-12));
  CHECK(sigma(true, true) == 0);
}
