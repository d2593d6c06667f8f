// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "estimate/cluster/execution.h"
#include "estimate/question/cost/useful_time.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Share of a step that is exposed communication. Empty if steps are not modelled (a given MFU) or
/// a round has several kinds of work.
std::optional<double> network_share(const Execution& execution);

/// Fills the shares from dense peak to realised MFU of an estimate whose MFU is known. Share k is
/// the time of the terms before k over the time with k, so that they multiply to useful time / step
/// time. Goodput and production overhead follow. A given MFU is one term, and a round of several
/// kinds of work has no shares. Throws std::logic_error unless the shares multiply to MFU, goodput
/// and overhead within 1e-9.
void fill_waterfall(const Execution& execution, const UsefulTime& useful, Estimate& out);

/// Adds the phases of the job's rounds and the summary of rollouts to `out`, whose hours and bill
/// are known. A plain run is one phase.
void add_phase_results(const Prepared& prepared, const Execution& execution, Estimate& out);

}  // namespace trcost::estimation
