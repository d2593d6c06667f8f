// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "catalog/runs/runs.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"
#include "trcost/uncertainty.h"

namespace trcost::study {

/// A published training run and its range, estimated from its model, tokens and hardware alone.
struct RunReplay {
  const PublishedRun* run = nullptr;
  std::string accelerator;  ///< catalog name
  std::string model;        ///< catalog name, or the parameters where the shape follows a rule
  double reported = 0;      ///< GPU-hours
  double predicted = 0;
  Quantiles range;      ///< of the GPU-hours
  double error = 0;     ///< predicted / reported - 1
  bool inside = false;  ///< P10 <= reported <= P90
  std::string problem;  ///< why there is no prediction, else empty
};

struct RunValidation {
  std::vector<RunReplay> rows;
  int replayed = 0;
  int inside = 0;
  int below = 0;            ///< reported less than P10
  int above = 0;            ///< reported more than P90
  double coverage = 0;      ///< inside / replayed, ideally 0.8
  double median_ratio = 0;  ///< reported / predicted
  double median_error = 0;  ///< of |error|
  int families = 0;         ///< of models, one vote each: the first word of the name
  double factor = 1;        ///< exp of the median |ln(predicted / reported)| of the votes
  double bias = 1;          ///< exp of the median ln(predicted / reported) of the votes
  /// Factor and bias with the overheads of a clean run fitted without the family.
  double left_out_factor = 1;
  double left_out_bias = 1;
};

/// The scenario of a published run: model (or parameters), tokens, accelerator, GPUs, precision.
/// Throws Error (no_answer) where one of them is not known.
Scenario run_scenario(const Catalog& catalog, const PublishedRun& run);

/// Estimates every pre-training run whose tokens and hardware are known and compares the GPU-hours.
/// Published figures differ in what they include (evaluations, restarts, second attempts), so this
/// judges the width of the range rather than the step time.
RunValidation validate_runs(const Catalog& catalog);

}  // namespace trcost::study
