// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/hardware/efficiency.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"
#include "workload/workload.h"

namespace trcost::catalog {
struct Stack;
}  // namespace trcost::catalog

namespace trcost::workload {
struct Block;
}  // namespace trcost::workload

namespace trcost::performance {

/// Ranks that a state is spread over which is sharded from stage `from` on: ZeRO stages 1 to 3
/// divide the optimizer state, then gradients, then weights (Rajbhandari et al., arXiv:1910.02054,
/// section 3).
constexpr double sharers(Sharding sharding, Sharding from, double shards) noexcept {
  return sharding >= from ? shards : 1;
}

/// Ranks among which hybrid sharding spreads what `ranks` of them, `stride` apart, hold alike: the
/// largest divisor of `ranks` that lies within one domain of `domain` accelerators.
double hybrid_shards(double ranks, double stride, double domain) noexcept;

/// Bytes per token and layer that the backward pass needs, as a part that only sequence
/// parallelism divides and a part that tensor parallelism divides.
struct ActivationBytes {
  double hidden = 0;
  double split = 0;
  /// hidden / (t with sequence parallelism, else 1) + split / t
  [[nodiscard]] double per_token(double tp, bool sequence_parallel) const noexcept {
    return hidden / (sequence_parallel ? tp : 1) + split / tp;
  }
};

/// What a layer keeps for its backward pass, and how its software runs it (model.md 4.2, 4.3, 4.6).
struct LayerWidths {
  double hidden = 0;
  double mixer = 0;       ///< elements per token of q, k, v and the attention output
  double statistics = 0;  ///< heads: one 32-bit log-sum-exp per head and token of fused attention
  double scores = 0;      ///< entries per token of attention that is materialised: heads x length
  double ffn = 0;         ///< intermediate width that a token passes through
  bool gated = true;
  bool dropout = false;    ///< after either branch
  bool frozen = false;     ///< matrices that do not learn do not need their inputs
  double input_bytes = 2;  ///< of an element of a matmul's input: fewer in 8- and 4-bit recipes
  double routed = 0;       ///< experts per token, whose inputs and outputs are copied
  double branches = 2;     ///< with norms and residual of their own: a mixer, a feed-forward
};
/// Of fused attention without dropout, whose matrices learn; `image_share`: tokens of the image per
/// token, for layers that attend to it.
LayerWidths layer_widths(const Block& block, double image_share = 0) noexcept;

/// Per token, 16-bit activations of a layer of n branches:
///   none       4 n h (with dropout 5 n h) + 2 (q + k + v + o) + 6 f (plain MLP: 4 f) + 4 a,
///   selective  2 n h + ... + 4 f (plain: 2 f): norm outputs and the activation function's product
///              are made again
///   full       2 h
/// where attention is materialised 5 a s bytes of scores instead of 4 a: softmax, dropout's mask
/// and what it leaves, and selective recomputation makes these again and nothing else. A mixture of
/// experts adds 4 k h for the copies of k routed experts. With n = 2, q, k, v, o = h each and f = 4
/// h the GPT layer of Korthikanti et al., arXiv:2205.05198, table 2: none s b h (10 + 24/t + 5 a
/// s/(h t)), selective the same without 5 a s/(h t).
ActivationBytes activation_bytes(const LayerWidths& layer, Recompute recompute) noexcept;

/// Bytes per parameter of a 4-bit base: NF4 with blocks of 64 and doubly quantised scales,
/// (4 + 8/64 + 32/(64 256)) / 8; Dettmers et al., arXiv:2305.14314, section 3.
inline constexpr double kQloraBytes = (4.0 + 8.0 / 64 + 32.0 / (64 * 256)) / 8;

/// Of one logit: eager the 16-bit ones and three 32-bit tensors of their size at the peak of the
/// backward pass, 12.0 bytes beside a reference that the training loop keeps, as torch 2.5 and 2.13
/// were measured (MakazhanAlpamys/Soup, benchmarks/gate-h100-validation.md, step 16, August 2026);
/// fused 16 and 32 bit with the gradient in their place (model.md 4.4); chunked holds one part in
/// ceil(vocab / hidden) of the tokens at a time (Liger Kernel, arXiv:2410.10989, section 3.2).
double bytes_per_logit(Loss loss, double vocab, double hidden) noexcept;

/// Of a parameter that learns, under an optimizer that a user names instead of the stack's
/// (model.md 4.1); `width`: bytes of a value in the format of the matmuls.
StateBytes state_bytes(Optimizer optimizer, const StateBytes& of_stack, double width) noexcept;

/// Formats that keep 32-bit weights and activations: no separate master copy.
constexpr bool is_single(Precision precision) noexcept {
  return precision == Precision::fp32 || precision == Precision::tf32;
}

/// Bytes that AdamW in 32 bit moves for each parameter: gradients are read, moments and weights
/// read and written, 4 + 2 x 12, and 2 for the weights of the matmuls (model.md 5.1).
inline constexpr double kAdamwTraffic = 30;
/// The same of an optimizer; `of_stack` is what AdamW in 32 bit moves in the stack's own code,
/// whose losses another one shares. `width`: bytes of a value in the format of the matmuls.
double update_traffic(Optimizer optimizer, double of_stack, double width) noexcept;

/// Whether the scores of the encoder's attention ever stand in memory under a stack.
bool materialised_encoder(const Workload& workload, const Stack& stack) noexcept;

/// Gradients that stay on a device whose host updates: two buckets of 2e8 16-bit values on their
/// way out (DeepSpeed's ZeRO-3 reduce_bucket_size times two; its ZeRO-2 default is one of 5e8).
inline constexpr double kGradientBuckets = 1e9;

}  // namespace trcost::performance
