// SPDX-License-Identifier: Apache-2.0
#include "estimate/range/range_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "cost/distribution.h"
#include "quantity/portable_math.h"
#include "quantity/statistics.h"

namespace trcost::estimation {
namespace {

// A Korobov lattice of a prime number of points, its generator the best of all by the P2 criterion
// in 2 to 5 dimensions (Sloan and Joe 1994).
constexpr std::uint64_t kLatticeGenerator = 1802;

double scaled(double part, double log_factor) {
  return part == 0 ? 0 : part * (log_factor == 0 ? 1 : portable_exp(log_factor));
}

}  // namespace

double changed_total(const Dollars& usd, const DriverLogs& at) {
  double sum = 0;
  for (const Term& term : usd.terms()) sum += scaled(term.usd, at.of(term.moves));
  return sum;
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

Quantiles compute_quantiles(std::vector<double>& values) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto place = [last](double p) { return static_cast<std::ptrdiff_t>(p * last); };
  Quantiles out;
  out.p10 = order_statistic(values, 0.1, 0);
  out.p50 = order_statistic(values, 0.5, place(0.1));
  out.p90 = order_statistic(values, 0.9, place(0.5));
  return out;
}

namespace {

// Outcomes of the draws, summed over the rounds. Hours and days of a single round are kept as
// logarithms, so that only three quantiles are exponentiated.
class Outcomes {
 public:
  // `one`: the job has one round, not several that move alike.
  Outcomes(std::span<const RangeInputs> rounds, bool one, std::size_t draws)
      : rounds_(rounds), one_(one) {
    known_ = std::ranges::all_of(rounds, [](const RangeInputs& in) { return in.usd.has_value(); });
    for (std::vector<double>* list : {&hours_, &days_, &dollars_}) list->reserve(draws);
  }
  void add(const std::vector<DriverLogs>& at) {
    hours_.push_back(summed(at, Driver::hours, &RangeInputs::gpu_hours));
    days_.push_back(summed(at, Driver::days, &RangeInputs::wall_clock_seconds));
    if (!known_) return;
    double dollars = 0;
    for (std::size_t r = 0; r < rounds_.size(); ++r)
      dollars += changed_total(*rounds_[r].usd, at[r]);
    dollars_.push_back(dollars);
  }
  void write(RangeResult& out) {
    out.gpu_hours = quantiles(hours_, rounds_.front().gpu_hours);
    out.wall_clock_seconds = quantiles(days_, rounds_.front().wall_clock_seconds);
    if (known_) out.total_usd = compute_quantiles(dollars_);
  }

 private:
  double summed(const std::vector<DriverLogs>& at, Driver driver,
                double RangeInputs::*amount) const {
    if (one_) return at.front()[driver];
    double sum = 0;
    for (std::size_t r = 0; r < rounds_.size(); ++r)
      sum += scaled(rounds_[r].*amount, at[r][driver]);
    return sum;
  }
  Quantiles quantiles(std::vector<double>& values, double of_one) const {
    Quantiles q = compute_quantiles(values);
    if (one_) {
      for (double* each : {&q.p10, &q.p50, &q.p90}) *each = of_one * portable_exp(*each);
    }
    return q;
  }
  std::span<const RangeInputs> rounds_;
  bool one_;
  bool known_ = true;
  std::vector<double> hours_, days_, dollars_;
};

double log_limit(const UncertainInput& input) {
  return std::isinf(input.most) ? input.most : portable_log(input.most);
}

double stratum(std::uint64_t place) {
  return (static_cast<double>(place) + 0.5) / static_cast<double>(kLatticePoints);
}

const std::vector<double>& normal_strata() {
  static const std::vector<double> strata = [] {
    std::vector<double> out;
    for (std::uint64_t k = 0; k < kLatticePoints; ++k) out.push_back(inverse_normal(stratum(k)));
    return out;
  }();
  return strata;
}

bool same_shape(const Distribution& a, const Distribution& b) {
  return a.kind == b.kind && a.a == b.a && a.b == b.b && a.c == b.c;
}

// Whether two rounds share an input, though it may spread more in one of them.
bool one_input(const UncertainInput& a, const UncertainInput& b) {
  return a.cause == b.cause && a.field == b.field && a.given == b.given &&
         (!a.given || same_shape(a.factor, b.factor));
}

}  // namespace

std::vector<SharedInput> shared_inputs(std::span<const RangeInputs> rounds) {
  std::vector<SharedInput> out;
  std::vector<const UncertainInput*> first;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (const UncertainInput& input : rounds[r].inputs) {
      std::size_t place = 0;
      while (place < out.size() &&
             (out[place].in_round[r] != nullptr || !one_input(*first[place], input))) {
        ++place;
      }
      if (place == out.size()) {
        first.push_back(&input);
        out.push_back({std::vector<const UncertainInput*>(rounds.size(), nullptr)});
      }
      out[place].in_round[r] = &input;
    }
  }
  return out;
}

namespace {

// A dimension of the lattice: lognormals with the same effect in all rounds, or an input of another
// shape.
struct Dimension {
  std::vector<Exponents> spread;  // of lognormals, per round: exponents x sigma
  const SharedInput* shape = nullptr;
};

double product(const std::vector<Exponents>& a, const std::vector<Exponents>& b) {
  double out = 0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    for (std::size_t i = 0; i < kDriverCount; ++i) {
      out += a[r][static_cast<Driver>(i)] * b[r][static_cast<Driver>(i)];
    }
  }
  return out;
}

