// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "estimate/money.h"
#include "estimate/platform.h"
#include "estimate/resolve.h"
#include "estimate/round.h"
#include "planner/recent_plans.h"
#include "trcost/estimate.h"

namespace trcost {

/// Everything of an estimate that depends on neither cluster size, layout nor prices.
struct Prepared {
  Prepared(ResolvedWork work_, const Platform& platform);
  ResolvedWork work;
  StepModel model;
  MethodQuality quality;
  std::string method;                      ///< how good the method is, in words
  std::string_view training;               ///< `pretrain`, `sft`, `ppo`
  std::shared_ptr<const RoundWork> round;  ///< of a training method with several phases
  std::unique_ptr<RecentPlans> plans = std::make_unique<RecentPlans>();  ///< of `model`
};

/// Prepares a scenario on a platform. Throws as resolve_work() and resolve_platform() do.
Prepared prepare(const Scenario& scenario, const Catalog& catalog, std::string_view accelerator,
                 Notes& notes);

}  // namespace trcost
