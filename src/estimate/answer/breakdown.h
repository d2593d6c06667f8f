// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "estimate/cluster/execution.h"
#include "estimate/question/cost/useful_time.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Share of a step that is exposed communication. Empty where steps are not modelled (a given MFU)
/// or a round is of several kinds of work.
std::optional<double> network_share(const Execution& execution);

/// The shares from dense peak to realised MFU, of an estimate whose MFU is known: share k is the
/// time of the terms before k over the time with k, so that they multiply to useful time / step
/// time; then goodput and production overhead. A given MFU is one term; of several kinds of work
/// there is no one way down. Throws std::logic_error unless the shares multiply to MFU, goodput and
/// overhead within 1e-9.
void fill_waterfall(const Execution& execution, const UsefulTime& useful, Estimate& out);

/// The phases of the job's rounds and what rollouts are like, into `out` whose hours and bill are
/// known; a plain run is one phase.
void add_phase_results(const Prepared& prepared, const Execution& execution, Estimate& out);

}  // namespace trcost::estimation
