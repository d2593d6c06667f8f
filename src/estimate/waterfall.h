// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/useful_time.h"
#include "estimate/platform.h"
#include "trcost/estimate.h"

namespace trcost {

/// The shares from dense peak to realised MFU: share k is the time of the terms before k over the
/// time with k, so that they multiply to useful time / step time; then goodput and production
/// overhead. A given MFU is one term.
void add_waterfall(const Execution& execution, const UsefulTime& useful, Estimate& out);

/// Throws std::logic_error unless the shares multiply to `realised` within 1e-9.
void check_waterfall(const Estimate& estimate, double realised);

}  // namespace trcost
