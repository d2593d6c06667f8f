// SPDX-License-Identifier: Apache-2.0
// Published serving measurements, replayed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "performance/serving/serving_model.h"
#include "quantity/layers.h"
#include "study/validate/validate.h"
#include "trcost/catalog.h"

namespace trcost::study {

/// A measurement and its prediction. Rates are output tokens per second and GPU.
struct ServingReplay {
  std::string id, model, accelerator, engine, source, group;
  std::string_view precision;
  ServingLayout layout;
  double input_tokens = 0, output_tokens = 0;
  std::optional<double> concurrency;  ///< empty where all requests are queued
  bool queued = false;
  double measured = 0;
  std::optional<double> predicted;  ///< empty where the memory model holds no request
  std::optional<double> error;      ///< predicted / measured - 1
  double weight = 0;  ///< one vote for a model, chip, format, number of GPUs and engine
};

struct ServingValidation {
  std::vector<ServingReplay> rows;
  ValidationSummary all;
  std::vector<ValidationSummary> summaries;  ///< by model, accelerator, engine
  double ordered_rightly = 0;  ///< share of the pairs of chips that differ by over a tenth
};

/// Predicts every row of data/serving/measurements.csv that the filter accepts. `filter.stack` is
/// the engine. `filter.task` is ignored.
ServingValidation validate_serving(const Catalog& catalog, const ValidationFilter& filter = {});

}  // namespace trcost::study
