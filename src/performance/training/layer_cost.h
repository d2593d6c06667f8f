// SPDX-License-Identifier: Apache-2.0
// What step time depends on, prepared once per workload and platform: plain numbers.
#pragma once

#include <array>
#include <vector>

#include "performance/training/pipeline.h"
#include "quantity/layers.h"
#include "workload/flops.h"
#include "workload/workload.h"

namespace trcost::performance {

/// One linear layer, tokens x k -> tokens x n.
struct LinearShape {
  double n = 0;
  double k = 0;
  Split split = Split::none;
  double tokens = 1;      ///< share of the layer's tokens that pass it; above 1 for longer streams
  bool adaptable = true;  ///< takes a low-rank adapter; routers and gates do not
};

/// One kind of layer: its matmuls, attention core and memory traffic per token.
struct LayerShape {
  std::array<LinearShape, 12> linear{};  ///< as many as a block has matrices
  int linears = 0;
  double count = 0;            ///< layers of this kind
  double attention_flops = 0;  ///< of the core per token, forward, masked half left out
  double attention_full_flops =
      0;                     ///< the same with the masked half, as materialised attention does
  double score_entries = 0;  ///< heads x visible length per token, unmasked
  /// Traffic of one entry where attention is materialised: 13 bytes forward with mask, softmax and
  /// dropout, 1.5 times that backward (Korthikanti et al. 2205.05198, section 4; model.md 5.1).
  double score_bytes = 13;
  double score_backward = 1.5;
  double attention_length = 0;
  double head_dim = 0;
  double kv_bytes = 0;     ///< keys and values per token, 16 bit
  double kv_heads = 1;     ///< that they are split into
  double query_width = 0;  ///< of all heads; outputs are as wide
  double hidden = 0;
  double hidden_traffic = 0;    ///< bytes per token and forward, split only by sequence parallel
  double split_traffic = 0;     ///< bytes per token and forward, split by tensor parallel
  double quantise_traffic = 0;  ///< bytes per token that 8- and 4-bit recipes add
  double adapter_traffic = 0;   ///< bytes per token of adapters, forward
  double adapter_flops = 0;     ///< per token, forward
  double adapter_kernels = 0;   ///< forward
  double parameters = 0;        ///< without routed experts
  // Mixture of experts; experts 0 where there is none.
  double experts = 0;
  double experts_per_token = 0;
  LinearShape expert_in, expert_out;
  double groups_per_token = 0;  ///< nodes that a token's experts may lie in, 0 not limited
  double expert_parameters = 0;
  double expert_adapter_traffic = 0;  ///< bytes per routed token of low-rank adapters, forward
  double expert_adapter_flops = 0;    ///< per routed token, forward
  double expert_bias_traffic = 0;     ///< bytes per routed token where experts carry biases
  double exchanges = 4;               ///< tensor-parallel gathers and scatters per forward pass
  double dense_exchanges = 4;         ///< the same where experts are split like a feed-forward
  bool learns = true;                 ///< its matrices owe gradients of their weights
  double layer_share = 1;  ///< of a layer with mixer and feed-forward: a half where one is missing
};

/// Time that a chip under a stack takes per unit of work: every figure is the inverse of a rate.
struct DeviceCosts {
  struct SecondsPerFlop {
    double peak = 0;            ///< at the dense peak of the platform's precision
    double matmul = 0;          ///< linear layers in the platform's precision
    double half_matmul = 0;     ///< output matrix and adapters in 16 bit
    double batched_matmul = 0;  ///< materialised attention
    double flash_forward = 0;   ///< fused attention at infinite head dimension and length
    double flash_backward = 0;
  };
  struct SecondsPerByte {
    double memory = 0;
    double elementwise = 0;  ///< with the stack's extra traffic
  };
  SecondsPerFlop seconds_per_flop;
  SecondsPerByte seconds_per_byte;
  double matmul_start_seconds = 0;
  double kernel_gap_seconds = 0;
  double block_seconds = 0;         ///< host time to issue a block's forward pass
  double expert_block_seconds = 0;  ///< further host time of a block with experts
  double expert_loop_seconds = 0;   ///< further host time per expert that the rank holds
  double expert_traffic = 1;        ///< factor of the stack, for the platform's precision
  double operand_bytes = 2;         ///< per element of a matmul's inputs
};

/// The network as a rank sees it, innermost tier first.
struct Fabric {
  int tiers = 0;
  std::array<double, 4> size{};  ///< ranks within one domain of the tier; last: unbounded
  std::array<double, 4> seconds_per_byte{};
  std::array<double, 4> latency_seconds{};  ///< per doubling of the ranks
  /// Of the innermost tier's domain, all ranks, for a group that is within them whole; `size` has
  /// those that a plan uses, so that its degrees divide it (an NVL72 rack: 64 of 72; model.md 5.2).
  double whole_domain = 0;
  double all_reduce = 2;  ///< all-reduce in units of an all-gather, innermost tier
  double half_bytes = 0;  ///< payload at half of the innermost tier's rate
};

/// Seconds of one layer and one micro-batch, by cause.
struct LayerTime {
  double matmul_forward = 0, matmul_dgrad = 0, matmul_wgrad = 0;
  double attention_forward = 0, attention_backward = 0;
  double elementwise_forward = 0, elementwise_backward = 0;
  double tensor_forward = 0, tensor_backward = 0;
  double context_forward = 0, context_backward = 0;
  double expert_forward = 0, expert_backward = 0;
  double host_forward = 0, host_backward = 0;
};

/// Everything that StepModel::step reads.
struct StepCosts {
  std::vector<LayerShape> own;  ///< the decoder's own layers, each kind with its count
  LayerShape cross, encoder;
  DeviceCosts device;
  Fabric fabric;
  Overlap overlap;
  DealtLayers dealt;           ///< to pipeline stages
  double encoder_tokens = 0;   ///< per sequence
  double connector_flops = 0;  ///< per sequence, all passes
  double model_flops = 0;      ///< per sequence, all passes
  double forward_flops = 0;    ///< per sequence, of layers that full recomputation repeats
  double core_flops = 0;       ///< per sequence, of their attention cores
  double vision_flops = 0;     ///< per sequence, all passes of encoder and connector
  double trainable_dense = 0;  ///< parameters that learn, without routed experts
  double trainable_expert = 0;
  double update_traffic = 0;  ///< bytes of memory that the update of one of them moves
  double parameters_dense = 0;
  double parameters_expert = 0;
  double head_count = 1;          ///< outputs: one, and one per multi-token-prediction module
  bool language_backward = true;  ///< gradients pass through the language model
  bool head_wgrad = true;
  bool encoder_backward = false;
  bool materialised = false;
  bool encoder_materialised = false;
  double gather_seconds = 0;  ///< host time of vision-language code: Stack::vision_gather_seconds
  double dequantise = 0;
  Offload offload;
};

}  // namespace trcost::performance
