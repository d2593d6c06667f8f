// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "planner/bounds.h"
#include "planner/plan.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Cache of bounds and recent plans of one StepModel, since solvers and sweeps repeat their
/// requests. A plan is reused only if the whole request is equal, so that results do not depend on
/// earlier requests.
class RecentPlans {
 public:
  explicit RecentPlans(const StepModel& model) : bounds_(model) {}

  /// Cached plan(), fitting_plan() and plan_with_idle().
  Plan all(const PlanRequest& request);
  std::optional<Plan> fitting(const PlanRequest& request);
  Plan with_idle(const PlanRequest& request, RunnerUp runner_up);
  /// plan_below(), which is not cached.
  std::optional<Plan> below(const PlanRequest& request, Idle idle, const TimeLimit& limit) {
    return plan_below(bounds_, request, idle, limit);
  }

 private:
  enum class Kind : std::uint8_t { all, fitting, with_idle, with_idle_best_only };
  struct Entry {
    std::uint64_t digest;
    Kind kind;
    PlanRequest request;
    std::optional<Plan> plan;
  };

  template <class Make>
  const std::optional<Plan>& find(Kind kind, const PlanRequest& request, const Make& make);

  Bounds bounds_;
  static constexpr std::size_t kMostKept = 128;  // more sizes than a deadline looks at
  std::vector<std::unique_ptr<Entry>> entries_;
  std::size_t oldest_ = 0;
};

}  // namespace trcost::planner
