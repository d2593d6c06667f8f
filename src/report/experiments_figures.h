// SPDX-License-Identifier: Apache-2.0
// The figures of a study for machines: JSON, and the same paths as columns.
#pragma once

#include <string>

#include "trcost/experiments.h"
#include "trcost/table.h"

namespace trcost {

/// One line per experiment and platform, the platform's figures beside it.
Table experiments_rows(const ExperimentReport& report);
/// The same figures, nested by their paths.
std::string experiments_json(const ExperimentReport& report);

}  // namespace trcost
