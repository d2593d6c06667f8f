// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "estimate/question/round_work.h"
#include "estimate/question/work/resolved_work.h"
#include "planner/recent_plans.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Stored size of the data and the workers that decode it.
struct DataSupply {
  double image_bytes = 0;  ///< one image or clip, as stored
  double text_bytes_per_token = 0;
  double workers = 0;  ///< processes per accelerator that decode and prepare images
};

/// The parts of a question that amounts, cluster size, layout and prices do not change.
struct Prepared {
  Prepared(ResolvedWork work_, const Platform& platform);
  ResolvedWork work;
  StepModel model;
  DataSupply supply;
  MethodQuality quality;
  std::string method;                      ///< quality in words
  std::string_view training;               ///< `pretrain`, `sft`, `ppo`
  std::shared_ptr<const RoundWork> round;  ///< of a training method with several phases
  std::unique_ptr<RecentPlans> plans = std::make_unique<RecentPlans>(model);
};

/// Prepares a work on a platform. Throws as resolve_platform() and resolve_round() do.
std::shared_ptr<const Prepared> prepare(ResolvedWork work, const Scenario& scenario,
                                        const Catalog& catalog, std::string_view accelerator,
                                        Notes& notes);

/// Notes the defaults of the software for images: loader workers and unfused attention.
void note_vision_habits(const Scenario& scenario, const Prepared& prepared, Notes& notes);

}  // namespace trcost::estimation
