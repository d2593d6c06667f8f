// SPDX-License-Identifier: Apache-2.0
// What pages of validations have in common.
#pragma once

#include <vector>

#include "trcost/table.h"
#include "trcost/validate.h"

namespace trcost {

Cell share_cell(double share);
Cell signed_share_cell(double share);
/// Errors by kind of row, and of all of them.
Table validation_summary_table(const std::vector<ValidationSummary>& summaries,
                               const ValidationSummary& all);

}  // namespace trcost
