// SPDX-License-Identifier: Apache-2.0
// Published serving measurements: data/serving/measurements.csv.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "performance/serving/serving_model.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"

namespace trcost::study {

enum class ServingMode : std::uint8_t { online, offline, static_batch };

struct ServingMeasurement {
  std::string id, source, engine, model, accelerator;
  ServingLayout layout;
  WeightFormat format = WeightFormat::bf16;
  std::optional<bool> eight_bit_cache;
  ServingMode mode = ServingMode::online;
  bool by_user = false;  ///< run as users run it, else a tuned sweep
  double input_tokens = 0, output_tokens = 0;
  std::optional<double> concurrency;  ///< empty where all requests are queued
  std::optional<double> ttft_seconds, tpot_seconds;
  double output_per_gpu = 0;
};

/// Predicted over published rate from which no measurement supports a prediction.
inline constexpr double kWellAbovePublished = 1.5;

std::vector<ServingMeasurement> serving_measurements(const Catalog& catalog);

}  // namespace trcost::study
