// SPDX-License-Identifier: Apache-2.0
// Published rounds and whole runs of post-training, replayed.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "study/validate/replay.h"
#include "study/validate/validate.h"
#include "trcost/catalog.h"

namespace trcost::study {

/// A replay in seconds of a round, or in GPU-hours of a whole run, as `run->unit` says.
struct PosttrainingReplay : Replay {
  std::string framework, method, placement;
  bool whole = false;              ///< a whole run
  std::optional<double> left_out;  ///< predicted with its model or source left out of the fit
  double left_out_sigma = 0;       ///< of ln, likewise
};

struct PosttrainingValidation {
  std::vector<PosttrainingReplay> rows;
  ValidationSummary all;  ///< of rounds
  /// Summaries of rounds by framework, model, accelerator and placement.
  std::vector<ValidationSummary> summaries;
  SourceVotes runs;  ///< whole runs
};

/// Estimates every row of data/serving/posttraining.csv whose facts can be asked. `filter.source`
/// and `filter.model` match a part, `filter.accelerator` the name, `filter.stack` the framework,
/// `filter.task` the method.
PosttrainingValidation validate_posttraining(const Catalog& catalog,
                                             const ValidationFilter& filter = {});

}  // namespace trcost::study
