// SPDX-License-Identifier: Apache-2.0
#include "estimate/range/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "cost/distribution.h"
#include "estimate/range/range_draws.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"

namespace trcost::estimation {
namespace {

// A limit beyond this many standard deviations affects one draw in 1,000 and is ignored.
constexpr double kFarLimit = 3.1;

bool is_plain_lognormal(const UncertainInput& input) {
  const Distribution& d = input.factor;
  return d.kind == Distribution::Kind::lognormal &&
         (std::isinf(input.most) || input.most >= d.a * portable_exp(kFarLimit * d.b));
}

double total_exponent(const UncertainInput& input, const Exponents& elasticity) {
  double sum = 0;
  for (std::size_t i = 0; i < kDriverCount; ++i) {
    const auto driver = static_cast<Driver>(i);
    sum += input.exponents[driver] * elasticity[driver];
  }
  return sum;
}

// Whether an input moves the time or a part of the bill.
bool has_effect(const UncertainInput& input, const Exponents& elasticity) {
  if (input.exponents[Driver::hours] != 0 || input.exponents[Driver::days] != 0) return true;
  for (std::size_t i = 0; i < kDriverCount; ++i) {
    const auto driver = static_cast<Driver>(i);
    if (input.exponents[driver] != 0 && elasticity[driver] != 0) return true;
  }
  return false;
}

// Whether the dollars are one product of drivers, so that each input moves all of them or none.
bool one_product(const RangeInputs& in, const Exponents& elasticity) {
  for (std::size_t i = 0; i < kDriverCount; ++i) {
    const double share = elasticity[static_cast<Driver>(i)];
    if (share == 0 || std::abs(share - 1) < 1e-12) continue;
    for (const UncertainInput& input : in.inputs) {
      if (input.exponents[static_cast<Driver>(i)] != 0) return false;
    }
  }
  return true;
}

// P = P50 exp(+-1.2816 sigma), sigma^2 = sum of (exponent x sigma_i)^2 (model.md 10).
Quantiles closed_form(const RangeInputs& in, double value, const Exponents& elasticity) {
  double mean = 0;
  double variance = 0;
  for (const UncertainInput& input : in.inputs) {
    const double power = total_exponent(input, elasticity);
    if (power == 0) continue;
    const LogMoments moments = log_moments(input.factor);
    mean += power * moments.mean;
    variance += power * power * moments.sigma * moments.sigma;
  }
  const double half = kNormalP90 * std::sqrt(variance);
  return {value * portable_exp(mean - half), value * portable_exp(mean),
          value * portable_exp(mean + half)};
}

// Shares of the variance of ln(dollars), or of ln(GPU-hours) if dollars are unknown. A round's
// share of the sum weighs the effect of an input in it.
std::vector<Contribution> contributions(std::span<const RangeInputs> rounds, bool dollars) {
  std::vector<Exponents> elasticity;
  std::vector<double> weight;
  double total = 0;
  for (const RangeInputs& in : rounds) {
    elasticity.push_back(dollars ? in.usd->elasticities() : Exponents().with(Driver::hours, 1));
    weight.push_back(dollars ? in.usd->total() : in.gpu_hours);
    total += weight.back();
  }
  std::vector<Contribution> out;
  double sum = 0;
  for (const SharedInput& shared : shared_inputs(rounds)) {
    double spread = 0;
    double sigma = 0;
    const UncertainInput* first = nullptr;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const UncertainInput* input = shared.in_round[r];
      if (input == nullptr) continue;
      if (first == nullptr) first = input;
      const double own = log_moments(input->factor).sigma;
      sigma = std::max(sigma, own);
      spread += weight[r] / total * total_exponent(*input, elasticity[r]) * own;
    }
    if (spread == 0) continue;
    out.push_back({std::string(first->name()), spread * spread, sigma, std::string(first->source),
                   log_moments(first->factor).mean, first->exponents});
    sum += spread * spread;
  }
  for (Contribution& row : out) row.share /= sum;
  std::ranges::stable_sort(out, std::ranges::greater{}, &Contribution::share);
  return out;
}

// Ends of each input alone: the width of the whole in logarithms times the root of its share.
void set_ends(const Quantiles& whole, std::vector<Contribution>& rows) {
  if (whole.p10 <= 0) return;
  const double half_width = portable_log(whole.p90 / whole.p10) / 2;
  for (Contribution& row : rows) {
    const double factor = portable_exp(half_width * std::sqrt(row.share));
    row.low = whole.p50 / factor;
    row.high = whole.p50 * factor;
  }
}

}  // namespace

