// SPDX-License-Identifier: Apache-2.0
// What text says of an estimate where not all is asked for.
#pragma once

#include <span>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "trcost/report.h"

namespace trcost::report {

/// One screen: the question, the platforms side by side, of the cheapest the bill, its range and
/// what would change it, what was assumed that matters most; the answer last.
Page estimate_screen(const Report& report);
/// A line per platform.
Page estimate_brief(const Report& report);
/// Pieces of the whole page, each under its heading; nothing where there is nothing to draw. The
/// bill with its rows as shares of the total.
void add_bill(Page& page, const Estimate& estimate);
/// One line per platform on a common scale, then what makes the range of the one in detail.
void add_range(Page& page, const Report& report, const Estimate& detailed);
void add_waterfall(Page& page, const Estimate& estimate);
void add_memory(Page& page, const Estimate& estimate);
/// What time costs: a line per platform over its cluster sizes, and the best of all.
void add_clusters(Page& page, const Report& report);
/// The phases of a round, where there are several.
void add_phases(Page& page, const Estimate& estimate);
/// Which platform each phase is cheapest on.
void add_phases_compared(Page& page, std::span<const Estimate> estimates);
/// The platforms without an answer, each with the reason; nothing where all have one.
void add_failures(Page& page, const Report& report);
/// What stands where no platform has an answer.
Page without_answer(const Report& report);
/// A page that begins with the question.
Page page_of_question(const Report& report);

}  // namespace trcost::report
