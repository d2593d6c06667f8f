// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trcost {

/// Accelerators of the largest cluster that a question may name (hardware.gpus).
inline constexpr double kMostGpus = 1e7;

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

/// How ranks that share a sequence exchange.
enum class ContextKind : std::uint8_t {
  ring,     ///< keys and values travel around (Liu et al., arXiv:2310.01889)
  ulysses,  ///< heads for tokens and back, all to all (DeepSpeed-Ulysses, arXiv:2309.14509)
};

std::string_view sharding_name(Sharding sharding);
std::string_view recompute_name(Recompute recompute);
std::string_view context_kind_name(ContextKind kind);

/// How a training step is split over the cluster: a degree, at least 1, for each of kDimensions.
struct LayoutDegrees {
  int tp = 1;  ///< tensor parallel
  int pp = 1;  ///< pipeline parallel
  int vp = 1;  ///< virtual pipeline: stages per rank
  int cp = 1;  ///< context parallel
  int ep = 1;  ///< expert parallel, within dp x cp x tp
  /// Ranks that share one expert's matrices; 0: see expert_tensor_parallel(). A plan's layout has
  /// it resolved where there are experts, and 0 where there are none.
  int etp = 0;
  int dp = 1;  ///< data parallel: the accelerators that the others leave

  /// The accelerators at work.
  [[nodiscard]] constexpr double gpus() const;
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
  /// none or selective: as many as memory asks for, where the stack can choose single layers.
  int recompute_layers = 0;

  /// Micro-batches per replica and step.
  [[nodiscard]] double micro_batches() const { return global_batch / (micro_batch * dp); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The degrees as somebody gives them; those left out are searched.
struct Degrees {
  std::optional<int> tp, pp, vp, cp, ep, etp, dp;

  /// The accelerators that those given multiply to.
  [[nodiscard]] constexpr double product() const;
  /// How many of those that multiply to the accelerators are left out.
  [[nodiscard]] constexpr int open() const;
  /// Those given; the others as a LayoutDegrees has them.
  [[nodiscard]] constexpr LayoutDegrees or_default() const;
  friend bool operator==(const Degrees&, const Degrees&) = default;
};

/// Unit of a model that a dimension partitions among its ranks.
enum class PartitionedUnit : std::uint8_t {
  nothing,
  heads,
  layers,
  tokens,
  experts,
  expert_channels
};

/// One dimension of parallelism: what files, flags (`--tp`), fields (`layout.tp`) and answers call
/// it, where it stands, what it splits and what it asks of the software.
struct Dimension {
  std::string_view name;
  std::string_view word;  ///< in front of a degree, in a sentence
  std::string_view help;
  int LayoutDegrees::*in;
  std::optional<int> Degrees::*given;
  bool of_gpus;  ///< the accelerators at work are the product of these
  PartitionedUnit partitions = PartitionedUnit::nothing;
  bool evenly = false;  ///< the degree divides its units, else it is at most their number
  /// Rank among the degrees that break ties between equally fast layouts: 1 first, 0 never. The
  /// smaller degree wins.
  std::uint8_t tie_break_rank = 0;
  /// The key of a stack's file that says whether the software can; empty where all can.
  std::string_view ability = {};
};
inline constexpr Dimension kDimensions[] = {
    {"tp", "tensor", "tensor parallel degree", &LayoutDegrees::tp, &Degrees::tp, true,
     PartitionedUnit::heads, true, 3, "tensor_parallel"},
    {"pp", "pipeline", "pipeline parallel degree", &LayoutDegrees::pp, &Degrees::pp, true,
     PartitionedUnit::layers, false, 1, "pipeline_parallel"},
    {"vp", "stages per rank", "pipeline stages per rank", &LayoutDegrees::vp, &Degrees::vp, false,
     PartitionedUnit::nothing, false, 5, "virtual_pipeline"},
    {"cp", "context", "context parallel degree", &LayoutDegrees::cp, &Degrees::cp, true,
     PartitionedUnit::tokens, false, 2, "context_parallel"},
    {"ep", "expert", "expert parallel degree", &LayoutDegrees::ep, &Degrees::ep, false,
     PartitionedUnit::experts, true, 4},
    {"etp", "expert tensor", "ranks that share one expert's matrices, where there are experts",
     &LayoutDegrees::etp, &Degrees::etp, false, PartitionedUnit::expert_channels, true},
    {"dp", "data", "data parallel degree", &LayoutDegrees::dp, &Degrees::dp, true},
};
inline constexpr std::size_t kDimensionCount = std::size(kDimensions);
static_assert(sizeof(LayoutDegrees) == kDimensionCount * sizeof(int) &&
                  sizeof(Degrees) == kDimensionCount * sizeof(std::optional<int>),
              "every degree has a row of kDimensions, which all that is not its formula reads");

/// The row of a degree.
constexpr const Dimension& dimension_of(int LayoutDegrees::*degree) {
  return *std::ranges::find(kDimensions, degree, &Dimension::in);
}

/// Whether the dimension makes copies of the model, and splits nothing of it.
constexpr bool makes_replicas(const Dimension& dimension) {
  return dimension.in == &LayoutDegrees::dp;
}

/// The product, over the dimensions that multiply to the accelerators, of what `degree` gives.
template <class Degree>
constexpr double product_of_gpus(const Degree& degree) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return ((kDimensions[kIndex].of_gpus ? static_cast<double>(degree(kDimensions[kIndex])) : 1) *
            ...);
  }
  (std::make_index_sequence<kDimensionCount>());
}

