// SPDX-License-Identifier: Apache-2.0
// What `solve` answers, cut into the parts that each format puts together.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/about/solve/solve_report.h"
#include "report/page/page.h"
#include "report/table/table.h"

namespace trcost::report {

/// A row per platform: the unknowns, the target and what they cost. Why one is not solved stands on
/// stderr.
Table solutions_table(const SolveReport& report);

/// What else would reach the target, and at what price.
Table choices_table(const Solution& solution);

/// The unknown exactly, as it may be given back, and what comes of it.
std::string exact_line(const Solution& solution, const SolveTarget& target);

/// The estimates at the answers.
std::vector<Estimate> solution_estimates(const SolveReport& report);

/// What the estimates at the answers warn of, each once, with the platform where not all have it.
std::vector<std::string> solution_warnings(const SolveReport& report);

/// What a cluster produces in its time: FLOP, dollars, and the model that these train.
std::vector<Fact> cluster_facts(const ClusterRun& run, const Solution& solution);

}  // namespace trcost::report
