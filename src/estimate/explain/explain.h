// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cost/energy.h"
#include "cost/storage.h"
#include "estimate/cluster/execution.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Everything that an estimate was made from.
struct EstimateParts {
  const Question& question;
  const Execution& execution;
  const UsefulTime& useful;
  EnergyInputs energy;
  StorageInputs storage;
  [[nodiscard]] const ResolvedWork& work() const { return question.work(); }
  /// Null for a run of one phase.
  [[nodiscard]] const RoundWork* round() const { return question.prepared->round.get(); }
};

/// Appends the chain of --explain: each formula with its numbers and its source, in the order of
/// computation.
void add_derivations(const EstimateParts& parts, Estimate& out);

}  // namespace trcost::estimation