constexpr double LayoutDegrees::gpus() const {
  return product_of_gpus([this](const Dimension& each) { return this->*each.in; });
}

constexpr double Degrees::product() const {
  return product_of_gpus([this](const Dimension& each) { return (this->*each.given).value_or(1); });
}

constexpr int Degrees::open() const {
  int count = 0;
  for (const Dimension& each : kDimensions) count += each.of_gpus && !(this->*each.given);
  return count;
}

constexpr LayoutDegrees Degrees::or_default() const {
  LayoutDegrees split;
  for (const Dimension& each : kDimensions) {
    if (const std::optional<int>& degree = this->*each.given) split.*each.in = *degree;
  }
  return split;
}

/// `tp/pp/cp/dp`: the dimensions that multiply to the accelerators.
inline constexpr auto kSplitTitleText = [] {
  constexpr std::size_t kLongest = 8;
  std::array<char, kLongest * kDimensionCount> text{};
  std::size_t at = 0;
  for (const Dimension& each : kDimensions) {
    if (!each.of_gpus) continue;
    if (at > 0) text[at++] = '/';
    for (const char letter : each.name) text[at++] = letter;
  }
  return text;
}();
inline constexpr std::string_view kSplitTitle = kSplitTitleText.data();

/// Layers of the fullest stage of a pipeline of `layers`.
inline double layers_of_stage(const Layout& layout, double layers) {
  return std::ceil(layers / layout.pp);
}

/// Share of the layers beside those of `recompute` that are recomputed in full.
inline double recomputed_share(const Layout& layout, double layers) {
  return layout.recompute_layers > 0 ? layout.recompute_layers / layers_of_stage(layout, layers)
                                     : 0;
}

/// `tp 4 pp 2 vp 1 cp 1 ep 1 dp 16`; only degrees above one on request. `etp` where there are
/// experts.
std::string degree_words(const Layout& layout, bool all = true);
/// `4/2/1/16`: what stands below kSplitTitle.
std::string split_words(const LayoutDegrees& split);
/// `tp 4 x dp 16`: of those dimensions what is given.
std::string product_words(const Degrees& given);
/// `none`, `full`, or `none and 3 layers of a stage in full`.
std::string recompute_words(const Layout& layout);

