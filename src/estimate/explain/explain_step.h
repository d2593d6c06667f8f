// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "performance/training/step_account.h"
#include "quantity/layers.h"
#include "trcost/bill.h"

namespace trcost::estimation {

/// The time of a step for --explain: rates, kernels by shape, each exchange with what hides it,
/// pipeline, update, and their sum, each with its formula.
std::vector<Derivation> derive_step(const StepAccount& account);

}  // namespace trcost::estimation
