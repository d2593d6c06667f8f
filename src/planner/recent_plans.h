// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "planner/plan.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Cache of recent plans of one StepModel, since solvers and sweeps repeat their requests. A plan
/// is reused only if the whole request is equal, so that results do not depend on earlier requests.
class RecentPlans {
 public:
  /// Cached plan(), fitting_plan() and plan_with_idle(). Every call needs the same model.
  Plan all(const StepModel& model, const PlanRequest& request);
  std::optional<Plan> fitting(const StepModel& model, const PlanRequest& request);
  Plan with_idle(const StepModel& model, const PlanRequest& request);

 private:
  enum class Kind : std::uint8_t { all, fitting, with_idle };
  struct Entry {
    std::uint64_t digest;
    Kind kind;
    PlanRequest request;
    std::optional<Plan> plan;
  };

  template <class Make>
  const std::optional<Plan>& find(Kind kind, const PlanRequest& request, const Make& make);

  static constexpr std::size_t kMostKept = 128;  // more sizes than a deadline looks at
  std::vector<std::unique_ptr<Entry>> entries_;
  std::size_t oldest_ = 0;
};

}  // namespace trcost::planner
