// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantity/layers.h"
#include "report/workbook/calculation.h"
#include "report/workbook/workbook_file.h"

namespace trcost::report {

/// A sheet of it: inputs marked, all else formulas with the values that they have now, charts on
/// the right.
void draw_calculation(WorkbookFile& book, const Calculation& calculation);

}  // namespace trcost::report
