// SPDX-License-Identifier: Apache-2.0
// The sheet of `trcost tco` that computes.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/workbook/calculation.h"
#include "study/tco/tco.h"

namespace trcost::report {

/// Returns `on demand`, `1-year terms`, `3-year terms` or `bought`.
std::string pricing_title(std::string_view pricing);

/// Returns a column per row of the answer: rents and their terms, or machines and the parts of
/// owning, with total, cost per used hour, cash and break-even as live formulas.
Calculation tco_budget(const TcoReport& report);

}  // namespace trcost::report
