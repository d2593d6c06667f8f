// SPDX-License-Identifier: Apache-2.0
// The figures behind the what-if strip of a page.
#pragma once

#include <cstddef>
#include <string>

#include "quantity/layers.h"
#include "report/workbook/calculation.h"

namespace trcost::report {

/// Returns the cells of a calculation as JSON in an element that kWhatIfScript reads. A cell is a
/// number, null, `["*", scale, cells...]` or `["+", cells...]`. A cell is named by its place, from
/// 1, line by line, and a negative name divides or subtracts. `first` is the column to begin with.
std::string what_if_data(const Calculation& calculation, std::size_t first);

}  // namespace trcost::report
