// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "planner/planner.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Plans of one StepModel that were made lately: a solver's tries and the rows of a sweep ask for
/// the same ones again. One is used only where the whole request is equal, so that what is found
/// does not depend on what was asked before.
class RecentPlans {
 public:
  /// plan(), fitting_plan() and plan_with_idle(), of the same model each time.
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
