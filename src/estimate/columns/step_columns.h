// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "performance/training/step_account.h"
#include "quantity/layers.h"
#include "text/column.h"

namespace trcost::estimation {

/// Columns of the account of a step, with the numbers of derive_step().
const Columns<StepAccount>& step_columns();

}  // namespace trcost::estimation
