// SPDX-License-Identifier: Apache-2.0
// Figures of a page of HTML. Places across are percentages and text has its own size, so a figure
// fills the width of a screen or a sheet and stays readable. The style sheet of the page gives the
// classes their colours.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/page/page.h"

namespace trcost::report {

std::string draw_bars(const Bars& bars);
std::string draw_ranges(const Ranges& ranges);
std::string draw_curve(const Curve& curve);
/// Returns a table with shaded cells.
std::string draw_heat(const Heat& heat);
/// Returns the values of a heat map as a table.
Table heat_table(const Heat& heat);

/// The marks of lines, by colour, which draw_curve() refers to: once per page.
extern const std::string_view kChartMarks;

}  // namespace trcost::report
