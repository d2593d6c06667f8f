// SPDX-License-Identifier: Apache-2.0
// One training on a cluster of a known size, and the size that a deadline asks for.
#pragma once

#include "estimate/platform.h"

namespace trcost {

/// Dense peak of the precision in use, FLOP/s.
double peak_flops(const StepModel& model);

/// Plans the training on `gpus` accelerators, all of them. Throws as plan() does.
Execution execute(const Scenario& scenario, const ResolvedWork& work, const StepModel& model,
                  double gpus);

/// As execute(), empty where no layout fits and not every degree is given.
std::optional<Execution> execute_fitting(const Scenario& scenario, const ResolvedWork& work,
                                         const StepModel& model, double gpus);

/// Seconds of all steps where the share `useful` of the time is steps.
double wall_seconds(const ResolvedWork& work, const Execution& execution, double useful);

/// The fewest whole nodes that meet `hardware.deadline`, as size_for_deadline() says. Throws Error
/// (no_answer) with the shortest time and its size where none does.
Execution size_cluster(const Scenario& scenario, const ResolvedWork& work, const StepModel& model,
                       const UsefulShare& useful, Notes& notes);

}  // namespace trcost
