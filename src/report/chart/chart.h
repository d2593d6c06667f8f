// SPDX-License-Identifier: Apache-2.0
// What several drawers of a Page draw alike.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/page/page.h"

namespace trcost::report {

/// Figures as SVG, which take their colours from the page.
std::string svg_bars(const Bars& bars);
std::string svg_ranges(const Ranges& ranges);
std::string svg_curve(const Curve& curve);
std::string svg_heat(const Heat& heat);
/// Words at a place of a figure; `anchor` as of SVG: start, middle or end.
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);
/// The numbers behind it.
Table heat_table(const Heat& heat);

}  // namespace trcost::report
