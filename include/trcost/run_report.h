// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trcost/table.h"
#include "trcost/validate_runs.h"

namespace trcost {

/// One row per published run.
Table run_table(const RunValidation& validation);
/// One sentence: how many runs the 80 % range holds, and where the others lie.
std::string run_summary(const RunValidation& validation);

}  // namespace trcost
