// SPDX-License-Identifier: Apache-2.0
// Forward work that the backward pass repeats.
#pragma once

#include "performance/training/evaluation.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// Repeated forward work of a module, from the seconds of its forward pass:
///   selective + share x max(0, forward - kept - selective), where selective is
///   elementwise_share x (elementwise - routing) + matmul_share x matmul + attention_share x
///   attention
struct RepeatedTime {
  double seconds = 0;
  double share = 0;  ///< of the layers that recompute in full
  double forward = 0, elementwise = 0, matmul = 0, attention = 0;
  double routing = 0;  ///< of `elementwise`
  double kept = 0;     ///< of `forward`: routing and exchange of experts
  double elementwise_share = 0, matmul_share = 0, attention_share = 0;
};

/// Seconds of a forward pass of the language model that route tokens to experts.
double routing_seconds(const Evaluation& at) noexcept;

/// Repeated work of a micro-batch, `routing` seconds of which are never repeated. Selective
/// recomputation repeats the attention core if it is materialised (Korthikanti et al. 2205.05198,
/// section 5), else norms and activation functions, Megatron-Core's selective modules. Layers
/// recomputed one by one come on top. They keep what the experts' exchange delivered (Megatron-Core
/// recomputes modules on either side of it).
RepeatedTime repeated_time(const Evaluation& at, const LayerTime& layers, double routing) noexcept;

/// FLOPs of the repeated work of one sequence.
double recomputed_flops(const Evaluation& at) noexcept;

/// Share of the layers whose forward pass is issued again.
double repeated_layers(const Evaluation& at) noexcept;

}  // namespace trcost::performance
