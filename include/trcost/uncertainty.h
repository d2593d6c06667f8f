// SPDX-License-Identifier: Apache-2.0
// The spread of an estimate from the spread of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/derivation.h"
#include "trcost/scenario.h"

namespace trcost {

struct Quantiles {
  double p10 = 0;
  double p50 = 0;
  double p90 = 0;
};

/// How much of the spread an uncertain input brings.
struct Contribution {
  std::string input;
  double share = 0;  ///< of the variance of ln(total); shares sum to 1
};

struct RangeResult {
  Quantiles gpu_hours;
  Quantiles wall_clock_seconds;
  std::optional<Quantiles> total_usd;
  std::vector<Contribution> contributions;  ///< largest first
  std::string method;                       ///< closed form, or Monte Carlo with draws and seed
};

/// An uncertain factor: its value over the value that the estimate used. GPU-hours go as
/// factor^hours, days as factor^days, dollars as factor^dollars.
struct UncertainInput {
  std::string_view name;      ///< must outlive the call; a literal or a field's path
  Distribution factor;        ///< of the factor itself, e.g. lognormal with median 1
  double hours = 0;
  double days = 0;
  double dollars = 0;
};

struct RangeInputs {
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
  double fixed_usd = 0;       ///< part of the total that no input moves
  std::vector<UncertainInput> inputs;
  std::optional<double> draws;  ///< full Monte Carlo when given
  double seed = 1;
};

/// P10, P50, P90. Products of lognormals in closed form: P = P50 exp(+-1.2816 sigma), with
/// sigma^2 the sum of (exponent x sigma)^2. With other distributions, quasi-random draws; with
/// `draws`, Monte Carlo. The same bytes on every machine with IEEE 754 doubles.
RangeResult compute_range(const RangeInputs& inputs);

/// What is known about an estimate that decides the default spreads (table of model.md 10).
struct SpreadContext {
  double gpus = 1;
  double mfu_sigma = 0.2;          ///< of the method near this scenario
  bool mfu_given = false;          ///< the user said the MFU
  bool stack_known = false;
  bool moe = false;
  bool vision = false;
  bool goodput_given = false;      ///< goodput and production overhead were both said
  bool tokens_given = false;       ///< the number of tokens or samples was said
  bool gpu_hours_measured = false; ///< anchored to a measurement
  bool own = false;
  bool price_given = false;        ///< with own: the purchase price
  double price_sigma = 0.25;       ///< of the quote
  double electricity_share = 0;    ///< of the total
  double experiments_share = 0;    ///< of the total
};
/// The default uncertain inputs; `out` is reused.
void default_spreads(const SpreadContext& context, std::vector<UncertainInput>& out);

/// Shares of the total that a field's value moves, for `field_spread`.
struct CostShares {
  double compute = 1;       ///< all that is proportional to GPU-hours
  double price = 1;         ///< proportional to the price of an accelerator-hour
  double electricity = 0;
  double storage = 0;
  double experiments = 0;
  double evaluation = 0;
  double text_tokens = 1;   ///< share of the tokens that are text
};
/// The uncertain input that a user's distribution of `field` makes, relative to `value`, which the
/// estimate used. Throws Error (usage) for a field whose effect is not a known power.
UncertainInput field_spread(Field field, const Distribution& distribution, double value,
                            const CostShares& shares);

/// ln-mean and ln-standard deviation of a distribution; throws Error (usage) for one that reaches 0
/// or below, or whose ends are swapped.
struct LogMoments {
  double mean = 0;
  double sigma = 0;
};
LogMoments log_moments(const Distribution& distribution);

/// The inverse of the standard normal distribution function, p in (0, 1); Wichura's algorithm AS 241
/// (1988, doi:10.2307/2347330), about 16 digits. Uses +, -, x, / and square roots only.
double inverse_normal(double p);

Derivation derive_range(const RangeInputs& inputs, const RangeResult& result);

}  // namespace trcost
