// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "performance/training/step_model.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::estimation {

/// Error of the time of a round with rollouts on published rows.
MethodQuality round_quality(const RoundFramework& framework);
/// Error of the step model near this workload, from the residuals of the nearest published rows:
/// those of fine-tuning, if it trains adapters or `on_samples`.
MethodQuality method_quality(const Workload& workload, const Platform& platform, bool on_samples);
/// `analytic step model; median error 6 % on 88 published rows of dense pre-training on Hopper`.
std::string method_text(const MethodQuality& quality);

}  // namespace trcost::estimation
