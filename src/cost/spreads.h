// SPDX-License-Identifier: Apache-2.0
// Which inputs of an estimate are uncertain, how much, and what they move.
#pragma once

#include <optional>
#include <vector>

#include "quantity/layers.h"
#include "scenario/fields.h"
#include "trcost/uncertainty.h"

namespace trcost::cost {

/// Of a policy that writes its own data: rounds, and the mean length of what it writes. A value
/// that was said is a plan, a range takes the place of a spread.
struct RolloutSpread {
  bool rounds_given = false, length_given = false;
  bool rounds_ranged = false, length_ranged = false;
  bool rest_ranged = false;  ///< what else says how much is written
  double length_hours = 1;   ///< power of the length in the time
  double length_tokens = 1;  ///< and in the tokens of a sequence
};

/// What is known about an estimate that decides the default spreads (table of model.md 10). A
/// spread falls away where the user gave a range of that input, or its value where that is exact.
struct SpreadContext {
  double gpus = 1;
  std::optional<double> mfu;  ///< empty: not known
  double mfu_sigma = 0.2;     ///< of the method near this scenario
  bool mfu_given = false;     ///< the user said the MFU
  bool stack_known = false;
  /// `mfu_sigma` is of steps that the user measured, with all causes in it.
  bool own_steps = false;
  bool moe = false;
  double image_share = 0;      ///< of the tokens, by what images hold; 1 where samples were counted
  bool vision_rows = false;    ///< samples with images: `mfu_sigma` is of whole runs of that kind
  bool whole_runs = false;     ///< from scratch by software that nobody named, on a chip with rows
  bool goodput_given = false;  ///< a range, or goodput and production overhead both
  bool overhead_given = false;  ///< what is not steps was said: production overhead
  bool tokens_given = false;    ///< the number of tokens or samples was said
  bool tokens_ranged = false;
  std::optional<RolloutSpread> rollouts;  ///< instead of tokens
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

}  // namespace trcost::cost
