// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost::study {

/// same_training() of an answer. One of several stages, or of a given MFU, is taken as it is.
bool same_training(const Scenario& asked, const Estimate& answer);

}  // namespace trcost::study
