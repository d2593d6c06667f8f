// SPDX-License-Identifier: Apache-2.0
#include "estimate/range_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cost/distribution.h"
#include "cost/random_bits.h"
#include "quantity/portable_math.h"

namespace trcost {
namespace {

// A Korobov lattice of a prime number of points, its generator the best of all by the P2 criterion
// in 2 to 5 dimensions (Sloan and Joe 1994).
constexpr std::uint64_t kLatticeGenerator = 1802;

double scaled(double part, double log_factor) {
  return part == 0 ? 0 : part * (log_factor == 0 ? 1 : portable_exp(log_factor));
}

}  // namespace

double total_of(const CostParts& usd, const DriverLogs& at) {
  const double hours = at[Driver::hours];
  const double days = at[Driver::days];
  const double run = scaled(usd.compute, hours + at[Driver::rent]) +
                     scaled(usd.capital, hours + at[Driver::capital]) +
                     scaled(usd.colocation, hours + at[Driver::colocation]) +
                     scaled(usd.energy, hours + at[Driver::electricity]);
  return run * (1 + scaled(usd.experiments, at[Driver::experiments]) +
                scaled(usd.evaluation, at[Driver::evaluation])) +
         scaled(usd.dataset, days + at[Driver::dataset]) +
         scaled(usd.checkpoints, days + at[Driver::checkpoints]) +
         scaled(usd.egress, at[Driver::egress]);
}

namespace {

// Linear between the two nearest order statistics (type 7 of Hyndman and Fan 1996), of the values
// from `from` on, those before which are the smaller ones.
double order_statistic(std::vector<double>& values, double p, std::ptrdiff_t from) {
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(position);
  const auto at = values.begin() + below;
  std::nth_element(values.begin() + from, at, values.end());
  if (at + 1 == values.end()) return *at;
  const double above = *std::min_element(at + 1, values.end());
  return *at + (position - static_cast<double>(below)) * (above - *at);
}

}  // namespace

Quantiles quantiles_of(std::vector<double>& values) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto place = [last](double p) { return static_cast<std::ptrdiff_t>(p * last); };
  Quantiles out;
  out.p10 = order_statistic(values, 0.1, 0);
  out.p50 = order_statistic(values, 0.5, place(0.1));
  out.p90 = order_statistic(values, 0.9, place(0.5));
  return out;
}

namespace {

// What comes of each draw.
class Outcomes {
 public:
  Outcomes(const RangeInputs& in, std::size_t draws) : in_(in) {
    for (std::vector<double>* list : {&hours_, &days_, &dollars_}) list->reserve(draws);
  }
  void add(const DriverLogs& at) {
    hours_.push_back(at[Driver::hours]);
    days_.push_back(at[Driver::days]);
    if (in_.usd) dollars_.push_back(total_of(*in_.usd, at));
  }
  void write(RangeResult& out) {
    out.gpu_hours = of_logs(in_.gpu_hours, hours_);
    out.wall_clock_seconds = of_logs(in_.wall_clock_seconds, days_);
    if (in_.usd) out.total_usd = quantiles_of(dollars_);
  }

