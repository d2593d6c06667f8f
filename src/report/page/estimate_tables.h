// SPDX-License-Identifier: Apache-2.0
// The tables that text, Markdown, HTML and the workbook share.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "trcost/report.h"

namespace trcost::report {

/// The platforms side by side, one column each; the cheapest is marked when there is something to
/// compare.
Table comparison_table(std::span<const Estimate> estimates,
                       std::span<const Estimator::Failure> failures, Detail detail = Detail::full);
/// A row per platform with what decides.
Table brief_table(std::span<const Estimate> estimates,
                  std::span<const Estimator::Failure> failures);
/// Terms that cost something, with what is left after each.
Table waterfall_table(const Estimate& estimate);
/// `5,645.7 GPU-hour`.
std::string item_quantity_words(const LineItem& item);
/// The bill: included rows, their total, then what is shown apart.
Table items_table(const Estimate& estimate);
/// What a device holds at its fullest moment, part by part.
Table memory_table(const Estimate& estimate);
Table range_table(std::span<const Estimate> estimates);
Table assumptions_table(std::span<const Assumption> assumptions);
/// The same under its heading on pages that are handed on; text leaves it out, up to the next
/// heading. `whose`: the platform that they are of.
void add_assumed(Page& page, std::span<const Assumption> assumptions, std::string_view whose = {});
Table stages_table(const Estimate& estimate);
/// What the phases of a round take; empty for a job of one phase.
Table phases_table(const Estimate& estimate);
/// Dollars of each phase on each platform, and where it is cheapest; empty where the phases differ.
Table phases_compared(std::span<const Estimate> estimates);

/// A term of the waterfall with what is left of the peak after it.
struct WaterfallStep {
  std::string_view term;
  double share = 1;
  double left = 1;
};
/// Those that take at least a thousandth.
std::vector<WaterfallStep> waterfall_steps(const Estimate& estimate);

/// Amounts as shown, so rounded that the shown rows of the total add up to the shown total. One per
/// item.
std::vector<std::string> shown_amounts(const CostResult& cost);

}  // namespace trcost::report
