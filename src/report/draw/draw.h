// SPDX-License-Identifier: Apache-2.0
// Any Page in the formats that people read.
#pragma once

#include <string>
#include <string_view>

#include "report/page.h"
#include "trcost/report.h"

namespace trcost {

std::string draw_text(const Page& page, const Style& style);
std::string draw_markdown(const Page& page);
/// Self-contained, without scripts; `command` stands at the end, as it was typed.
std::string draw_html(const Page& page, std::string_view command = {});

/// Figures as SVG, which take their colours from the page.
std::string svg_bars(const Bars& bars);
std::string svg_ranges(const Ranges& ranges);
std::string svg_curve(const Curve& curve);
std::string svg_heat(const Heat& heat);
/// Words at a place of a figure; `anchor` as of SVG: start, middle or end.
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);
/// The numbers behind it.
Table heat_table(const Heat& heat);

}  // namespace trcost
