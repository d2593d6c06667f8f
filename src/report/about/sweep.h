// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"
#include "trcost/sweep.h"

namespace trcost {

/// What a page and a workbook of a sweep need beside its rows.
struct SweepOrigin {
  std::string price_data_date;
  std::string command;
};

/// A page or a workbook of rows that are JSON Lines of `columns`: the figures of all of them over
/// the first axis of numbers, and the rows.
Document sweep_rows_document(const SweepPlan& plan,
                             const std::vector<const EstimateColumn*>& columns,
                             std::string_view lines, const SweepOrigin& origin);

}  // namespace trcost
