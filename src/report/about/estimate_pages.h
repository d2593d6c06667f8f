// SPDX-License-Identifier: Apache-2.0
// What text says of an estimate where not all is asked for.
#pragma once

#include "report/page.h"
#include "trcost/report.h"

namespace trcost {

/// One screen: the question, the platforms side by side, of the cheapest the bill, its range and
/// what would change it, what was assumed that matters most; the answer last.
Page estimate_screen(const Report& report);
/// A line per platform.
Page estimate_brief(const Report& report);
/// The phases of a round, where there are several.
void add_phases(Page& page, const Estimate& estimate);
/// What stands where no platform has an answer.
Page without_answer(const Report& report);

}  // namespace trcost
