// SPDX-License-Identifier: Apache-2.0
// The answer of a sweep: its best row as a sentence, and the figure that fits its axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "study/sweep/plan.h"
#include "trcost/bill.h"

namespace trcost::report {

/// The price of a row, in words.
struct SweepPrice {
  PriceEvidence evidence = PriceEvidence::quotes;
  std::string doubt;  ///< `of any region`, `of 2025-H2`, or empty
  std::string term;   ///< sentence about the term of a reserved price, or empty
};

/// The rows of a sweep as people see them. The first columns are the axes.
struct SweepView {
  const SweepPlan& plan;
  std::vector<const ColumnInfo*> columns;
  const Table& table;
  std::vector<SweepPrice> prices;  ///< one per row
};

/// Returns `Cheapest of 112 settings: $9,209 with GPUs 8, ...`, or nothing without such a row, with
/// doubts about its price. If a row at a single quote or an estimated price is better, it is named
/// second.
std::string sweep_sentence(const SweepView& view);

/// Adds the two columns of --pareto, else a heat map of two numeric axes, else lines over a numeric
/// axis, else bars.
void add_sweep_figure(Page& page, const SweepView& view);

/// Returns the chart of a workbook: over time if the rows have it, else over an axis, with a line
/// per platform.
std::optional<Curve> sweep_chart(const SweepView& view);

}  // namespace trcost::report
