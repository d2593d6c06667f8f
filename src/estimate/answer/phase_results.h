// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/cluster/execution.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// The phases of the job's rounds and what rollouts are like, into `out` whose hours and bill are
/// known; a plain run is one phase.
void add_phase_results(const Prepared& prepared, const Execution& execution, Estimate& out);

}  // namespace trcost::estimation
