// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "catalog/software/stacks.h"
#include "quantity/layers.h"
#include "scenario/choices.h"
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

/// Ranks that share a state which sharding stage `from` and later ones divide. ZeRO stages 1 to 3
/// divide the optimizer state, then gradients, then weights (Rajbhandari et al., arXiv:1910.02054,
/// section 3).
constexpr double shard_count(Sharding sharding, Sharding from, double shards) noexcept {
  return sharding >= from ? shards : 1;
}

/// Ranks among which hybrid sharding spreads the state of `ranks` replicas, `stride` apart: the
/// largest divisor of `ranks` that lies within one domain of `domain` accelerators.
double hybrid_shards(double ranks, double stride, double domain) noexcept;

/// Bytes per token and layer that the backward pass needs. Sequence parallelism divides `hidden`,
/// tensor parallelism `split`.
struct ActivationBytes {
  double hidden = 0;
  double split = 0;
  /// hidden / (t with sequence parallelism, else 1) + split / t
  [[nodiscard]] double per_token(double tp, bool sequence_parallel) const noexcept {
    return hidden / (sequence_parallel ? tp : 1) + split / tp;
  }
};

/// Widths of the tensors that a layer keeps for its backward pass (model.md 4.2, 4.3, 4.6).
struct LayerWidths {
  double hidden = 0;
  double mixer = 0;       ///< elements per token of q, k, v and the attention output
  double statistics = 0;  ///< heads, with one 32-bit log-sum-exp per token in fused attention
  double scores = 0;      ///< entries per token of materialised attention: heads x length
  double ffn = 0;         ///< intermediate width that a token passes through
  bool gated = true;
  bool dropout = false;    ///< after either branch
  bool frozen = false;     ///< frozen matrices do not need their inputs
  double input_bytes = 2;  ///< per element of a matmul's input
  double routed = 0;       ///< experts per token, with copied inputs and outputs
  double branches = 2;     ///< with their own norm and residual: a mixer, a feed-forward
  double gate_bytes = 0;   ///< of a gate's own result, per element, without recomputation
};
/// Widths of a trainable layer with fused attention and without dropout. `image_share`: image
/// tokens per token, for layers that attend to the image.
LayerWidths layer_widths(const Block& block, double image_share = 0) noexcept;

/// Activations per token in 16 bit of a layer of n branches:
///   none       4 n h (with dropout 5 n h) + 2 (q + k + v + o) + 6 f (plain MLP: 4 f) + 4 a, and
///              2 f where eager code keeps the activation of the gate beside its product (SwiGLU)
///   selective  2 n h + ... + 4 f (plain: 2 f): norm outputs and the activation function's product
///              are recomputed
///   full       2 h
/// Materialised attention has 5 a s bytes of scores instead of 4 a: softmax, dropout's mask and its
/// result. Selective recomputation repeats these alone. A mixture of
/// experts adds 4 k h for the copies of k routed experts. With n = 2, q, k, v, o = h each and f = 4
/// h the GPT layer of Korthikanti et al., arXiv:2205.05198, table 2: none s b h (10 + 24/t + 5 a
/// s/(h t)), selective the same without 5 a s/(h t).
ActivationBytes activation_bytes(const LayerWidths& layer, Recompute recompute) noexcept;

/// Bytes per parameter of a base in fewer bits. NF4 with blocks of 64 and doubly quantised scales,
/// (4 + 8/64 + 32/(64 256)) / 8 (Dettmers et al., arXiv:2305.14314, section 3). Of int8 a byte: the
/// scale of a row adds a thousandth (LLM.int8(), arXiv:2208.07339, section 3).
constexpr double base_bytes(BaseFormat format) noexcept {
  if (format == BaseFormat::int8) return 1;
  return format == BaseFormat::nf4 ? (4.0 + 8.0 / 64 + 32.0 / (64 * 256)) / 8 : 2;
}

/// Bytes of one logit. Eager: 16 bit and three 32-bit tensors of the same size at the peak of the
/// backward pass, 12.0 bytes besides a reference that the training loop keeps, as measured in torch
/// 2.5 and 2.13 (MakazhanAlpamys/Soup, benchmarks/gate-h100-validation.md, step 16, August 2026).
/// Fused: 16 and 32 bit with the gradient in their place (model.md 4.4). Chunked: one part in
/// ceil(vocab / hidden) of the tokens at a time (Liger Kernel, arXiv:2410.10989, section 3.2).
double bytes_per_logit(Loss loss, double vocab, double hidden) noexcept;

