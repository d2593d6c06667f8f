// SPDX-License-Identifier: Apache-2.0
// Platforms side by side.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/table/table.h"
#include "trcost/report.h"

namespace trcost::report {

/// Returns the title of a platform, without its memory if no other platform of the answer has the
/// same one: `H100 SXM`.
std::string platform_label(const Estimate& estimate, std::span<const Estimate> all);

/// Returns the platforms that fit and have a price first, by evidence of the price, then by cost.
std::vector<const Estimate*> sort_platforms(std::span<const Estimate> estimates);

/// Returns `+15%` of the best, `cheapest`, `best quoted` or its evidence of a best that a less
/// certain price undercuts, or why the two are not compared: another evidence of the price, or
/// memory.
Cell difference_cell(const Estimate& estimate, const Estimate& best, std::span<const Estimate> all);

/// Returns a table with a column per platform. The cheapest is marked if there are several.
Table comparison_table(std::span<const Estimate> estimates,
                       std::span<const Estimator::Failure> failures, Detail detail = Detail::full);
/// Returns a table with a row per platform.
Table brief_table(std::span<const Estimate> estimates,
                  std::span<const Estimator::Failure> failures);

/// Returns the lines that are about `shown` or about no platform in particular.
std::vector<std::string> warnings_about(const Estimate& shown, std::span<const Estimate> all,
                                        std::vector<std::string> lines);

}  // namespace trcost::report
