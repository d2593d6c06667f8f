// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "catch.h"
#include "cost/vector_file.h"
#include "estimate/range/range.h"
#include "quantity/statistics.h"
#include "scenario/fields.h"

using namespace trcost;

namespace {

Distribution lognormal(double sigma) {
  return {Distribution::Kind::lognormal, 1, sigma, 0};
}

constexpr Exponents kRent = Exponents().with(Driver::rent, 1);
constexpr Exponents kRentedHours = kRent.with(Driver::hours, 1);
constexpr Exponents kEgress = Exponents().with(Driver::egress, 1);

// An input by the field that it is of.
UncertainInput input(Field field, const Distribution& factor, const Exponents& exponents) {
  UncertainInput out;
  out.cause = field_meaning(field).cause;
  out.field = field;
  out.factor = factor;
  out.exponents = exponents;
  return out;
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
  inputs.usd.emplace().add({inputs.gpu_hours * median["price"].get<double>(), kRentedHours});
  inputs.inputs = {
      input(Field::efficiency_mfu, lognormal(sigma["mfu"]), Exponents::time(-1)),
      input(Field::efficiency_goodput, lognormal(sigma["goodput"]), Exponents::time(-1)),
      input(Field::cost_price_per_gpu_hour, lognormal(sigma["price"]), kRent),
      input(Field::data_tokens, lognormal(sigma["tokens"]), Exponents::time(1))};
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
  CHECK(result.contributions[0].input == "price per GPU-hour");
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
  inputs.usd->add({1e6, kEgress});
  const RangeResult with = compute_range(inputs);
  CHECK(with.total_usd->p10 > 1e6);
  CHECK_THAT(with.total_usd->p10 - 1e6, WithinRel(without.total_usd->p10, 0.02));
  CHECK_THAT(with.total_usd->p90 - 1e6, WithinRel(without.total_usd->p90, 0.02));
}

TEST_CASE("each part of the bill moves by its own inputs alone", "[range]") {
  // Owning: the chips uncertain by 0.4, electricity by 0.6, nothing else. The quantiles of the sum
  // of two independent lognormals by direct integration over a grid of both.
  RangeInputs inputs;
  inputs.gpu_hours = 1000;
  inputs.wall_clock_seconds = 1000;
  inputs.usd.emplace();
  for (const auto& [driver, usd] :
       {std::pair(Driver::capital, 1500.0), std::pair(Driver::colocation, 300.0),
        std::pair(Driver::electricity, 400.0)}) {
    const Exponents moves = Exponents().with(Driver::hours, 1).with(driver, 1);
    inputs.usd->add({usd, moves});
    inputs.usd->add({0.5 * usd, moves.with(Driver::experiments, 1)});
  }
  inputs.inputs = {
      input(Field::cost_purchase_price, lognormal(0.4), Exponents().with(Driver::capital, 1)),
      input(Field::cost_electricity_price, lognormal(0.6),
            Exponents().with(Driver::electricity, 1))};
  constexpr int kGrid = 1000;
  std::vector<double> sums;
  for (int i = 0; i < kGrid; ++i) {
    const double chips = 1500 * std::exp(0.4 * inverse_normal((i + 0.5) / kGrid));
    for (int j = 0; j < kGrid; ++j) {
      const double power = 400 * std::exp(0.6 * inverse_normal((j + 0.5) / kGrid));
      sums.push_back(1.5 * (chips + 300 + power));
    }
  }
  std::ranges::sort(sums);
  const auto exact = [&](double p) {
    return sums[static_cast<std::size_t>(p * static_cast<double>(sums.size()))];
  };
  for (const std::optional<double> draws : {std::optional<double>(), std::optional(300000.0)}) {
    inputs.draws = draws;
    const RangeResult result = compute_range(inputs);
    CHECK_THAT(result.total_usd->p10, WithinRel(exact(0.1), 0.01));
    CHECK_THAT(result.total_usd->p50, WithinRel(exact(0.5), 0.01));
    CHECK_THAT(result.total_usd->p90, WithinRel(exact(0.9), 0.01));
    CHECK_THAT(result.gpu_hours.p90, WithinRel(1000.0, 1e-12));
  }
}

TEST_CASE("quasi-random draws agree with the full Monte Carlo within 2 %", "[range]") {
  using Kind = Distribution::Kind;
  const Distribution shapes[] = {
      {Kind::uniform, 0.7, 1.4, 0}, {Kind::triangular, 0.6, 2.0, 0.9}, {Kind::normal, 1.0, 0.2, 0}};
  for (const Distribution& shape : shapes) {
    RangeInputs inputs = worked_example();
    inputs.inputs.push_back(input(Field::efficiency_goodput, shape, Exponents::time(1)));
    inputs.inputs.push_back(
        input(Field::cost_price_per_gpu_hour, shape, kRent.with(Driver::hours, -0.5)));
    const double compute = inputs.usd->total();
    inputs.usd->add({0.2 * compute, kEgress});
    inputs.usd->add({3 * compute, kRentedHours.with(Driver::experiments, 1)});
    inputs.inputs.push_back(input(Field::cost_experiments, {Kind::uniform, 0.3, 2.7, 0},
                                  Exponents().with(Driver::experiments, 1)));
    const RangeResult quick = compute_range(inputs);
    CHECK(quick.method == "4093 quasi-random draws");
    inputs.draws = 400000;
    const RangeResult full = compute_range(inputs);
    for (const auto member : {&Quantiles::p10, &Quantiles::p50, &Quantiles::p90}) {
      CHECK_THAT(quick.gpu_hours.*member, WithinRel(full.gpu_hours.*member, 0.02));
      CHECK_THAT((*quick.total_usd).*member, WithinRel((*full.total_usd).*member, 0.02));
    }
  }
}

TEST_CASE("no draw passes the limit of its input", "[range]") {
  RangeInputs inputs;
  inputs.gpu_hours = 100;
  inputs.wall_clock_seconds = 100;
  inputs.inputs = {input(Field::efficiency_mfu, lognormal(1), Exponents::time(-1))};
  inputs.inputs[0].most = 1.25;  // of an MFU of 0.8
  for (const std::optional<double> draws : {std::optional<double>(), std::optional(10000.0)}) {
    inputs.draws = draws;
    CHECK_THAT(compute_range(inputs).gpu_hours.p10, WithinRel(80.0, 1e-9));
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

// The sum of two runs that share every input is one run of twice the size; where they share none,
// the spread of ln of the sum of two equal lognormals is about 1/sqrt(2) of one's.
TEST_CASE("runs that are paid together: inputs of one name are drawn once", "[range][sum]") {
  const RangeInputs inputs = worked_example();
  const RangeResult one = compute_range(inputs);
  const RangeResult both = compute_range(std::vector{inputs, inputs});
  CHECK_THAT(both.total_usd->p10, WithinRel(2 * one.total_usd->p10, 5e-3));
  CHECK_THAT(both.total_usd->p50, WithinRel(2 * one.total_usd->p50, 5e-3));
  CHECK_THAT(both.total_usd->p90, WithinRel(2 * one.total_usd->p90, 5e-3));
  CHECK_THAT(both.gpu_hours.p90, WithinRel(2 * one.gpu_hours.p90, 5e-3));

  RangeInputs other = inputs;
  for (UncertainInput& each : other.inputs) each.given = true;  // what a user says is its own
  const RangeResult apart = compute_range(std::vector{inputs, other});
  const auto width = [](const Quantiles& q) { return std::log(q.p90 / q.p10); };
  CHECK(width(*apart.total_usd) < 0.8 * width(*one.total_usd));
  CHECK(width(*apart.total_usd) > 0.6 * width(*one.total_usd));
}

TEST_CASE("a price that is not known leaves the sum's dollars unknown", "[range][sum]") {
  std::vector<RangeInputs> rounds(2, worked_example());
  rounds.back().usd.reset();
  const RangeResult sum = compute_range(std::move(rounds));
  CHECK_FALSE(sum.total_usd);
  CHECK(sum.gpu_hours.p50 > 0);
}

TEST_CASE("rounds share what is of one cause and field, and nothing else", "[range]") {
  RangeInputs round;
  round.gpu_hours = round.wall_clock_seconds = 100;
  round.usd.emplace().add({200, kRentedHours});
  round.inputs = {input(Field::cost_price_per_gpu_hour, lognormal(0.3), kRent)};
  const auto width_with = [&](const UncertainInput& second) {
    RangeInputs other = round;
    other.inputs = {second};
    const Quantiles usd = *compute_range({round, other}).total_usd;
    return std::log(usd.p90 / usd.p10);
  };
  const double alone = 2 * 1.2815515655446004 * 0.3;
  CHECK_THAT(width_with(round.inputs.front()), WithinRel(alone, 1e-3));
  // Two that have nothing to do with each other: a variance of half of one, to first order.
  UncertainInput other = round.inputs.front();
  other.field = Field::cost_storage_price;
  other.given = true;
  CHECK_THAT(width_with(other), WithinRel(alone / std::sqrt(2.0), 0.05));
  other = round.inputs.front();
  other.cause = Cause::measurement;
  other.field.reset();
  CHECK_THAT(width_with(other), WithinRel(alone / std::sqrt(2.0), 0.05));
  // One price, spread wider in one round than in the other, is still one.
  UncertainInput wider = round.inputs.front();
  wider.factor = lognormal(0.5);
  CHECK(width_with(wider) > alone);
}

TEST_CASE("each input alone moves the total as far as its share of the spread goes", "[range]") {
  const RangeResult result = compute_range(worked_example());
  const double whole = std::log(result.total_usd->p90 / result.total_usd->p10);
  double squares = 0;
  for (const Contribution& each : result.contributions) {
    CHECK_THAT(std::sqrt(each.low * each.high), WithinRel(result.total_usd->p50, 1e-9));
    // In a product each input alone is a lognormal of its own sigma.
    CHECK_THAT(std::log(each.high / each.low),
               WithinRel(2 * 1.2815515655446004 * each.sigma, 1e-6));
    squares += std::pow(std::log(each.high / each.low), 2);
  }
  CHECK_THAT(std::sqrt(squares), WithinRel(whole, 1e-9));
}
