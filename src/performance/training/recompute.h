// SPDX-License-Identifier: Apache-2.0
// Forward work that the backward pass does again.
#pragma once

#include "performance/training/evaluation.h"
#include "performance/training/layer_cost.h"

namespace trcost {

struct RepeatedAccount;

/// Seconds of a forward pass of the language model that route tokens to experts.
double routing_seconds(const Evaluation& at) noexcept;

/// Seconds of a micro-batch, `routing` of which no recomputation of norms and activations repeats:
/// selective recomputation repeats the attention core where it is materialised (Korthikanti et al.
/// 2205.05198, section 5), else norms and activation functions, Megatron-Core's selective modules.
/// Layers recomputed one by one, as many as memory asks for, come on top; they keep what the
/// experts' exchange delivered (Megatron-Core recomputes modules on either side of it).
/// What they are made of goes into `note`, where there is one.
double recomputed_seconds(const Evaluation& at, const LayerTime& layers, double routing,
                          RepeatedAccount* note = nullptr) noexcept;

/// The same in FLOP of one sequence.
double recomputed_flops(const Evaluation& at) noexcept;

/// The share of the layers whose forward pass is issued again.
double repeated_layers(const Evaluation& at) noexcept;

}  // namespace trcost
