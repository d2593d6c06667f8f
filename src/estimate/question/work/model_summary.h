// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Names and sizes of the model for reports.
ModelSummary describe_model(const ResolvedWork& work);

}  // namespace trcost::estimation
