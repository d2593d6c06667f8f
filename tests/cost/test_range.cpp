// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "catch.h"
#include "cost/error_message.h"
#include "quantity/portable_math.h"
#include "cost/vector_file.h"
#include "trcost/error.h"
#include "trcost/uncertainty.h"

using namespace trcost;

namespace {

Distribution lognormal(double sigma) {
  return {Distribution::Kind::lognormal, 1, sigma, 0};
}

// The worked example of the lognormal product.
RangeInputs worked_example() {
  const auto row = test_vector("mc/lognormal product");
  const auto& median = row["inputs"]["median"];
  const auto& sigma = row["inputs"]["sigma"];
  RangeInputs inputs;
  inputs.gpu_hours = 6 * median["N"].get<double>() * median["D"].get<double>() /
                     median["peak"].get<double>() / median["mfu"].get<double>() /
                     median["goodput"].get<double>() / 3600;
  inputs.wall_clock_seconds = inputs.gpu_hours * 3600 / 1024;
  inputs.total_usd = inputs.gpu_hours * median["price"].get<double>();
  inputs.inputs = {{"MFU", lognormal(sigma["mfu"]), -1, -1, -1},
                   {"goodput", lognormal(sigma["goodput"]), -1, -1, -1},
                   {"price", lognormal(sigma["price"]), 0, 0, 1},
                   {"tokens", lognormal(sigma["tokens"]), 1, 1, 1}};
  return inputs;
}

}  // namespace

TEST_CASE("closed form of the lognormal product", "[range]") {
  const auto expected = test_vector("mc/lognormal product")["expected"];
  const RangeResult result = compute_range(worked_example());
  CHECK_THAT(result.total_usd->p10, WithinRel(expected["p10"].get<double>(), 1e-9));
  CHECK_THAT(result.total_usd->p50, WithinRel(expected["p50"].get<double>(), 1e-9));
  CHECK_THAT(result.total_usd->p90, WithinRel(expected["p90"].get<double>(), 1e-9));
  // model.md 10: price 64 %, MFU 23 %, tokens 10 %, goodput 3 %.
  REQUIRE(result.contributions.size() == 4);
  CHECK(result.contributions[0].input == "price");
  CHECK_THAT(result.contributions[0].share, WithinAbs(0.64, 0.005));
  CHECK_THAT(result.contributions[1].share, WithinAbs(0.23, 0.005));
  CHECK_THAT(result.contributions[2].share, WithinAbs(0.10, 0.005));
  CHECK_THAT(result.contributions[3].share, WithinAbs(0.03, 0.005));
}

TEST_CASE("the Monte Carlo agrees within its sampling error and repeats to the byte", "[range]") {
  RangeInputs inputs = worked_example();
  const RangeResult exact = compute_range(inputs);
  inputs.draws = 100000;
  const RangeResult drawn = compute_range(inputs);
  // Standard error of ln(quantile): sqrt(p (1-p) / n) / density x sigma; 0.1 / 0.1755 at P10.
  const double error = 0.3122 * 0.3 / std::sqrt(100000.0) / 0.1755;
  CHECK_THAT(drawn.total_usd->p10, WithinRel(exact.total_usd->p10, 4 * error));
  CHECK_THAT(drawn.total_usd->p50, WithinRel(exact.total_usd->p50, 4 * error));
  CHECK_THAT(drawn.total_usd->p90, WithinRel(exact.total_usd->p90, 4 * error));
  CHECK(compute_range(inputs).total_usd->p10 == drawn.total_usd->p10);
  inputs.seed = 2;
  CHECK(compute_range(inputs).total_usd->p10 != drawn.total_usd->p10);
  CHECK(compute_range(inputs).method == "Monte Carlo, 100000 draws, seed 2");
}

