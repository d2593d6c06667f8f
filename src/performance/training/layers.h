// SPDX-License-Identifier: Apache-2.0
// A micro-batch through the layers of one replica: kernels and the exchange inside a layer.
#pragma once

#include "performance/training/evaluation.h"
#include "performance/training/layer_cost.h"

namespace trcost {

/// Adds `part` to `sum`, `times` over.
void add(LayerTime& sum, const LayerTime& part, double times) noexcept;

/// Seconds on the device, without what the host takes to issue the kernels.
double device_forward(const LayerTime& time) noexcept;
double device_backward(const LayerTime& time) noexcept;

/// Modules before the first one that learns have no backward pass.
void drop_backward(LayerTime& time) noexcept;

/// All layers of the language model.
LayerTime language_layers(const Evaluation& at) noexcept;

/// All layers of the vision encoder; zero without one.
LayerTime encoder_layers(const Evaluation& at) noexcept;

}  // namespace trcost
