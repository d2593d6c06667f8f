// SPDX-License-Identifier: Apache-2.0
// How layouts are called in files and reports.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "catalog/software/choices.h"
#include "quantity/layers.h"
#include "trcost/layout.h"

namespace trcost {

std::string_view sharding_name(Sharding sharding) {
  return word_of(kShardings, sharding);
}

std::string_view recompute_name(Recompute recompute) {
  return word_of(kRecomputes, recompute);
}

std::string_view context_kind_name(ContextKind kind) {
  return word_of(kContextKinds, kind);
}

std::vector<HeldPart> held_parts(const MemoryUse& use) {
  std::vector<HeldPart> out;
  for (const MemoryPart& part : kMemoryParts) out.push_back({part.name, use.*part.bytes});
  if (!use.generating) return out;
  for (const EnginePart& part : kEngineParts) {
    out.push_back({part.name, use.generated().*part.bytes});
  }
  return out;
}

std::string degree_words(const Layout& l, bool all) {
  std::string text;
  for (const Dimension& each : kDimensions) {
    const int degree = l.*each.in;
    const bool replicas = makes_replicas(each);  // follow from the others and the GPUs
    const bool implied = each.in == &LayoutDegrees::etp && degree == (l.ep > 1 ? 1 : l.tp);
    if (degree == 0 || implied || (!all && (degree == 1 || replicas))) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", each.name, degree);
  }
  return text;
}

}  // namespace trcost

namespace trcost::catalog {

namespace {

// What `words` makes of each of the dimensions that multiply to the accelerators, empty ones left
// out.
template <class Words>
std::string joined(std::string_view between, const Words& words) {
  std::string text;
  for (const Dimension& each : kDimensions) {
    const std::string part = each.of_gpus ? words(each) : std::string();
    if (!part.empty()) text += fmt::format("{}{}", text.empty() ? "" : between, part);
  }
  return text;
}

}  // namespace

}  // namespace trcost::catalog

namespace trcost {

std::string split_words(const LayoutDegrees& split) {
  return joined("/", [&](const Dimension& each) { return std::to_string(split.*each.in); });
}

std::string product_words(const Degrees& given) {
  return joined(" x ", [&](const Dimension& each) {
    const std::optional<int>& degree = given.*each.given;
    return degree ? fmt::format("{} {}", each.name, *degree) : std::string();
  });
}

std::string recompute_words(const Layout& l) {
  std::string text(recompute_name(l.recompute));
  if (l.recompute_layers > 0) {
    text += fmt::format(" and {} layer{} of a stage in full", l.recompute_layers,
                        l.recompute_layers == 1 ? "" : "s");
  }
  return text;
}

}  // namespace trcost
