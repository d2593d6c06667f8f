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
};
enum class Recompute : std::uint8_t { none, selective, full };

std::string_view sharding_name(Sharding sharding);
std::string_view recompute_name(Recompute recompute);

/// One way to lay a training step over the cluster. All degrees are at least 1.
struct Layout {
  int tp = 1;  ///< tensor parallel
  int pp = 1;  ///< pipeline parallel
  int vp = 1;  ///< virtual pipeline: stages per rank
  int cp = 1;  ///< context parallel
  int ep = 1;  ///< expert parallel, within dp x cp (and tp)
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

/// Ranks over which one expert's matrices are split beside expert parallelism: the tensor-parallel
/// degree, Megatron-Core's default, while ep divides dp x cp; none where ep reaches into tp.
inline int expert_tensor_parallel(const Layout& layout) {
  return static_cast<long long>(layout.dp) * layout.cp % layout.ep == 0 ? layout.tp : 1;
}

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