 private:
  static Quantiles of_logs(double value, std::vector<double>& logs) {
    const Quantiles q = quantiles_of(logs);
    return {value * portable_exp(q.p10), value * portable_exp(q.p50), value * portable_exp(q.p90)};
  }
  const RangeInputs& in_;
  std::vector<double> hours_, days_, dollars_;
};

double limit_of(const UncertainInput& input) {
  return std::isinf(input.most) ? input.most : portable_log(input.most);
}

// One dimension of the lattice: lognormals that act alike, or an input of another shape.
struct Dimension {
  Exponents exponents;  // of a lognormal: times its sigma
  const UncertainInput* shape = nullptr;
};

double length(const Exponents& e) {
  double squares = 0;
  for (std::size_t i = 0; i < kDriverCount; ++i) squares += square(e[static_cast<Driver>(i)]);
  return std::sqrt(squares);
}

// Two independent normals along one direction are one, if they lie along one.
bool merge(Exponents& into, const Exponents& other) {
  const double a = length(into);
  const double b = length(other);
  double product = 0;
  for (std::size_t i = 0; i < kDriverCount; ++i) {
    product += into[static_cast<Driver>(i)] * other[static_cast<Driver>(i)];
  }
  if (std::abs(product) < a * b * (1 - 1e-12)) return false;
  const double factor = in_quadrature(a, b) / a;
  Exponents out;
  for (std::size_t i = 0; i < kDriverCount; ++i) {
    const auto driver = static_cast<Driver>(i);
    out = out.with(driver, into[driver] * factor);
  }
  into = out;
  return true;
}

std::vector<Dimension> dimensions_of(const RangeInputs& in, DriverLogs& medians) {
  std::vector<Dimension> out;
  for (const UncertainInput& input : in.inputs) {
    check_distribution(input.factor);
    if (length(input.exponents) == 0) continue;
    if (input.factor.kind != Distribution::Kind::lognormal || !std::isinf(input.most)) {
      out.push_back({input.exponents, &input});
      continue;
    }
    medians.add(input.exponents, portable_log(input.factor.a));
    Exponents spread;
    for (std::size_t i = 0; i < kDriverCount; ++i) {
      const auto driver = static_cast<Driver>(i);
      spread = spread.with(driver, input.exponents[driver] * input.factor.b);
    }
    if (length(spread) == 0) continue;
    const bool merged = std::ranges::any_of(out, [&](Dimension& each) {
      return each.shape == nullptr && merge(each.exponents, spread);
    });
    if (!merged) out.push_back({spread, nullptr});
  }
  return out;
}

double stratum(std::uint64_t place) {
  return (static_cast<double>(place) + 0.5) / static_cast<double>(kLatticePoints);
}

}  // namespace

std::uint64_t next_place(std::uint64_t place) {
  return place * kLatticeGenerator % kLatticePoints;
}

const std::vector<double>& normal_strata() {
  static const std::vector<double> strata = [] {
    std::vector<double> out;
    for (std::uint64_t k = 0; k < kLatticePoints; ++k) out.push_back(inverse_normal(stratum(k)));
    return out;
  }();
  return strata;
}

namespace {

std::vector<double> strata_of(const UncertainInput& input) {
  const double limit = limit_of(input);
  std::vector<double> out;
  for (std::uint64_t k = 0; k < kLatticePoints; ++k) {
    out.push_back(std::min(log_quantile(input.factor, stratum(k)), limit));
  }
  return out;
}

}  // namespace

void draw_range(const RangeInputs& in, RangeResult& out) {
  const auto draws = static_cast<std::size_t>(*in.draws);
  const auto seed = static_cast<std::uint64_t>(in.seed);
  for (const UncertainInput& input : in.inputs) check_distribution(input.factor);
  Outcomes outcomes(in, draws);
  for (std::size_t k = 0; k < draws; ++k) {
    DriverLogs at;
    for (std::size_t i = 0; i < in.inputs.size(); ++i) {
      const UncertainInput& input = in.inputs[i];
      const double unit = to_unit(mix_counter(mix_counter(seed, i), k));
      at.add(input.exponents, std::min(log_quantile(input.factor, unit), limit_of(input)));
    }
    outcomes.add(at);
  }
  outcomes.write(out);
}

void quasi_random_range(const RangeInputs& in, RangeResult& out) {
  DriverLogs medians;
  const std::vector<Dimension> dimensions = dimensions_of(in, medians);
  std::vector<std::vector<double>> shapes;
  for (const Dimension& each : dimensions) {
    shapes.push_back(each.shape == nullptr ? std::vector<double>() : strata_of(*each.shape));
  }
  Outcomes outcomes(in, kLatticePoints);
  for (std::uint64_t k = 0; k < kLatticePoints; ++k) {
    DriverLogs at = medians;
    std::uint64_t place = k;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const std::vector<double>& strata = shapes[i].empty() ? normal_strata() : shapes[i];
      at.add(dimensions[i].exponents, strata[place]);
      place = next_place(place);
    }
    outcomes.add(at);
  }
  outcomes.write(out);
}

}  // namespace trcost
