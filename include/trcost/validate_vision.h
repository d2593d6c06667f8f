// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trcost/catalog.h"
#include "trcost/runs.h"
#include "trcost/scenario.h"
#include "trcost/uncertainty.h"
#include "trcost/validate.h"

namespace trcost {

/// A published vision-language run beside what an estimate from its facts says. Rates are taken as
/// the GPU-hours of the scenario's samples, without failures and production overhead.
struct VisionReplay {
  const VisionRun* run = nullptr;
  std::string model, accelerator;
  std::string source;      ///< one vote: the repository or paper
  bool contrastive = false;
  double measured = 0;     ///< GPU-hours
  double predicted = 0;    ///< GPU-hours
  Quantiles range;         ///< of the GPU-hours
  double error = 0;        ///< predicted / measured - 1
  bool inside = false;     ///< P10 <= measured <= P90
  double weight = 0;       ///< one over the replayed rows of its source; 0: no row to fit to
  std::string problem;     ///< why there is no prediction, else empty
};

/// How far a set of runs is off, one vote per source: that of its mean ln(predicted / measured).
struct SourceVotes {
  int rows = 0;
  int sources = 0;
  double factor = 1;    ///< exp of the median |vote|
  double bias = 1;      ///< exp of the median vote
  double coverage = 0;  ///< share of the rows inside P10 to P90, weighted alike
};

struct VisionValidation {
  std::vector<VisionReplay> rows;
  SourceVotes vision;       ///< generative, rows to fit to
  SourceVotes contrastive;
  double left_out_factor = 0;  ///< of vision, constants fitted without the source; 0: not known
  double left_out_bias = 0;
  ValidationSummary all;    ///< of the rows to fit to
};

/// The scenario of a published row; throws Error (no_answer) where it cannot be asked.
Scenario vision_scenario(const VisionRun& run);

/// Estimates every row of data/runs/vision.csv whose facts can be asked. `filter.source` and
/// `filter.model` match a part, `filter.accelerator` and `filter.stack` the name.
VisionValidation validate_vision(const Catalog& catalog, const ValidationFilter& filter = {});

}  // namespace trcost
