// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/answer/money.h"
#include "estimate/cluster/execution.h"
#include "estimate/question/round_work.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Everything that an estimate was made from.
struct EstimateParts {
  const Question& question;
  const Execution& execution;
  const UsefulTime& useful;
  [[nodiscard]] const ResolvedWork& work() const { return question.work(); }
  /// Null of a plain run.
  [[nodiscard]] const RoundWork* round() const { return question.prepared->round.get(); }
};

/// The chain of --explain: each formula with the numbers put in and its source, in the order in
/// which they are computed.
void add_derivations(const EstimateParts& parts, Estimate& out);

/// Its part from the FLOPs of a step to the GPU-hours, of rounds of several phases.
void add_round(const EstimateParts& parts, Estimate& out);

}  // namespace trcost::estimation
