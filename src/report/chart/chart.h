// SPDX-License-Identifier: Apache-2.0
// Figures as SVG. The style sheet of the page gives the classes their colours.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/page/page.h"

namespace trcost::report {

std::string svg_bars(const Bars& bars);
std::string svg_ranges(const Ranges& ranges);
std::string svg_curve(const Curve& curve);
std::string svg_heat(const Heat& heat);
/// Returns the values of a heat map as a table.
Table heat_table(const Heat& heat);

}  // namespace trcost::report
