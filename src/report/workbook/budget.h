// SPDX-License-Identifier: Apache-2.0
// Estimates as a sheet to go on with: the bill of each platform as formulas over its inputs.
#pragma once

#include <span>
#include <string>

#include "quantity/layers.h"
#include "report/workbook/calculation.h"
#include "trcost/estimate.h"

namespace trcost::report {

/// A column of a budget.
struct BudgetCase {
  std::string title;
  const Estimate* estimate = nullptr;
};

/// A column per case. GPU-hours follow from tokens, FLOPs per token, MFU and goodput; every row of
/// the bill from its quantity per GPU-hour or day and its unit price; the total is their sum.
/// Throws std::logic_error where that is not the estimate's own total to 1e-9 relative.
Calculation budget_of(std::span<const BudgetCase> cases);
/// A case per platform.
Calculation budget_of(std::span<const Estimate> estimates);

}  // namespace trcost::report
