// SPDX-License-Identifier: Apache-2.0
// One training on a cluster of a known size, and the size that a deadline asks for.
#pragma once

#include <functional>
#include <optional>

#include "estimate/question/question.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Dense peak of the precision in use, FLOP/s.
double step_peak_flops(const StepModel& model);

/// Useful tokens of the language model in one optimizer step.
double tokens_per_step(const ResolvedWork& work, const Layout& layout);

/// Optimizer steps of the whole training: tokens over tokens per step, and one at least, since a
/// part of a step takes as long as a step.
double optimizer_steps(const Task& task, const Layout& layout);

/// Sequences per step that published runs of this kind use on a cluster of this size.
double usual_batch(const Task& task, double gpus);

/// PerformanceSummary::batch_token_cost of a plan.
std::optional<double> batch_token_cost(const Task& task, const Execution& execution);

/// What is fixed of the layout on so many accelerators.
PlanRequest request_for(const Task& task, double gpus);

/// Plans the training on `gpus` accelerators, all of them. Throws as plan() does.
Execution execute(const Task& task, double gpus);

/// As execute(), empty where no layout fits and not every degree is given.
std::optional<Execution> execute_fitting(const Task& task, double gpus);

/// Seconds of all steps where the share `useful` of the time is steps.
double wall_seconds(const Task& task, const Execution& execution, double useful);

/// Accelerators whose failure interrupts the job: those that work. With a given MFU, which says
/// nothing of a layout, all of them.
double working_gpus(const Execution& execution);

/// Share of the wall-clock time that is steps, for so many working accelerators whose steps take so
/// long all together.
using UsefulShare = std::function<double(double gpus, double busy_seconds)>;

/// The training on as many of `gpus` accelerators as are done soonest: what --gpus answers. Throws
/// as plan() does.
Execution execute_asked(const Task& task, double gpus, const UsefulShare& useful);

/// Whether failures take so much of the time that fewer accelerators may be done sooner.
bool failures_take_much(const Task& task, const Execution& execution, const UsefulShare& useful);

/// The whole nodes that meet the deadline, as size_for_deadline() says. Throws Error
/// (no_answer) with the shortest time and its size where none does.
Execution size_cluster(const Task& task, const UsefulShare& useful, Notes& notes);

/// Cluster size and layout: the cluster asked for, with a warning where it misses a deadline that
/// was given, or the one that meets the deadline. Throws as plan() does.
Execution resolve_execution(const Task& task, const UsefulShare& useful, Notes& notes);

}  // namespace trcost::estimation
