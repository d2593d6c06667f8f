// SPDX-License-Identifier: Apache-2.0
// The second and third link of the chain: a question with its cluster and layout, and the answer.
#pragma once

#include "estimate/answer/range_inputs.h"
#include "estimate/cluster/execution.h"
#include "estimate/question/question.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// A question with its cluster, its layout and what of the time is steps.
struct PlannedRun {
  Execution execution;
  UsefulTime useful;
  std::optional<double> wall_clock_seconds = {};  ///< measured
};

/// Chooses what the question leaves open. Throws as resolve_execution() does.
PlannedRun plan_run(const Question& question, Notes& notes);

/// Puts a measured pace on what the model found: its plan, and the share of the time that is steps,
/// stay.
void set_pace(const Pace& pace, PlannedRun& run);

/// Clock and bill of a run question, into `out` whose memory is reused; the range is the job's.
void answer(const Question& question, const PlannedRun& run, const EstimateOptions& options,
            Notes& notes, Estimate& out);

/// What the range of a round with this answer is drawn from. `trial` is for ranges whose effect has
/// to be tried.
RangeInputs range_inputs(const Question& question, const PlannedRun& run, const Estimate& round,
                         const Trial& trial);

}  // namespace trcost::estimation
