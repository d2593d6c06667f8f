// SPDX-License-Identifier: Apache-2.0
// The sheets that compute of subjects other than an estimate (report/workbook/budget.h). Each
// throws std::logic_error where a figure is not the answer's own to 1e-9 relative.
#pragma once

#include "quantity/layers.h"
#include "report/workbook/calculation.h"
#include "study/experiments/experiments.h"
#include "trcost/serving.h"

namespace trcost::report {

/// Attempts x GPU-hours of each x price; what is not filled of rented nodes apart, not in the
/// total.
Calculation experiments_budget(const ExperimentReport& report);
/// Dollars per million tokens from the price of a GPU-hour, tokens per second and what is sold.
Calculation serving_budget(const ServingReport& report);

}  // namespace trcost::report
