// SPDX-License-Identifier: Apache-2.0
// What pages of validations have in common.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "study/validate/validate.h"

namespace trcost::report {

Cell share_cell(double share);
Cell signed_share_cell(double share);
/// Errors by kind of row, and of all of them; those by source, whose names are long, in a table of
/// their own.
void add_validation_summaries(Page& page, const std::vector<ValidationSummary>& summaries,
                              const ValidationSummary& all);

/// A row that was published and predicted, as a point beside the diagonal.
struct MatchPoint {
  std::string name;
  std::string series;
  double measured = 0;
  double predicted = 0;
};
Curve match_curve(std::string title, std::string measured, const std::vector<MatchPoint>& points,
                  Table numbers);

}  // namespace trcost::report
