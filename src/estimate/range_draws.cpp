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

double total_of(const Dollars& usd, const DriverLogs& at) {
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

namespace {

bool same_shape(const Distribution& a, const Distribution& b) {
  return a.kind == b.kind && a.a == b.a && a.b == b.b && a.c == b.c;
}

// Whether what is uncertain in two rounds is one thing, though it may spread more in one of them.
bool one_input(const UncertainInput& a, const UncertainInput& b) {
  return a.name == b.name && a.given == b.given && (!a.given || same_shape(a.factor, b.factor));
}

// What comes of one draw of the inputs, summed over the rounds.
class SummedOutcomes {
 public:
  SummedOutcomes(const std::vector<RangeInputs>& rounds, std::size_t draws) : rounds_(rounds) {
    known_ = std::ranges::all_of(rounds, [](const RangeInputs& in) { return in.usd.has_value(); });
    for (std::vector<double>* list : {&hours_, &days_, &dollars_}) list->reserve(draws);
  }
  void add(const std::vector<DriverLogs>& at) {
    double hours = 0;
    double days = 0;
    double dollars = 0;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      hours += scaled(rounds_[r].gpu_hours, at[r][Driver::hours]);
      days += scaled(rounds_[r].wall_clock_seconds, at[r][Driver::days]);
      if (known_) dollars += total_of(*rounds_[r].usd, at[r]);
    }
    hours_.push_back(hours);
    days_.push_back(days);
    if (known_) dollars_.push_back(dollars);
  }
  void write(RangeResult& out) {
    out.gpu_hours = quantiles_of(hours_);
    out.wall_clock_seconds = quantiles_of(days_);
    if (known_) out.total_usd = quantiles_of(dollars_);
  }

 private:
  const std::vector<RangeInputs>& rounds_;
  bool known_ = true;
  std::vector<double> hours_, days_, dollars_;
};

}  // namespace

std::vector<SharedInput> shared_inputs(const std::vector<RangeInputs>& rounds) {
  std::vector<SharedInput> out;
  std::vector<const UncertainInput*> first;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (const UncertainInput& input : rounds[r].inputs) {
      const auto known = std::ranges::find_if(
          first, [&](const UncertainInput* each) { return one_input(*each, input); });
      const auto place = static_cast<std::size_t>(known - first.begin());
      if (known == first.end()) {
        first.push_back(&input);
        out.push_back({std::vector<const UncertainInput*>(rounds.size(), nullptr)});
      }
      out[place].in_round[r] = &input;
    }
  }
  return out;
}

namespace {

// A dimension of the lattice over rounds: lognormals that act alike in all of them, or one input.
struct RoundDimension {
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

std::vector<RoundDimension> round_dimensions(const std::vector<SharedInput>& inputs,
                                             std::vector<DriverLogs>& medians) {
  std::vector<RoundDimension> out;
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
    const bool merged = std::ranges::any_of(out, [&](RoundDimension& each) {
      return each.shape == nullptr && merge(each.spread, spread);
    });
    if (!merged) out.push_back({std::move(spread), nullptr});
  }
  return out;
}

void add_input(const SharedInput& input, double unit, std::vector<DriverLogs>& at) {
  for (std::size_t r = 0; r < at.size(); ++r) {
    const UncertainInput* each = input.in_round[r];
    if (each == nullptr) continue;
    at[r].add(each->exponents, std::min(log_quantile(each->factor, unit), limit_of(*each)));
  }
}

void lattice_of_rounds(const std::vector<SharedInput>& inputs, std::size_t rounds,
                       SummedOutcomes& outcomes) {
  std::vector<DriverLogs> medians(rounds);
  const std::vector<RoundDimension> dimensions = round_dimensions(inputs, medians);
  for (std::uint64_t k = 0; k < kLatticePoints; ++k) {
    std::vector<DriverLogs> at = medians;
    std::uint64_t place = k;
    for (const RoundDimension& each : dimensions) {
      if (each.shape != nullptr) {
        add_input(*each.shape, stratum(place), at);
      } else {
        for (std::size_t r = 0; r < rounds; ++r) at[r].add(each.spread[r], normal_strata()[place]);
      }
      place = next_place(place);
    }
    outcomes.add(at);
  }
}

}  // namespace

void draw_rounds(const std::vector<RangeInputs>& rounds, RangeResult& out) {
  const std::vector<SharedInput> inputs = shared_inputs(rounds);
  const std::optional<double> asked = rounds.front().draws;
  const auto seed = static_cast<std::uint64_t>(rounds.front().seed);
  const auto draws = asked ? static_cast<std::uint64_t>(*asked) : kLatticePoints;
  SummedOutcomes outcomes(rounds, draws);
  if (!asked) lattice_of_rounds(inputs, rounds.size(), outcomes);
  for (std::uint64_t k = 0; asked && k < draws; ++k) {
    std::vector<DriverLogs> at(rounds.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      add_input(inputs[i], to_unit(mix_counter(mix_counter(seed, i), k)), at);
    }
    outcomes.add(at);
  }
  outcomes.write(out);
}

}  // namespace trcost
