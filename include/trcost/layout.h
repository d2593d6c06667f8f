// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trcost {

/// Accelerators of the largest cluster that a question may have (hardware.gpus).
inline constexpr double kMostGpus = 1e7;

/// Sharding of parameters and optimizer state over the data-parallel ranks.
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

/// Exchange between ranks that share a sequence.
enum class ContextKind : std::uint8_t {
  ring,     ///< keys and values travel around (Liu et al., arXiv:2310.01889)
  ulysses,  ///< heads for tokens and back, all to all (DeepSpeed-Ulysses, arXiv:2309.14509)
};

std::string_view sharding_name(Sharding sharding);
std::string_view recompute_name(Recompute recompute);
std::string_view context_kind_name(ContextKind kind);

/// Partition of a training step over the cluster: a degree of at least 1 per dimension.
struct LayoutDegrees {
  int tp = 1;  ///< tensor parallel
  int pp = 1;  ///< pipeline parallel
  int vp = 1;  ///< virtual pipeline: stages per rank
  int cp = 1;  ///< context parallel
  int ep = 1;  ///< expert parallel, within dp x cp x tp
  /// Ranks that share one expert's matrices. With 0 expert_tensor_parallel() decides. A plan's
  /// layout has the resolved degree, or 0 without experts.
  int etp = 0;
  int dp = 1;  ///< data parallel: the accelerators that the other degrees leave

  /// The accelerators at work. Virtual stages and experts use the same ones.
  [[nodiscard]] constexpr double gpus() const { return static_cast<double>(tp) * pp * cp * dp; }
  auto operator<=>(const LayoutDegrees&) const = default;
};

/// One way to lay a training step over the cluster.
struct Layout : LayoutDegrees {
  double micro_batch = 1;   ///< sequences per micro-batch and replica
  double global_batch = 1;  ///< sequences per step
  Sharding sharding = Sharding::optimizer;
  Recompute recompute = Recompute::none;
  ContextKind context_kind = ContextKind::ring;
  bool sequence_parallel = true;
  /// Layers of a stage, of layers_of_stage(), that are recomputed in full although `recompute` is
  /// none or selective, if the stack can choose single layers: as many as memory needs.
  int recompute_layers = 0;

  /// Micro-batches per replica and step.
  [[nodiscard]] double micro_batches() const { return global_batch / (micro_batch * dp); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Degrees that a user sets. A plan searches those left out.
struct Degrees {
  std::optional<int> tp, pp, vp, cp, ep, etp, dp;

  /// The accelerators that the degrees set multiply to.
  [[nodiscard]] constexpr double product() const { return or_default().gpus(); }
  /// Degrees left out of those that multiply to the accelerators.
  [[nodiscard]] constexpr int open() const { return !tp + !pp + !cp + !dp; }
  /// The degrees set, with LayoutDegrees' defaults for the others.
  [[nodiscard]] constexpr LayoutDegrees or_default() const {
    const LayoutDegrees usual;
    return {tp.value_or(usual.tp), pp.value_or(usual.pp), vp.value_or(usual.vp),
            cp.value_or(usual.cp), ep.value_or(usual.ep), etp.value_or(usual.etp),
            dp.value_or(usual.dp)};
  }
  friend bool operator==(const Degrees&, const Degrees&) = default;
};

/// Layers of the fullest stage of a pipeline over `layers`.
inline double layers_of_stage(const Layout& layout, double layers) {
  return std::ceil(layers / layout.pp);
}

/// Share of the layers that are recomputed in full on top of `recompute`.
inline double recomputed_share(const Layout& layout, double layers) {
  return layout.recompute_layers > 0 ? layout.recompute_layers / layers_of_stage(layout, layers)
                                     : 0;
}

/// Ranks over which one expert's matrices are split, besides expert parallelism. By default one
/// with expert parallelism, as the published layouts of DeepSeek-V3, Qwen3-235B and Grok-1 on H100
/// set it (github.com/NVIDIA/dgxc-benchmarking), else the tensor-parallel degree. Megatron-Core by
/// itself takes the tensor-parallel degree in both cases (megatron/core/transformer/moe/README.md).
inline int expert_tensor_parallel(const Layout& layout) {
  return layout.etp > 0 ? layout.etp : layout.ep > 1 ? 1 : layout.tp;
}

/// Partition of one replica of a served model: attention over `tp` with `dp` copies, experts over
/// all.
struct ServingLayout {
  int gpus = 1;
  int tp = 1;
  int ep = 1;
  int dp = 1;
  friend bool operator==(const ServingLayout&, const ServingLayout&) = default;
};

/// Bytes that an engine holds on each of its accelerators.
struct EngineMemory {
  double weights = 0;  ///< including its reserve
  double cache = 0;    ///< KV cache of the responses in flight at the start
};

/// Bytes on the fullest device at its fullest moment, of a model in training or of an engine that
/// generates. With an engine all parts but `engine` are 0.
struct MemoryUse {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;
  double logits = 0;
  double overhead = 0;  ///< context, communication buffers, gathered weights, fragmentation
  double unallocated =
      0;  ///< part of overhead outside of the framework's allocator: context, buffers
  double fragments = 0;  ///< part of overhead that the allocator holds unused
  double total = 0;
  double capacity = 0;  ///< usable memory: most of the device (MemoryRecipe::plan_share)
  double spread = 0;    ///< standard deviation of ln(measured / total) of published peaks
  bool fits = false;    ///< total within capacity
  bool tight = false;   ///< fits, but leaves less free than the margin (set by a plan)
  double host = 0;      ///< peak bytes in the host's memory for this device, not in the total
  double resident = 0;  ///< other models of the method: reference, reward, critic, teacher
  std::optional<EngineMemory>
      engine;               ///< engine of a round that generates, at its fullest moment or not
  bool generating = false;  ///< the fullest moment is the engine's

  /// The engine's part of the total.
  [[nodiscard]] constexpr EngineMemory generated() const noexcept {
    return generating ? *engine : EngineMemory{};
  }
};

/// Counters of a device's memory. They differ by what they leave out.
enum class MemoryCounter {
  allocated,  ///< what the framework handed out: torch.cuda.max_memory_allocated
  reserved,   ///< what its allocator holds: torch.cuda.max_memory_reserved
  board,      ///< what the driver shows: nvidia-smi
};

/// Bytes that a counter shows: the board all, the framework's counters no context and no
/// communication buffers, `allocated` no fragments either.
constexpr double shown(const MemoryUse& use, MemoryCounter counter) noexcept {
  const double outside = counter == MemoryCounter::board ? 0 : use.unallocated;
  return use.total - outside - (counter == MemoryCounter::allocated ? use.fragments : 0);
}

}  // namespace trcost
