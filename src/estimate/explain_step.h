// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trcost/column.h"
#include "trcost/derivation.h"
#include "trcost/step_account.h"

namespace trcost {

/// The time of a step for --explain: rates, kernels by shape, each exchange with what hides it,
/// pipeline, update, and their sum, each with its formula.
std::vector<Derivation> derive_step(const StepAccount& account);

/// The same numbers as columns.
const Columns<StepAccount>& step_columns();

}  // namespace trcost
