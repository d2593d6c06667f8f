// SPDX-License-Identifier: Apache-2.0
// The second and third link of the chain: a question with its cluster and layout, and the answer.
#pragma once

#include <string>

#include "estimate/answer/range_inputs.h"
#include "estimate/cluster/execution.h"
#include "estimate/question/question.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// A question with its cluster, its layout and its useful time.
struct PlannedRun {
  Execution execution;
  UsefulTime useful;
  std::optional<double> wall_clock_seconds = {};  ///< measured
};

/// Chooses cluster and layout of a question. Throws as resolve_execution() does.
PlannedRun plan_run(const Question& question, Notes& notes);

/// Applies a measured pace to a run. Its plan and the share of the time that is steps stay.
void set_pace(const Pace& pace, PlannedRun& run);

/// Computes clock and bill of a planned run into `out`, whose memory is reused. The range is drawn
/// for the whole job.
void answer(const Question& question, const PlannedRun& run, const EstimateOptions& options,
            Notes& notes, Estimate& out);

/// Sentence about what the total of a run of less than an hour leaves out, though it is no longer
/// small beside it.
std::string start_up_words(bool own);

/// Inputs of the range of a round with this answer. `trial` measures the effect of ranges without a
/// known exponent.
RangeInputs range_inputs(const Question& question, const PlannedRun& run, const Estimate& round,
                         const Trial& trial);

}  // namespace trcost::estimation
