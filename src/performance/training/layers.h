// SPDX-License-Identifier: Apache-2.0
// A micro-batch through the layers of one replica: kernels, exchange inside a layer, and forward
// work that the backward pass repeats.
#pragma once

#include "performance/training/evaluation.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// Adds `part` to `sum`, `times` over.
void add(LayerTime& sum, const LayerTime& part, double times) noexcept;

/// Seconds on the device, without what the host takes to issue the kernels.
double device_forward(const LayerTime& time) noexcept;
double device_backward(const LayerTime& time) noexcept;

/// Sets the backward pass to zero, for modules before the first one that learns.
void drop_backward(LayerTime& time) noexcept;

/// Collectives of one layer and pass, seconds.
struct ExchangePass {
  double times = 0;     ///< collectives
  double window = 0;    ///< kernels that could hide them
  double hidden = 0;    ///< hidden behind those
  double crowding = 0;  ///< lost by the kernels
  double exposed = 0;   ///< all collectives - hidden + crowding
};

/// One kind of exchange inside a layer.
struct LayerExchange {
  double bytes = 0;           ///< of one collective, whole
  double each = 0;            ///< seconds of one
  double hideable = 1;        ///< share of the exchange that software can hide
  double window_share = 1;    ///< share of the kernels that can hide it
  double crowding_share = 0;  ///< crowding per second of attention
  double dispatched = 0;      ///< collectives that the host issues in a pass
  ExchangePass forward, backward;
};

/// One layer and micro-batch with its exchange.
struct LayerParts {
  LayerTime time;
  LayerExchange tensor, context, expert;
};
LayerParts layer_parts(const Evaluation& at, const LayerShape& shape,
                       const LayerSplit& split) noexcept;

/// Partition of a decoder layer in this layout.
LayerSplit decoder_split(const Evaluation& at, const LayerShape& shape) noexcept;
LayerSplit encoder_split(const Evaluation& at) noexcept;
bool has_encoder_layers(const Evaluation& at) noexcept;

/// Whether the ranks that share an expert's matrices exchange tokens among themselves.
bool gathers_expert_tokens(const Evaluation& at) noexcept;
/// Share of the bytes for other domains that cross the network once duplicates are removed.
double expert_network_share(const Evaluation& at, const LayerShape& shape) noexcept;

/// All layers of the language model.
LayerTime language_layers(const Evaluation& at) noexcept;

/// All layers of the vision encoder, zero without one.
LayerTime encoder_layers(const Evaluation& at) noexcept;

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