/// Ranks over which one expert's matrices are split beside expert parallelism. Where nobody said:
/// one with expert parallelism, as the published layouts of DeepSeek-V3, Qwen3-235B and Grok-1 on
/// H100 set it (github.com/NVIDIA/dgxc-benchmarking), else the tensor-parallel degree.
/// Megatron-Core by itself takes the tensor-parallel degree in both cases
/// (megatron/core/transformer/moe/README.md).
inline int expert_tensor_parallel(const Layout& layout) {
  return layout.etp > 0 ? layout.etp : layout.ep > 1 ? 1 : layout.tp;
}

/// How one replica of the model is split: attention over `tp` with `dp` copies, experts over all.
struct ServingLayout {
  int gpus = 1;
  int tp = 1;
  int ep = 1;
  int dp = 1;
  friend bool operator==(const ServingLayout&, const ServingLayout&) = default;
};

/// What an engine holds on each of its accelerators.
struct EngineMemory {
  double weights = 0;  ///< with its reserve
  double cache = 0;    ///< of the responses in flight at first
};

/// Bytes on the fullest device at its fullest moment: of a model that learns, or of an engine that
/// generates, whose parts are then 0 but `engine`. held_parts() sum to `total`.
struct MemoryUse {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;
  double logits = 0;
  double overhead = 0;     ///< context, communication buffers, gathered weights, fragmentation
  double unallocated = 0;  ///< of it, beside the framework's allocator: context, buffers
  double fragments = 0;    ///< of it, what the allocator holds and has given to nobody
  double total = 0;
  double capacity = 0;  ///< what a plan may fill: most of the device (MemoryRecipe::plan_share)
  bool fits = false;    ///< total within capacity
  bool tight = false;   ///< fits, but leaves less free than the margin asked for (a plan says it)
  double host = 0;      ///< in the host's memory, for this device, at most; not in the total
  double resident = 0;  ///< other models of the method: reference, reward, critic, teacher
  std::optional<EngineMemory> engine;  ///< of a round that generates, at its fullest moment or not
  bool generating = false;  ///< the fullest moment is the engine's, which holds all of it

  /// What of the total is the engine's.
  [[nodiscard]] constexpr EngineMemory generated() const noexcept {
    return generating ? *engine : EngineMemory{};
  }
};

/// Who counts the bytes of a device. They differ by what they leave out.
enum class MemoryCounter {
  allocated,  ///< what the framework handed out: torch.cuda.max_memory_allocated
  reserved,   ///< what its allocator holds: torch.cuda.max_memory_reserved
  board,      ///< what the driver shows: nvidia-smi
};

/// What a counter shows of a use: the board all of it, the framework no context and no
/// communication buffers, and of its own no fragments.
constexpr double shown(const MemoryUse& use, MemoryCounter counter) noexcept {
  const double outside = counter == MemoryCounter::board ? 0 : use.unallocated;
  return use.total - outside - (counter == MemoryCounter::allocated ? use.fragments : 0);
}

/// A part of what a device holds, in words.
struct MemoryPart {
  std::string_view name;
  double MemoryUse::*bytes;
};
/// Those of a model that learns; 0 where `generating`.
inline constexpr MemoryPart kMemoryParts[] = {
    {"weights", &MemoryUse::weights},      {"gradients", &MemoryUse::gradients},
    {"optimizer", &MemoryUse::optimizer},  {"activations", &MemoryUse::activations},
    {"logits", &MemoryUse::logits},        {"overhead", &MemoryUse::overhead},
    {"other models", &MemoryUse::resident}};

/// The same of an engine that generates.
struct EnginePart {
  std::string_view name;
  double EngineMemory::*bytes;
};
inline constexpr EnginePart kEngineParts[] = {{"engine", &EngineMemory::weights},
                                              {"cache of responses", &EngineMemory::cache}};

/// What a device holds of a part.
struct HeldPart {
  std::string_view name;
  double bytes = 0;
};
/// The parts that sum to `total`, whichever moment is the fullest: kMemoryParts, and where it is an
/// engine's also kEngineParts.
std::vector<HeldPart> held_parts(const MemoryUse& use);

}  // namespace trcost
