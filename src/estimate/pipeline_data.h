// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/resolve.h"
#include "trcost/estimate.h"

namespace trcost {

/// What reading and decoding the data has to deliver at the estimate's speed (model.md 7): images
/// and bytes per second, CPU cores that decode, bytes of the dataset, and whether it keeps up; the
/// verdict only `in_words`.
void add_data_pipeline(const Scenario& scenario, const ResolvedWork& work, bool in_words,
                       Estimate& out);

}  // namespace trcost
