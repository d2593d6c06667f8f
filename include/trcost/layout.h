// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace trcost {

/// How parameters and optimizer state are spread over the data-parallel ranks.
enum class Sharding : std::uint8_t {
  none,        ///< DDP: replicated
  optimizer,   ///< ZeRO-1, Megatron's distributed optimizer
  gradients,   ///< ZeRO-2
  parameters,  ///< ZeRO-3, FSDP
  /// HSDP: as `parameters` within the innermost domain of the network, replicated across domains
  /// (Zhao et al., PyTorch FSDP, arXiv:2304.11277, section 3.2.2).
  hybrid,
};
inline constexpr int kShardingCount = 5;
enum class Recompute : std::uint8_t { none, selective, full };

std::string_view sharding_name(Sharding sharding);
std::string_view recompute_name(Recompute recompute);

/// One way to lay a training step over the cluster. All degrees are at least 1.
struct Layout {
  int tp = 1;  ///< tensor parallel
  int pp = 1;  ///< pipeline parallel
  int vp = 1;  ///< virtual pipeline: stages per rank
  int cp = 1;  ///< context parallel
  int ep = 1;  ///< expert parallel, within dp x cp x tp
  int etp = 0;  ///< ranks that share one expert's matrices; 0: see expert_tensor_parallel()
  int dp = 1;  ///< data parallel: gpus / (tp pp cp)
  double micro_batch = 1;   ///< sequences per micro-batch and replica
  double global_batch = 1;  ///< sequences per step
  Sharding sharding = Sharding::optimizer;
  Recompute recompute = Recompute::none;
  bool sequence_parallel = true;
  /// Share of the layers that are recomputed in full although `recompute` is none or selective: as
  /// many as memory asks for, where the stack can choose single layers.
  double recomputed_layers = 0;

  [[nodiscard]] double gpus() const { return static_cast<double>(tp) * pp * cp * dp; }
  /// Micro-batches per replica and step.
  [[nodiscard]] double micro_batches() const { return global_batch / (micro_batch * dp); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Ranks over which one expert's matrices are split beside expert parallelism. Where nobody said: one
/// with expert parallelism, as the published layouts of DeepSeek-V3, Qwen3-235B and Grok-1 on H100
/// set it (github.com/NVIDIA/dgxc-benchmarking), else the tensor-parallel degree. Megatron-Core by
/// itself takes the tensor-parallel degree in both cases (megatron/core/transformer/moe/README.md).
inline int expert_tensor_parallel(const Layout& layout) {
  return layout.etp > 0 ? layout.etp : layout.ep > 1 ? 1 : layout.tp;
}

/// Ranks among which hybrid sharding spreads what `ranks` of them, `stride` apart, hold alike: the
/// largest divisor of `ranks` that lies within one domain of `domain` accelerators.
double hybrid_shards(double ranks, double stride, double domain) noexcept;

/// Bytes on the fullest device; the parts sum to `total`.
struct MemoryUse {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;
  double logits = 0;
  double overhead = 0;  ///< context, communication buffers, fragmentation
  double total = 0;
  double capacity = 0;  ///< what a plan may fill: most of the device (MemoryRecipe::plan_share)
  bool fits = false;    ///< total within capacity
};

}  // namespace trcost
