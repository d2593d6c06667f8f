// SPDX-License-Identifier: Apache-2.0
// Matmuls, attention core and memory traffic of one layer, from its block.
#pragma once

#include <array>

#include "quantity/layers.h"
#include "workload/blocks/block.h"
#include "workload/workload.h"

namespace trcost::performance {

/// One linear layer, tokens x k -> tokens x n.
struct LinearShape {
  double n = 0;
  double k = 0;
  Split split = Split::none;
  double tokens = 1;   ///< share of the layer's tokens that pass it, above 1 for longer streams
  double adapted = 0;  ///< columns of n with low-rank adapters
};

/// Matmuls, attention core and memory traffic per token of one kind of layer.
struct LayerShape {
  std::array<LinearShape, 12> linear{};  ///< the first `linears` of them
  int linears = 0;
  double count = 0;                 ///< layers of this kind
  double attention_flops = 0;       ///< of the core per token, forward, without the masked half
  double attention_full_flops = 0;  ///< with the masked half, which materialised attention computes
  double score_entries = 0;         ///< heads x visible length per token, unmasked
  /// Traffic of one entry where attention is materialised: 13 bytes forward with mask, softmax and
  /// dropout, 1.5 times that backward (Korthikanti et al. 2205.05198, section 4, and model.md 5.1).
  double score_bytes = 13;
  double score_backward = 1.5;
  double attention_length = 0;
  double head_dim = 0;
  double kv_bytes = 0;     ///< keys and values per token, 16 bit
  double kv_heads = 1;     ///< heads of keys and values
  double query_width = 0;  ///< of all heads, as wide as outputs
  double hidden = 0;
  double hidden_traffic = 0;    ///< bytes per token and forward, split only by sequence parallel
  double split_traffic = 0;     ///< bytes per token and forward, split by tensor parallel
  double quantise_traffic = 0;  ///< bytes per token that 8- and 4-bit recipes add
  double adapter_traffic = 0;   ///< bytes per token of adapters, forward
  double adapter_flops = 0;     ///< per token, forward
  double adapter_kernels = 0;   ///< forward
  double parameters = 0;        ///< without routed experts
  // Mixture of experts, with 0 experts if there is none.
  double experts = 0;
  double experts_per_token = 0;
  LinearShape expert_in, expert_out;
  double groups_per_token = 0;  ///< most nodes of a token's experts, 0 if unlimited
  double expert_parameters = 0;
  double expert_adapter_traffic = 0;  ///< bytes per routed token of low-rank adapters, forward
  double expert_adapter_flops = 0;    ///< per routed token, forward
  double expert_bias_traffic = 0;     ///< bytes per routed token for biases of experts
  double exchanges = 4;               ///< tensor-parallel gathers and scatters per forward pass
  double dense_exchanges = 4;         ///< with experts partitioned like a feed-forward
  bool learns = true;                 ///< matrices have gradients of their weights
  double layer_share = 1;             ///< 1 with mixer and feed-forward, a half with one of them
};

/// Shape of a decoder layer, dense or with experts. The caller sets `count`.
LayerShape decoder_layer_shape(const Workload& workload, const Block& block);
/// Shape of a layer that attends to the image instead of the text, with its own feed-forward.
LayerShape cross_layer_shape(const Workload& workload, const Block& block);
/// Shape of a layer of the encoder. `span` tokens attend to each other: those of the image, or of a
/// tile if it is cut into tiles.
LayerShape encoder_layer_shape(const Block& block, double span);

}  // namespace trcost::performance
