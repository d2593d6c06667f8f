// SPDX-License-Identifier: Apache-2.0
// Clusters whose number of GPUs divides into no good layout.
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "planner/space.h"
#include "trcost/error.h"

namespace trcost {
namespace {

// Less than that is within what the step model can tell.
constexpr double kIdleGain = 1.02;
constexpr double kFarBatch = 2;  // penalty of a batch
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Fewer GPUs than given, down to half of them, with ever fewer significant bits; whole nodes where
/// those given are.
std::vector<double> fewer(double gpus, double node) {
  const bool whole_nodes = std::fmod(gpus, node) == 0;
  std::vector<double> out;
  double last = gpus;
  for (double unit = 2; unit <= gpus; unit *= 2) {
    const double n = std::floor(gpus / unit) * unit;
    if (n == last || (whole_nodes && std::fmod(n, node) != 0)) continue;
    out.push_back(n);
    last = n;
  }
  return out;
}

double per_sequence(const Plan& plan) { return plan.time.seconds / plan.layout.global_batch; }

/// Seconds per sequence as the search compares them; infinite where the plan does not fit.
double score(const StepModel& model, const PlanRequest& request, const Plan& plan) {
  if (!plan.memory.fits) return kInfinity;
  const double penalty = SearchSpace(model, request).batch_penalty(plan.layout.global_batch);
  return per_sequence(plan) * penalty;
}

}  // namespace

Plan plan_with_idle(const StepModel& model, const PlanRequest& request) {
  if (request.complete() || request.dp) return plan(model, request);
  std::optional<Plan> best;
  std::optional<Error> problem;
  double least = kInfinity;
  try {
    best = plan(model, request);
    least = score(model, request, *best);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::no_answer) throw;
    problem = error;
  }
  for (const double gpus : fewer(request.gpus, model.platform().system->gpus_per_node)) {
    PlanRequest part = request;
    part.gpus = gpus;
    const double enough = best && best->layout.gpus() == request.gpus ? least / kIdleGain : least;
    std::optional<Plan> found = plan_below(model, part, enough);
    if (!found) continue;
    // A batch nearer to the one asked for is no reason to leave GPUs idle, unless the other is so far
    // from it as to be another training.
    if (least == kInfinity || least > kFarBatch * per_sequence(*best) ||
        per_sequence(*found) < per_sequence(*best)) {
      least = score(model, part, *found);
      best = std::move(found);
    }
  }
  if (!best) throw Error(*problem);
  return *best;
}

}  // namespace trcost
