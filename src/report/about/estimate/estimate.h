// SPDX-License-Identifier: Apache-2.0
// Parts of the page of an estimate, and the shorter pages of text.
#pragma once

#include <span>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "trcost/report.h"

namespace trcost::report {

/// Returns one screen: the answer, the platforms side by side, what decides, and the defaults that
/// matter most.
Page estimate_screen(const Report& report);
/// Returns a line per platform.
Page estimate_brief(const Report& report);

/// Returns the page of a report without an answer on any platform.
Page failure_page(const Report& report);

// Each of these adds a heading and its pieces, or nothing if there is nothing to show.

void add_bill(Page& page, const Estimate& estimate);
/// Adds a bar per platform on a common scale, then the sources of the range of one platform.
void add_range(Page& page, const Report& report, const Estimate& detailed);
/// Adds a bar per platform on a common scale, without a heading.
void add_platform_ranges(Page& page, const Report& report);
/// Adds the shares of the inputs in the range of the total.
void add_drivers(Page& page, const Estimate& estimate);
void add_waterfall(Page& page, const Estimate& estimate);
void add_memory(Page& page, const Estimate& estimate);
/// Adds a curve of cost over time per platform, and the frontier of all.
void add_clusters(Page& page, const Report& report);
void add_phases(Page& page, const Estimate& estimate);
/// Adds the cost of each phase on each platform.
void add_phase_costs(Page& page, std::span<const Estimate> estimates);
/// Adds the reason of each platform without an answer.
void add_failures(Page& page, const Report& report);

}  // namespace trcost::report