TEST_CASE("a fixed part of the bill does not spread", "[range]") {
  RangeInputs inputs = worked_example();
  const RangeResult without = compute_range(inputs);
  *inputs.total_usd += 1e6;
  inputs.fixed_usd = 1e6;
  const RangeResult with = compute_range(inputs);
  CHECK_THAT(with.total_usd->p10 - 1e6, WithinRel(without.total_usd->p10, 1e-9));
  CHECK_THAT(with.total_usd->p90 - 1e6, WithinRel(without.total_usd->p90, 1e-9));
}

TEST_CASE("quasi-random draws agree with the full Monte Carlo within 2 %", "[range]") {
  using Kind = Distribution::Kind;
  const Distribution shapes[] = {
      {Kind::uniform, 0.7, 1.4, 0}, {Kind::triangular, 0.6, 2.0, 0.9}, {Kind::normal, 1.0, 0.2, 0}};
  for (const Distribution& shape : shapes) {
    RangeInputs inputs = worked_example();
    inputs.inputs.push_back({"shape", shape, 1, 1, 1});
    inputs.inputs.push_back({"shape again", shape, -0.5, 0, 1});
    const RangeResult quick = compute_range(inputs);
    CHECK(quick.method == "1021 quasi-random draws");
    inputs.draws = 400000;
    const RangeResult full = compute_range(inputs);
    for (const auto member : {&Quantiles::p10, &Quantiles::p50, &Quantiles::p90}) {
      CHECK_THAT(quick.gpu_hours.*member, WithinRel(full.gpu_hours.*member, 0.02));
      CHECK_THAT((*quick.total_usd).*member, WithinRel((*full.total_usd).*member, 0.02));
    }
  }
}

TEST_CASE("an estimate without uncertain inputs has no spread", "[range]") {
  RangeInputs inputs;
  inputs.gpu_hours = 100;
  inputs.wall_clock_seconds = 50;
  const RangeResult result = compute_range(inputs);
  CHECK(result.gpu_hours.p10 == 100);
  CHECK(result.gpu_hours.p90 == 100);
  CHECK_FALSE(result.total_usd.has_value());
  CHECK(result.contributions.empty());
}

TEST_CASE("inverse of the normal distribution function", "[range]") {
  // The distribution function from erfc, which is independent of algorithm AS 241.
  for (double z = -8; z <= 8; z += 0.37) {
    const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
    if (p > 0.999999) continue;  // 1 - p has lost its digits
    CHECK_THAT(inverse_normal(p), WithinAbs(z, 1e-9));
  }
  CHECK_THAT(inverse_normal(0.9), WithinAbs(1.2815515655446004, 1e-14));
}


TEST_CASE("distributions that make no sense are refused", "[range]") {
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

TEST_CASE("default spreads follow what is known", "[range]") {
  std::vector<UncertainInput> inputs;
  SpreadContext context;
  default_spreads(context, inputs);
  const auto sigma = [&] {
    double squares = 0;
    for (const auto& input : inputs) squares += std::pow(input.dollars * input.factor.b, 2);
    return std::sqrt(squares);
  };
  const double unknown = sigma();
  context.stack_known = true;
  context.mfu_sigma = 0.08;
  default_spreads(context, inputs);
  const double known = sigma();
  CHECK(known < unknown);
  context.mfu_given = context.goodput_given = context.price_given = true;
  default_spreads(context, inputs);
  CHECK(sigma() < known);
  context.gpus = 1;
  context.goodput_given = false;
  default_spreads(context, inputs);
  const double small = sigma();
  context.gpus = 100000;
  default_spreads(context, inputs);
  CHECK(sigma() > small);
}

TEST_CASE("a user's range of a field", "[range]") {
  const Distribution price{Distribution::Kind::lognormal, 2.4, 0.2, 0};
  const CostShares shares;
  const UncertainInput input = field_spread(Field::cost_price_per_gpu_hour, price, 2.4, shares);
  CHECK(input.hours == 0);
  CHECK(input.dollars == 1);
  CHECK_THAT(input.factor.a, WithinRel(1.0, 1e-12));
  CHECK_THROWS_AS(field_spread(Field::layout_tp, price, 2, shares), Error);
}
