// SPDX-License-Identifier: Apache-2.0
// How layers spread over pipeline stages, and what waiting for one another costs.
#pragma once

namespace trcost {

/// Seconds of one micro-batch on the parts that a pipeline places.
struct StageParts {
  double layers = 1;       ///< of the language model
  double layer = 0;        ///< seconds of one, forward and backward
  double head = 0;         ///< output matrix and loss, on the last stage
  double head_layers = 0;  ///< head_in_layers()
  double encoder = 0;      ///< on the first stage
};

struct StageTimes {
  double mean = 0;     ///< over the stages
  double slowest = 0;  ///< what a micro-batch takes in steady state
};

/// Layers are dealt as stage_layers() does; an encoder is balanced against them to within half of one.
StageTimes stage_times(const StageParts& parts, double stages) noexcept;

/// (p - 1)/v: stage times lost while the pipeline fills and drains (Narayanan et al. 2104.04473,
/// section 2.2).
double bubble_stages(double stages, double virtual_stages) noexcept;

}  // namespace trcost
