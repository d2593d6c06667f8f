// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "performance/memory/memory_model.h"
#include "performance/training/step_model.h"
#include "planner/request.h"
#include "quantity/layers.h"
#include "trcost/error.h"

namespace trcost::planner {

class Bounds;

/// A training that does not fit on the GPUs of a request. The hint names the number that does.
class TooLarge : public Error {
 public:
  TooLarge(std::string message, std::string hint)
      : Error(ErrorKind::no_answer, std::move(message), std::move(hint)) {}
};

/// Whether a layout may leave GPUs of the request idle.
enum class Idle { none, some };
/// Whether a search also looks for the second-best layout, which takes it about twice as long.
enum class RunnerUp { none, find };

/// A chosen layout with its step time and memory.
struct Plan {
  Layout layout;
  StepTime time;
  MemoryUse memory;
  /// Best layout with another (tp, pp, cp, ep, sharding, recompute) that takes no less time.
  std::optional<Layout> runner_up;
  double runner_up_seconds = 0;
  double evaluated = 0;   ///< layouts whose step was computed
  double considered = 0;  ///< layouts that were ranked for it, at most kMostConsidered
};

/// Most layouts that a search ranks, so that it takes a fraction of a second for any request.
/// Structures that come later, with more stages and more ranks per sequence, are left out.
inline constexpr double kMostConsidered = 100'000;

/// Most layouts that an estimate of one platform ranks in all its searches: sizes for a deadline,
/// layouts near a given batch, the smallest cluster that fits.
inline constexpr double kMostLayoutsOfEstimate = 1'000'000;
/// Layouts that this thread has ranked so far.
double layouts_considered();

/// The layout with the most tokens per second that fits (model.md 5.4): every (tp, pp, vp, cp, ep,
/// micro-batch, sharding, recompute) that divides the model and the cluster. Ties go to the simpler
/// layout, so the result is deterministic. Throws Error (usage) if the given degrees do not
/// multiply to the GPUs or do not divide model or batch, naming which. Throws Error (no_answer) if
/// nothing fits, with the smallest number of GPUs that would, unless a given micro-batch fits with
/// a probability of at least 0.1: then it is the layout with the least memory.
Plan plan(const StepModel& model, const PlanRequest& request);

/// As plan(), but empty if no layout fits.
std::optional<Plan> fitting_plan(const StepModel& model, const PlanRequest& request);

/// As plan(), on as many of the GPUs as train fastest: 1,001 divide into no good layout, 1,000 of
/// them do. Some stay idle only if that is
/// clearly faster, or if nothing fits on all. Layout::gpus() is the number at work. With a
/// data-parallel or every degree given it is plan().
Plan plan_with_idle(const StepModel& model, const PlanRequest& request);

/// Smallest number of GPUs, in whole nodes beyond one node, on which a layout fits. Some of them
/// may stay idle. Empty if none up to `most`.
std::optional<double> smallest_cluster(const StepModel& model, const PlanRequest& request,
                                       double most);

/// Overloads that share the bounds of a model between searches.
Plan plan(Bounds& bounds, const PlanRequest& request);
std::optional<Plan> fitting_plan(Bounds& bounds, const PlanRequest& request);
Plan plan_with_idle(Bounds& bounds, const PlanRequest& request, RunnerUp runner_up);
/// Most seconds per sequence that are of interest, by the GPUs at work.
using TimeLimit = std::function<double(double gpus)>;
/// As fitting_plan() without a runner-up, or as plan_with_idle() if GPUs may stay idle. Empty if
/// nothing fits. Possibly empty if the best layout takes more than `limit`.
std::optional<Plan> plan_below(Bounds& bounds, const PlanRequest& request, Idle idle,
                               const TimeLimit& limit);

}  // namespace trcost::planner
