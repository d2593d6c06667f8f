// SPDX-License-Identifier: Apache-2.0
// Layouts and what they hold, as tables: dimensions of parallelism, parts of a device's memory, and
// the words for them in files, fields and answers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/choice.h"
#include "trcost/layout.h"

namespace trcost {

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

/// What of a model a dimension deals out to its ranks.
enum class Deals : std::uint8_t { nothing, heads, layers, tokens, experts, expert_channels };

/// One dimension of parallelism: what files, flags (`--tp`), fields (`layout.tp`) and answers call
/// it, where it stands, what it splits and what it asks of the software.
struct Dimension {
  std::string_view name;
  std::string_view word;  ///< in front of a degree, in a sentence
  std::string_view help;
  int LayoutDegrees::*in;
  std::optional<int> Degrees::*given;
  bool of_gpus;  ///< the accelerators at work are the product of these
  Deals deals = Deals::nothing;
  bool evenly = false;  ///< the degree divides what it deals; else it is at most that
  /// Of layouts that are equally fast the plan is the one with the least of this degree: that of 1
  /// counts first, 0 not at all.
  std::uint8_t avoided = 0;
  /// The key of a stack's file that says whether the software can; empty where all can.
  std::string_view ability = {};
};
inline constexpr Dimension kDimensions[] = {
    {"tp", "tensor", "tensor parallel degree", &LayoutDegrees::tp, &Degrees::tp, true, Deals::heads,
     true, 3, "tensor_parallel"},
    {"pp", "pipeline", "pipeline parallel degree", &LayoutDegrees::pp, &Degrees::pp, true,
     Deals::layers, false, 1, "pipeline_parallel"},
    {"vp", "stages per rank", "pipeline stages per rank", &LayoutDegrees::vp, &Degrees::vp, false,
     Deals::nothing, false, 5, "virtual_pipeline"},
    {"cp", "context", "context parallel degree", &LayoutDegrees::cp, &Degrees::cp, true,
     Deals::tokens, false, 2, "context_parallel"},
    {"ep", "expert", "expert parallel degree", &LayoutDegrees::ep, &Degrees::ep, false,
     Deals::experts, true, 4},
    {"etp", "expert tensor", "ranks that share one expert's matrices, where there are experts",
     &LayoutDegrees::etp, &Degrees::etp, false, Deals::expert_channels, true},
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
/// `none`, `full`, or `none and 3 layers of a stage in full`.
std::string recompute_words(const Layout& layout);

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

}  // namespace trcost