/// Moments of a parameter: two of AdamW (arXiv:1711.05101), one of Lion (arXiv:2302.06675) and Muon
/// (github.com/KellerJordan/Muon), none of SGD. Adafactor keeps sums over rows and columns
/// (arXiv:1804.04235), which are little beside the weights.
constexpr double optimizer_moments(Optimizer optimizer) noexcept {
  switch (optimizer) {
    case Optimizer::muon:
    case Optimizer::lion:
      return 1;
    case Optimizer::adafactor:
    case Optimizer::sgd:
      return 0;
    default:
      return 2;
  }
}

/// Whether weights, gradients and moments are kept in the format of the matmuls, without a 32-bit
/// master copy.
constexpr bool lacks_master(Optimizer optimizer) noexcept {
  return optimizer == Optimizer::adamw_bf16 || optimizer == Optimizer::adamw_8bit ||
         optimizer == Optimizer::adamw_paged_8bit;
}

/// Formats of a workload's gradients and optimizer state.
struct StateFormats {
  Optimizer optimizer = Optimizer::adamw;
  std::optional<double> gradient_width = {}, moment_width = {};  ///< bytes, if specified
};

inline StateFormats formats_of(const Workload& workload) noexcept {
  return {workload.optimizer, workload.gradient_width, workload.moment_width};
}

/// Bytes per trainable parameter (model.md 4.1). `of_stack`: with the stack's own AdamW, whose two
/// moments take 4 bytes each. `width`: bytes of a value in the format of the matmuls.
StateBytes state_bytes(const StateFormats& formats, const StateBytes& of_stack,
                       double width) noexcept;

/// Whether a format keeps 32-bit weights and activations, without a separate master copy.
constexpr bool is_single(Precision precision) noexcept {
  return precision == Precision::fp32 || precision == Precision::tf32;
}

/// Bytes that AdamW in 32 bit moves per parameter: 4 to read gradients, 2 x 12 to read and write
/// moments and weights, 2 for the weights of the matmuls (model.md 5.1).
inline constexpr double kAdamwTraffic = 30;
/// Bytes that an optimizer moves per parameter: gradients and weights once, moments and master
/// weights, or weights without a master, read and written. `of_stack`: bytes of 32-bit AdamW in the
/// stack's own code, whose losses others share. `width`: bytes of a value in the format of the
/// matmuls.
double update_traffic(const StateFormats& formats, double of_stack, double width) noexcept;

/// FLOPs of one update of Muon for a block: five Newton-Schulz rounds of three products of each
/// matrix of m x n, m <= n: 5 (4 m m n + 2 m m m) (github.com/KellerJordan/Muon, muon.py).
struct UpdateFlops {
  double own = 0, routed = 0;
};
UpdateFlops muon_flops(const Block& block) noexcept;

/// Chance that a peak stays within the capacity, by the spread of published peaks: Phi(ln(capacity
/// / total) / spread). A half where the total equals the capacity.
double fits_probability(const MemoryUse& use) noexcept;
/// Quantile of the peak in bytes, `z` standard deviations from the median.
double peak_quantile(const MemoryUse& use, double z) noexcept;
/// How likely it fits: yes (0.9 and more), likely (0.5 to 0.9), unlikely (0.1 to 0.5), no.
std::string_view fit_word(const MemoryUse& use) noexcept;
/// Whether a job fits with a probability of at least 0.1. Only others are refused.
bool may_fit(const MemoryUse& use) noexcept;

/// Whether a stack writes the scores of the encoder's attention to memory.
bool materialised_encoder(const Workload& workload, const Stack& stack) noexcept;

/// Bytes in the host per byte of states moved there: pinned buffers and copies on the way
/// (DeepSpeed, estimate_zero3_model_states_mem_needs, additional_buffer_factor).
inline constexpr double kHostBuffers = 1.5;

/// Bytes of gradients on a device whose host updates: two buckets of 2e8 16-bit values being copied
/// (twice DeepSpeed's ZeRO-3 reduce_bucket_size, whose ZeRO-2 default is one of 5e8).
inline constexpr double kGradientBuckets = 1e9;

}  // namespace trcost::performance
