// SPDX-License-Identifier: Apache-2.0
// Tables of an estimate that text, Markdown, HTML and the workbook share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "trcost/report.h"

namespace trcost::report {

/// Returns the bill: included items, their total, then items that are not in the total.
Table items_table(const Estimate& estimate);
/// Returns the quantity of an item with its unit: `5,645.7 GPU-hour`.
std::string item_quantity_words(const LineItem& item);
/// Returns the amount of each item, rounded so that those of the total add up to the shown total.
std::vector<std::string> shown_amounts(const CostResult& cost);

/// A term of the efficiency waterfall, and the share of the peak that is left after it.
struct WaterfallStep {
  std::string_view term;
  double share = 1;
  double left = 1;
};
/// Returns the terms that cost at least half a thousandth.
std::vector<WaterfallStep> waterfall_steps(const Estimate& estimate);
/// Returns waterfall_steps() as a table.
Table waterfall_table(const Estimate& estimate);

/// Returns the memory of the fullest device at its peak, part by part.
Table memory_table(const Estimate& estimate);
/// Returns P10, P50 and P90 of total, GPU-hours and wall clock of each platform.
Table range_table(std::span<const Estimate> estimates);
/// Returns a row per stage of training.
Table stages_table(const Estimate& estimate);
/// Returns a row per phase of a round, or no rows for a job of one phase.
Table phases_table(const Estimate& estimate);
/// Returns the cost of each phase on each platform, or no rows if the platforms' phases differ.
Table phase_cost_table(std::span<const Estimate> estimates);
Table assumptions_table(std::span<const Assumption> assumptions);
/// Adds a table of assumptions for all formats but text. `platform` names the one they are of.
void add_assumption_table(Page& page, std::span<const Assumption> assumptions,
                          std::string_view platform = {});

}  // namespace trcost::report
