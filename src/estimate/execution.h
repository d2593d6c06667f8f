// SPDX-License-Identifier: Apache-2.0
// One training on a cluster of a known size, and the size that a deadline asks for.
#pragma once

#include <functional>
#include <optional>

#include "estimate/prepared.h"

namespace trcost {

/// Dense peak of the precision in use, FLOP/s.
double peak_flops(const StepModel& model);
/// The chip's own in a precision; 0 where it has none.
double peak_flops(const StepModel& model, Precision precision);

/// Plans the training on `gpus` accelerators, all of them. Throws as plan() does.
Execution execute(const Scenario& scenario, const Prepared& prepared, double gpus);

/// As execute(), empty where no layout fits and not every degree is given.
std::optional<Execution> execute_fitting(const Scenario& scenario, const Prepared& prepared,
                                         double gpus);

/// Seconds of all steps where the share `useful` of the time is steps.
double wall_seconds(const ResolvedWork& work, const Execution& execution, double useful);

/// Accelerators whose failure interrupts the job: those that work. With a given MFU, which says
/// nothing of a layout, all of them.
double working_gpus(const Execution& execution);

/// Share of the wall-clock time that is steps, for so many working accelerators whose steps take so
/// long all together.
using UsefulShare = std::function<double(double gpus, double busy_seconds)>;

/// The fewest whole nodes that meet `hardware.deadline`, as size_for_deadline() says. Throws Error
/// (no_answer) with the shortest time and its size where none does.
Execution size_cluster(const Scenario& scenario, const Prepared& prepared,
                       const UsefulShare& useful, Notes& notes);

/// Cluster size and layout: `hardware.gpus`, or the fewest whole nodes that meet the deadline.
/// Throws as plan() does.
Execution resolve_execution(const Scenario& scenario, const Prepared& prepared,
                            const UsefulShare& useful, Notes& notes);

}  // namespace trcost
