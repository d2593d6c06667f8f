// SPDX-License-Identifier: Apache-2.0
// Estimates as a sheet of live formulas: the bill of each platform over its inputs.
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

/// Returns a sheet with a column per case. GPU-hours follow from tokens, FLOPs per token, MFU and
/// goodput, each item of the bill from its quantity per GPU-hour or day and its unit price, and the
/// total is their sum. Throws std::logic_error if a total is not that of the estimate to 1e-9.
Calculation budget_of(std::span<const BudgetCase> cases);
/// Returns a sheet with a column per platform.
Calculation budget_of(std::span<const Estimate> estimates);

}  // namespace trcost::report
