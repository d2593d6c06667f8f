// SPDX-License-Identifier: Apache-2.0
// Default uncertain inputs of an estimate: how uncertain each is, and its effect.
#pragma once

#include <optional>
#include <vector>

#include "quantity/layers.h"
#include "scenario/fields.h"
#include "trcost/uncertainty.h"

namespace trcost::cost {

/// Uncertainty of rollouts: number of rounds and mean length of responses. A value that the user
/// set is a plan, and a range replaces the default spread.
struct RolloutUncertainty {
  bool rounds_given = false, length_given = false;
  bool rounds_ranged = false, length_ranged = false;
  bool rest_ranged = false;  ///< another field of the amount of responses
  double length_hours = 1;   ///< exponent of the length in the time
  double length_tokens = 1;  ///< and in the tokens of a sequence
};

/// Knowledge about an estimate that decides the default spreads (table of model.md 10). An input
/// has no default spread if the user set a range of it, or an exact value.
struct UncertaintyContext {
  double gpus = 1;
  std::optional<double> mfu;  ///< empty: unknown
  double mfu_sigma = 0.2;     ///< of the method near this scenario
  bool mfu_given = false;     ///< the user set the MFU
  bool stack_known = false;
  double params = 0;         ///< of the model
  bool fine_tuning = false;  ///< adapters, or samples
  /// `mfu_sigma` is of steps that the user measured, with all causes in it.
  bool own_steps = false;
  bool moe = false;
  double image_share = 0;       ///< share of image tokens, 1 if samples are counted
  bool vision_rows = false;     ///< samples with images: `mfu_sigma` is of whole runs of that kind
  bool whole_runs = false;      ///< from scratch with unspecified software, on a chip with rows
  bool goodput_given = false;   ///< a range, or goodput and production overhead both
  bool overhead_given = false;  ///< the user set the production overhead
  bool project = false;         ///< restarts and second attempts count too
  bool tokens_given = false;    ///< the user set the number of tokens or samples
  bool tokens_ranged = false;
  bool length_assumed = false;  ///< samples of text whose length the user did not set
  std::optional<RolloutUncertainty> rollouts;  ///< instead of tokens
  bool own = false;
  bool price_given = false;        ///< of the GPU-hour, or with own of the chip
  bool electricity_given = false;  ///< price of electricity
  bool pue_given = false;
  bool experiments_ranged = false;
  double price_sigma = 0.25;    ///< of the quote
  double purchase_sigma = 0.2;  ///< with own: of the machines' value
};
/// Standard deviation of ln(rated power of a machine) about its draw (model.md 10).
inline constexpr double kPowerSigma = 0.1;
/// Standard deviation of ln(cost of energy): price, cooling and power.
double energy_sigma(bool price_given, bool pue_given);

/// Writes the default uncertain inputs to `out`, reusing its memory.
void default_uncertain_inputs(const UncertaintyContext& context, std::vector<UncertainInput>& out);

/// Share of text in the work, for ranges of its parts.
struct WorkShares {
  double text_tokens = 1;    ///< share of the tokens that are text
  bool tokens_given = true;  ///< else the tokens follow from the parameters (model.md 2.5)
};
/// The exponents of a law. Empty for Law::trial, which estimates at two values measure, and for
/// Law::steps.
std::optional<Exponents> known_exponents(Law law, const WorkShares& shares);

}  // namespace trcost::cost