namespace {

// One product of lognormals, of one round.
bool has_closed_form(const RangeInputs& in, const Exponents& dollars) {
  return !in.draws && std::ranges::all_of(in.inputs, is_plain_lognormal) &&
         one_product(in, dollars);
}

RangeResult in_closed_form(const RangeInputs& in, const Exponents& dollars) {
  RangeResult out;
  out.gpu_hours = closed_form(in, in.gpu_hours, Exponents().with(Driver::hours, 1));
  out.wall_clock_seconds =
      closed_form(in, in.wall_clock_seconds, Exponents().with(Driver::days, 1));
  if (in.usd) out.total_usd = closed_form(in, in.usd->total(), dollars);
  out.method = "closed form of a product of lognormals";
  return out;
}

std::string range_method(std::span<const RangeInputs> rounds) {
  const RangeInputs& first = rounds.front();
  const std::string together =
      rounds.size() > 1 ? fmt::format("{} stages together", rounds.size()) : std::string();
  if (!first.draws) {
    return fmt::format("{} quasi-random draws{}{}", kLatticePoints, together.empty() ? "" : " of ",
                       together);
  }
  return fmt::format("Monte Carlo{}{}, {:.0f} draws, seed {:.0f}", together.empty() ? "" : " over ",
                     together, *first.draws, first.seed);
}

}  // namespace

RangeResult compute_range(std::vector<RangeInputs> rounds) {
  const Exponents hours = Exponents().with(Driver::hours, 1);
  Exponents dollars;
  for (RangeInputs& in : rounds) {
    for (const UncertainInput& input : in.inputs) check_distribution(input.factor);
    dollars = in.usd ? in.usd->elasticities() : hours;
    std::erase_if(in.inputs,
                  [&](const UncertainInput& input) { return !has_effect(input, dollars); });
  }
  RangeResult out;
  if (rounds.size() == 1 && has_closed_form(rounds.front(), dollars)) {
    out = in_closed_form(rounds.front(), dollars);
  } else {
    draw_rounds(rounds, out);
    out.method = range_method(rounds);
  }
  out.contributions = contributions(rounds, out.total_usd.has_value());
  set_ends(out.total_usd.value_or(out.gpu_hours), out.contributions);
  if (rounds.size() == 1) out.inputs = std::move(rounds.front().inputs);
  return out;
}

RangeResult compute_range(RangeInputs inputs) {
  std::vector<RangeInputs> rounds;
  rounds.push_back(std::move(inputs));
  return compute_range(std::move(rounds));
}

std::vector<Derivation> derive_range(const RangeResult& result) {
  const Quantiles& q = result.total_usd ? *result.total_usd : result.gpu_hours;
  std::string shares;
  for (const Contribution& each : result.contributions) {
    shares += fmt::format("{}{} {:.1f}%", shares.empty() ? "" : ", ", each.input, 100 * each.share);
  }
  std::vector<Derivation> steps;
  steps.push_back({"range", "P10, P50, P90 of the product or sum of the uncertain parts",
                   shares.empty() ? "no input is uncertain" : "of the variance: " + shares,
                   fmt::format("P10 {}, P50 {}, P90 {} {}", digits(q.p10), digits(q.p50),
                               digits(q.p90), result.total_usd ? "USD" : "GPU-hours"),
                   result.method});
  for (const Contribution& each : result.contributions) {
    steps.push_back({"spread of " + each.input, "P10, P90 = value x exp(-+1.2816 sigma)",
                     fmt::format("exp(-1.2816 x {0:.4g}) to exp(1.2816 x {0:.4g})", each.sigma),
                     fmt::format("x {:.4g} to x {:.4g}", portable_exp(-kNormalP90 * each.sigma),
                                 portable_exp(kNormalP90 * each.sigma)),
                     each.source});
  }
  return steps;
}

}  // namespace trcost::estimation
