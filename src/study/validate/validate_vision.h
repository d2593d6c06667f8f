// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "study/validate/replay.h"
#include "study/validate/validate.h"
#include "trcost/catalog.h"

namespace trcost::study {

/// A published vision-language run in GPU-hours. Rates are taken as those of the scenario's
/// samples, without failures and production overhead.
struct VisionReplay : Replay {
  bool contrastive = false;
};

struct VisionValidation {
  std::vector<VisionReplay> rows;
  SourceVotes vision;  ///< generative, rows to fit to
  SourceVotes contrastive;
  std::optional<double> left_out_factor;  ///< of vision, constants fitted without the source
  std::optional<double> left_out_bias;
  ValidationSummary all;  ///< of the rows to fit to
};

/// Estimates every row of data/runs/vision.csv whose facts can be asked. `filter.source` and
/// `filter.model` match a part, `filter.accelerator` and `filter.stack` the name.
VisionValidation validate_vision(const Catalog& catalog, const ValidationFilter& filter = {});

}  // namespace trcost::study
