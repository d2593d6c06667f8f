// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "cost/distribution.h"
#include "cost/random_bits.h"
#include "quantity/portable_math.h"
#include "trcost/uncertainty.h"

namespace trcost {
namespace {

constexpr double kZ90 = 1.2815515655446004;  // standard normal quantile of 0.9

enum Target : std::size_t { kHours, kDays, kDollars };
using Exponents = std::array<double, 3>;

Exponents exponents(const UncertainInput& input) {
  return {input.hours, input.days, input.dollars};
}

bool all_lognormal(const RangeInputs& in) {
  return std::all_of(in.inputs.begin(), in.inputs.end(), [](const UncertainInput& input) {
    return input.factor.kind == Distribution::Kind::lognormal;
  });
}

// ln of the product's P10, P50, P90 for each target.
using LogQuantiles = std::array<Quantiles, 3>;

// P = P50 exp(+-1.2816 sigma), sigma^2 = sum of (exponent x sigma_i)^2 (model.md 10).
LogQuantiles closed_form(const RangeInputs& in) {
  std::array<double, 3> mean{};
  std::array<double, 3> variance{};
  for (const UncertainInput& input : in.inputs) {
    const LogMoments moments = log_moments(input.factor);
    const Exponents power = exponents(input);
    for (std::size_t t = 0; t < 3; ++t) {
      mean[t] += power[t] * moments.mean;
      variance[t] += power[t] * power[t] * moments.sigma * moments.sigma;
    }
  }
  LogQuantiles out;
  for (std::size_t t = 0; t < 3; ++t) {
    const double half = kZ90 * std::sqrt(variance[t]);
    out[t] = {mean[t] - half, mean[t], mean[t] + half};
  }
  return out;
}

// Linear between the two nearest order statistics (type 7 of Hyndman and Fan 1996).
double order_statistic(std::vector<double>& values, double p) {
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(position);
  const auto at = values.begin() + below;
  std::nth_element(values.begin(), at, values.end());
  if (at + 1 == values.end()) return *at;
  const double above = *std::min_element(at + 1, values.end());
  return *at + (position - static_cast<double>(below)) * (above - *at);
}

// `unit(input, draw)` gives the number in (0, 1) that makes a draw of an input.
template <class Unit>
LogQuantiles sampled(const RangeInputs& in, std::size_t draws, const Unit& unit) {
  std::array<std::vector<double>, 3> sums;
  for (auto& sum : sums) sum.assign(draws, 0.0);
  for (std::size_t i = 0; i < in.inputs.size(); ++i) {
    const UncertainInput& input = in.inputs[i];
    check_distribution(input.factor);
    const Exponents power = exponents(input);
    const bool lognormal = input.factor.kind == Distribution::Kind::lognormal;
    const double median = lognormal ? portable_log(input.factor.a) : 0;
    for (std::size_t k = 0; k < draws; ++k) {
      const double p = unit(i, k);
      const double x =
          lognormal ? median + input.factor.b * inverse_normal(p) : log_quantile(input.factor, p);
      for (std::size_t t = 0; t < 3; ++t) sums[t][k] += power[t] * x;
    }
  }
  LogQuantiles out;
  for (std::size_t t = 0; t < 3; ++t) {
    out[t].p10 = order_statistic(sums[t], 0.1);
    out[t].p50 = order_statistic(sums[t], 0.5);
    out[t].p90 = order_statistic(sums[t], 0.9);
  }
  return out;
}

LogQuantiles monte_carlo(const RangeInputs& in, std::size_t draws) {
  const auto seed = static_cast<std::uint64_t>(in.seed);
  return sampled(in, draws, [seed](std::size_t input, std::size_t draw) {
    return to_unit(mix_counter(mix_counter(seed, input), draw));
  });
}

// A Korobov lattice of a prime number of points, its generator the best of all by the P2 criterion
// in 2 to 5 dimensions (Sloan and Joe 1994): every input alone is evenly stratified.
constexpr std::uint64_t kLatticePoints = 1021;
constexpr std::uint64_t kLatticeGenerator = 223;

// All lognormals together are one normal in ln, so that only the other shapes need dimensions.
Quantiles quasi_random(const RangeInputs& in, Target target) {
  double mean = 0;
  double variance = 0;
  std::vector<const UncertainInput*> shapes;
  for (const UncertainInput& input : in.inputs) {
    const double power = exponents(input)[target];
    if (power == 0) continue;
    if (input.factor.kind != Distribution::Kind::lognormal) {
      shapes.push_back(&input);
      continue;
    }
    mean += power * portable_log(input.factor.a);
    variance += power * power * input.factor.b * input.factor.b;
  }
  const double sigma = std::sqrt(variance);
  std::vector<double> sums;
  for (std::uint64_t k = 0; k < kLatticePoints; ++k) {
    std::uint64_t place = k;
    const auto unit = [&place] {
      return (static_cast<double>(place) + 0.5) / static_cast<double>(kLatticePoints);
    };
    double sum = mean + sigma * inverse_normal(unit());
    for (const UncertainInput* shape : shapes) {
      place = place * kLatticeGenerator % kLatticePoints;
      sum += exponents(*shape)[target] * log_quantile(shape->factor, unit());
    }
    sums.push_back(sum);
  }
  return {order_statistic(sums, 0.1), order_statistic(sums, 0.5), order_statistic(sums, 0.9)};
}

LogQuantiles quasi_random(const RangeInputs& in) {
  for (const UncertainInput& input : in.inputs) check_distribution(input.factor);
  return {quasi_random(in, kHours), quasi_random(in, kDays), quasi_random(in, kDollars)};
}

Quantiles scaled(double value, const Quantiles& logs, double fixed = 0) {
  const double moving = value - fixed;
  return {fixed + moving * portable_exp(logs.p10), fixed + moving * portable_exp(logs.p50),
          fixed + moving * portable_exp(logs.p90)};
}

// Shares of the variance of ln(dollars), or of ln(GPU-hours) where dollars are not known.
std::vector<Contribution> contributions(const RangeInputs& in) {
  const std::size_t target = in.total_usd ? kDollars : kHours;
  std::vector<Contribution> out;
  double sum = 0;
  for (const UncertainInput& input : in.inputs) {
    const double spread = exponents(input)[target] * log_moments(input.factor).sigma;
    if (spread == 0) continue;
    out.push_back({std::string(input.name), spread * spread});
    sum += spread * spread;
  }
  for (Contribution& row : out) row.share /= sum;
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return out;
}

}  // namespace

RangeResult compute_range(const RangeInputs& in) {
  RangeResult out;
  LogQuantiles logs;
  if (in.draws) {
    const auto draws = static_cast<std::size_t>(*in.draws);
    logs = monte_carlo(in, draws);
    out.method =
        fmt::format("Monte Carlo, {} draws, seed {}", draws, static_cast<std::uint64_t>(in.seed));
  } else if (all_lognormal(in)) {
    logs = closed_form(in);
    out.method = "closed form of a product of lognormals";
  } else {
    logs = quasi_random(in);
    out.method = fmt::format("{} quasi-random draws", kLatticePoints);
  }
  out.gpu_hours = scaled(in.gpu_hours, logs[kHours]);
  out.wall_clock_seconds = scaled(in.wall_clock_seconds, logs[kDays]);
  if (in.total_usd) out.total_usd = scaled(*in.total_usd, logs[kDollars], in.fixed_usd);
  out.contributions = contributions(in);
  return out;
}

Derivation derive_range(const RangeInputs& inputs, const RangeResult& result) {
  Derivation step;
  step.name = "range";
  step.formula = "P10, P90 = P50 exp(-+1.2816 sigma), sigma^2 = sum (exponent x sigma_i)^2";
  for (const UncertainInput& input : inputs.inputs) {
    step.numbers += fmt::format("{}{}: sigma {:.3f}", step.numbers.empty() ? "" : ", ", input.name,
                                log_moments(input.factor).sigma);
  }
  if (step.numbers.empty()) step.numbers = "no input is uncertain";
  const Quantiles& q = result.total_usd ? *result.total_usd : result.gpu_hours;
  step.result = fmt::format("P10 {:.6g}, P50 {:.6g}, P90 {:.6g} {}", q.p10, q.p50, q.p90,
                            result.total_usd ? "USD" : "GPU-hours");
  step.source =
      fmt::format("{}; spreads: model.md 10 and the residuals of trcost validate", result.method);
  return step;
}

}  // namespace trcost
