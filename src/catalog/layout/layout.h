// SPDX-License-Identifier: Apache-2.0
// Tables of layouts: dimensions of parallelism, parts of a device's memory, and their words in
// files, fields and answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/choice.h"
#include "quantity/layers.h"
#include "trcost/layout.h"

namespace trcost::catalog {

inline constexpr Choice<Sharding> kShardings[] = {{"none", Sharding::none},
                                                  {"optimizer", Sharding::optimizer},
                                                  {"gradients", Sharding::gradients},
                                                  {"parameters", Sharding::parameters},
                                                  {"hybrid", Sharding::hybrid}};
inline constexpr Choice<Recompute> kRecomputes[] = {
    {"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}};
inline constexpr Choice<ContextKind> kContextKinds[] = {{"ring", ContextKind::ring},
                                                        {"ulysses", ContextKind::ulysses}};
inline constexpr Choice<MemoryCounter> kMemoryCounters[] = {{"allocated", MemoryCounter::allocated},
                                                            {"reserved", MemoryCounter::reserved},
                                                            {"board", MemoryCounter::board}};

/// Units of a model that a dimension partitions over its ranks.
enum class PartitionedUnit : std::uint8_t {
  nothing,
  heads,
  layers,
  tokens,
  experts,
  expert_channels
};

/// One dimension of parallelism: its name in files, flags (`--tp`), fields (`layout.tp`) and
/// answers, its degree, the unit that it partitions, and the ability that it needs of the software.
struct Dimension {
  std::string_view name;
  std::string_view word;  ///< adjective before "degree" in a sentence
  std::string_view help;
  int LayoutDegrees::*in;
  std::optional<int> Degrees::*given;
  bool of_gpus;  ///< the accelerators at work are the product of such degrees
  PartitionedUnit partitions = PartitionedUnit::nothing;
  bool evenly =
      false;  ///< the degree has to divide the number of units, else it is at most that number
  /// Rank of the degree in breaking ties between equally fast layouts, of which the one with the
  /// smallest degree wins. Rank 1 counts first, 0 not at all.
  std::uint8_t tie_break_rank = 0;
  /// The key of a stack's file for the software's ability, empty if all software has it.
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

/// True for the dimension that copies the model and splits nothing of it.
constexpr bool makes_replicas(const Dimension& dimension) {
  return dimension.in == &LayoutDegrees::dp;
}

/// `tp 4 pp 2 vp 1 cp 1 ep 1 dp 16`. With `all` false only degrees above one and no `dp`. `etp`
/// only if it differs from the default.
std::string degree_words(const Layout& layout, bool all = true);
/// `tp/pp/cp/dp`: heading of split_words().
inline constexpr std::string_view kSplitTitle = "tp/pp/cp/dp";
/// `4/2/1/16`: degrees of the dimensions that multiply to the accelerators.
std::string split_words(const LayoutDegrees& split);
/// `tp 4 x dp 16`: degrees that are set, of the dimensions that multiply to the accelerators.
std::string product_words(const Degrees& degrees);
/// `none`, `full`, or `3 layers of each stage in full`. Of a model whose `layers` are known, all of
/// them in full are `full`.
std::string recompute_words(const Layout& layout, double layers = 0);

/// A part of the memory of a device.
template <class T>
struct MemoryPart {
  std::string_view name;
  double T::*bytes;
};
/// Parts of a model in training. All are 0 in a MemoryUse that is `generating`.
inline constexpr MemoryPart<MemoryUse> kMemoryParts[] = {
    {"weights", &MemoryUse::weights},      {"gradients", &MemoryUse::gradients},
    {"optimizer", &MemoryUse::optimizer},  {"activations", &MemoryUse::activations},
    {"logits", &MemoryUse::logits},        {"overhead", &MemoryUse::overhead},
    {"other models", &MemoryUse::resident}};
/// Parts of an engine that generates.
inline constexpr MemoryPart<EngineMemory> kEngineParts[] = {
    {"engine", &EngineMemory::weights}, {"cache of responses", &EngineMemory::cache}};

/// Bytes of one part of a device's memory.
struct HeldPart {
  std::string_view name;
  double bytes = 0;
};
/// The parts that sum to `use.total`: kMemoryParts, and kEngineParts if the fullest moment is an
/// engine's.
std::vector<HeldPart> held_parts(const MemoryUse& use);

}  // namespace trcost::catalog