// Two independent normals along one direction are one.
bool merge(std::vector<Exponents>& into, const std::vector<Exponents>& other) {
  const double a = std::sqrt(product(into, into));
  const double b = std::sqrt(product(other, other));
  if (std::abs(product(into, other)) < a * b * (1 - 1e-12)) return false;
  const double factor = in_quadrature(a, b) / a;
  for (Exponents& each : into) {
    for (std::size_t i = 0; i < kDriverCount; ++i) {
      each = each.with(static_cast<Driver>(i), each[static_cast<Driver>(i)] * factor);
    }
  }
  return true;
}

bool is_plain(const SharedInput& input) {
  return std::ranges::all_of(input.in_round, [](const UncertainInput* each) {
    return each == nullptr ||
           (each->factor.kind == Distribution::Kind::lognormal && std::isinf(each->most));
  });
}

std::vector<Dimension> lattice_dimensions(const std::vector<SharedInput>& inputs,
                                          std::vector<DriverLogs>& medians) {
  std::vector<Dimension> out;
  for (const SharedInput& input : inputs) {
    if (!is_plain(input)) {
      out.push_back({{}, &input});
      continue;
    }
    std::vector<Exponents> spread(input.in_round.size());
    for (std::size_t r = 0; r < spread.size(); ++r) {
      const UncertainInput* each = input.in_round[r];
      if (each == nullptr) continue;
      medians[r].add(each->exponents, portable_log(each->factor.a));
      for (std::size_t i = 0; i < kDriverCount; ++i) {
        const auto driver = static_cast<Driver>(i);
        spread[r] = spread[r].with(driver, each->exponents[driver] * each->factor.b);
      }
    }
    if (product(spread, spread) == 0) continue;
    const bool merged = std::ranges::any_of(
        out, [&](Dimension& each) { return each.shape == nullptr && merge(each.spread, spread); });
    if (!merged) out.push_back({std::move(spread), nullptr});
  }
  return out;
}

void add_input(const SharedInput& input, double unit, std::vector<DriverLogs>& at) {
  for (std::size_t r = 0; r < at.size(); ++r) {
    const UncertainInput* each = input.in_round[r];
    if (each == nullptr) continue;
    at[r].add(each->exponents, std::min(log_quantile(each->factor, unit), log_limit(*each)));
  }
}

void draw_lattice(const std::vector<SharedInput>& inputs, std::size_t rounds, Outcomes& outcomes) {
  std::vector<DriverLogs> medians(rounds);
  const std::vector<Dimension> dimensions = lattice_dimensions(inputs, medians);
  std::vector<DriverLogs> at;
  for (std::uint64_t k = 0; k < kLatticePoints; ++k) {
    at = medians;
    std::uint64_t place = k;
    for (const Dimension& each : dimensions) {
      if (each.shape != nullptr) {
        add_input(*each.shape, stratum(place), at);
      } else {
        for (std::size_t r = 0; r < rounds; ++r) at[r].add(each.spread[r], normal_strata()[place]);
      }
      place = place * kLatticeGenerator % kLatticePoints;
    }
    outcomes.add(at);
  }
}

// Rounds up to which all are drawn.
constexpr std::size_t kFewRounds = 16;

bool same_input(const UncertainInput& a, const UncertainInput& b) {
  return a.cause == b.cause && a.field == b.field && same_shape(a.factor, b.factor) &&
         a.exponents == b.exponents && a.most == b.most && a.given == b.given;
}

// Whether every draw changes both rounds by the same factors.
bool moves_alike(const RangeInputs& a, const RangeInputs& b) {
  return a.usd.has_value() == b.usd.has_value() &&
         std::ranges::equal(a.inputs, b.inputs, same_input);
}

// Rounds that move alike, added up.
std::vector<RangeInputs> join_rounds(std::span<const RangeInputs> rounds) {
  std::vector<RangeInputs> out;
  for (const RangeInputs& round : rounds) {
    const auto same = std::ranges::find_if(
        out, [&](const RangeInputs& each) { return moves_alike(each, round); });
    if (same == out.end()) {
      out.push_back(round);
      continue;
    }
    same->gpu_hours += round.gpu_hours;
    same->wall_clock_seconds += round.wall_clock_seconds;
    if (!same->usd) continue;
    for (const Term& term : round.usd->terms()) same->usd->add(term);
  }
  return out;
}

}  // namespace

void draw_rounds(std::span<const RangeInputs> all, RangeResult& out) {
  std::vector<RangeInputs> joined;
  if (all.size() > kFewRounds) joined = join_rounds(all);
  const std::span<const RangeInputs> rounds = joined.empty() ? all : joined;
  const std::vector<SharedInput> inputs = shared_inputs(rounds);
  const std::optional<double> asked = rounds.front().draws;
  const auto seed = static_cast<std::uint64_t>(rounds.front().seed);
  const auto draws = asked ? static_cast<std::uint64_t>(*asked) : kLatticePoints;
  Outcomes outcomes(rounds, all.size() == 1, draws);
  if (!asked) draw_lattice(inputs, rounds.size(), outcomes);
  for (std::uint64_t k = 0; asked && k < draws; ++k) {
    std::vector<DriverLogs> at(rounds.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      add_input(inputs[i], to_unit(mix_counter(mix_counter(seed, i), k)), at);
    }
    outcomes.add(at);
  }
  outcomes.write(out);
}

}  // namespace trcost::estimation
