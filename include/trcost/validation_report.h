// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trcost/table.h"
#include "trcost/validate.h"

namespace trcost {

/// One row per measurement: facts, layout, predicted and measured tokens per second and GPU, error.
Table validation_table(const ValidationResult& result);
/// Median, 90th percentile and bias of the errors by accelerator, stack, precision, and so on.
Table validation_summary_table(const ValidationResult& result);
/// One sentence on all rows.
std::string validation_summary(const ValidationResult& result);

}  // namespace trcost
