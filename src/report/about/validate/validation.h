// SPDX-License-Identifier: Apache-2.0
// Parts of pages that validations share.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "study/validate/validate.h"

namespace trcost::report {

/// Returns tokens per second without decimals or grouping.
Cell rate_cell(double tokens);
/// Returns a share as `12.3 %`.
Cell share_cell(double share);
/// Returns a share as `+12.3 %`.
Cell signed_share_cell(double share);
/// Adds errors by kind of row and of all rows, then a table of errors by source.
void add_validation_summaries(Page& page, const std::vector<ValidationSummary>& summaries,
                              const ValidationSummary& all);

/// A published and a predicted value.
struct MatchPoint {
  std::string name;
  std::string series;
  double measured = 0;
  double predicted = 0;
};
/// Returns predicted over published values with the diagonal, a series for each name in the points.
Curve match_curve(std::string title, std::string measured, const std::vector<MatchPoint>& points,
                  Table numbers);

}  // namespace trcost::report
