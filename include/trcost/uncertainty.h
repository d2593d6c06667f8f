// SPDX-License-Identifier: Apache-2.0
// The spread of an estimate from the spread of its inputs.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/bill.h"
#include "trcost/scenario.h"

namespace trcost {

struct Quantiles {
  double p10 = 0;
  double p50 = 0;
  double p90 = 0;
};

/// How much of the spread an uncertain input brings, and what it moves.
struct Contribution {
  std::string input;
  double share = 0;  ///< of the variance of ln(total), to first order; shares sum to 1
  double sigma = 0;  ///< standard deviation of ln(input)
  std::string source;
  double mean = 0;  ///< of ln(input / its value in the estimate)
  Exponents exponents;
  /// Of the total, or of the GPU-hours where dollars are not known: four chances in five where this
  /// input alone is uncertain and all else at its median.
  double low = 0, high = 0;
};

/// An uncertain factor: its value over the value that the estimate used. Cause and field say which
/// one it is: rounds of a job that have it share it.
struct UncertainInput {
  Cause cause = Cause::price;
  std::optional<Field> field;  ///< whose value it is; empty where no field holds it
  Distribution factor;  ///< of the factor itself, e.g. lognormal with median 1
  Exponents exponents;
  double most = std::numeric_limits<double>::infinity();  ///< no draw is above it
  std::string_view source;  ///< where the spread comes from; lives for ever
  bool given = false;       ///< a range that the user gave
  /// For people: the field's path where the range was given, else in words.
  [[nodiscard]] std::string_view name() const;
};

struct RangeResult {
  Quantiles gpu_hours;
  Quantiles wall_clock_seconds;
  std::optional<Quantiles> total_usd;
  std::vector<Contribution> contributions;  ///< largest first
  std::string method;                       ///< closed form, or Monte Carlo with draws and seed
  std::vector<UncertainInput> inputs;       ///< what it was made of, for a range with fewer or more
};

struct RangeInputs {
  double gpu_hours = 0;
  double wall_clock_seconds = 0;
  std::optional<Dollars> usd;  ///< empty where a price is not known
  std::vector<UncertainInput> inputs;
  std::optional<double> draws;  ///< full Monte Carlo when given
  double seed = 1;
};

/// P10, P50, P90. Products of lognormals in closed form: P = P50 exp(+-1.2816 sigma), with
/// sigma^2 the sum of (exponent x sigma)^2. Sums of several parts, and other distributions, by
/// quasi-random draws, each the sum of its parts; with `draws`, Monte Carlo. The same bytes on
/// every machine with IEEE 754 doubles.
RangeResult compute_range(RangeInputs inputs);

/// Of a job of several rounds, one after another: hours, days and dollars are summed in each draw.
/// An input of the same cause and field is one for all rounds, as stack and price are, and is drawn
/// once; ranges that the user gave to single rounds are inputs of their own.
RangeResult compute_range(std::vector<RangeInputs> rounds);

/// What is known about an estimate that decides the default spreads (table of model.md 10). A
/// spread falls away where the user gave a range of that input, or its value where that is exact.
struct SpreadContext {
  double gpus = 1;
  std::optional<double> mfu;  ///< empty: not known
  double mfu_sigma = 0.2;  ///< of the method near this scenario
  bool mfu_given = false;  ///< the user said the MFU
  bool stack_known = false;
  bool own_steps = false;    ///< `mfu_sigma` is of steps that the user measured, with all causes in it
  bool moe = false;
  bool vision = false;
  bool vision_rows = false;  ///< samples with images: `mfu_sigma` is of whole runs of that kind
  bool whole_runs = false;   ///< from scratch by software that nobody named, on a chip with rows
  bool goodput_given = false;   ///< a range, or goodput and production overhead both
  bool overhead_given = false;  ///< what is not steps was said: production overhead
  bool tokens_given = false;    ///< the number of tokens or samples was said
  bool tokens_ranged = false;
  bool own = false;
  bool price_given = false;        ///< of the GPU-hour, or with own of the chip
  bool electricity_given = false;  ///< price of electricity
  bool pue_given = false;
  bool experiments_ranged = false;
  double price_sigma = 0.25;  ///< of the quote
};
/// The default uncertain inputs; `out` is reused.
void default_spreads(const SpreadContext& context, std::vector<UncertainInput>& out);

/// What of the work is text, for ranges of its parts.
struct WorkShares {
  double text_tokens = 1;    ///< share of the tokens that are text
  bool tokens_given = true;  ///< else the tokens follow from the parameters (model.md 2.5)
};
/// The powers of a law; empty for Law::trial, which estimates at two values measure, and for
/// Law::steps.
std::optional<Exponents> known_exponents(Law law, const WorkShares& shares);

/// ln-mean and ln-standard deviation of a distribution; throws Error (usage) for one that reaches 0
/// or below, or whose ends are swapped.
struct LogMoments {
  double mean = 0;
  double sigma = 0;
};
LogMoments log_moments(const Distribution& distribution);

/// The method, and for each input its spread and where that comes from.
std::vector<Derivation> derive_range(const RangeResult& result);

}  // namespace trcost
