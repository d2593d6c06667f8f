// SPDX-License-Identifier: Apache-2.0
#include "catalog/layout/layout.h"

#include <fmt/format.h>

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

}  // namespace trcost

namespace trcost::catalog {

std::string degree_words(const Layout& l, bool all) {
  std::vector<std::string> words;
  for (const Dimension& each : kDimensions) {
    const int degree = l.*each.in;
    const bool replicas = makes_replicas(each);  // follow from the others and the GPUs
    const bool implied = each.in == &LayoutDegrees::etp && degree == (l.ep > 1 ? 1 : l.tp);
    if (degree == 0 || implied || (!all && (degree == 1 || replicas))) continue;
    words.push_back(fmt::format("{} {}", each.name, degree));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string split_words(const LayoutDegrees& split) {
  std::vector<int> degrees;
  for (const Dimension& each : kDimensions) {
    if (each.of_gpus) degrees.push_back(split.*each.in);
  }
  return fmt::format("{}", fmt::join(degrees, "/"));
}

std::string product_words(const Degrees& degrees) {
  std::vector<std::string> words;
  for (const Dimension& each : kDimensions) {
    const std::optional<int>& degree = degrees.*each.given;
    if (each.of_gpus && degree) words.push_back(fmt::format("{} {}", each.name, *degree));
  }
  return fmt::format("{}", fmt::join(words, " x "));
}

std::string recompute_words(const Layout& l, double layers) {
  const std::string word(recompute_name(l.recompute));
  if (l.recompute_layers == 0) return word;
  if (layers > 0 && l.recompute_layers * l.pp >= layers) {
    return std::string(recompute_name(Recompute::full));
  }
  return fmt::format(
      "{}{} layer{}{} in full", l.recompute == Recompute::none ? std::string() : word + " and ",
      l.recompute_layers, l.recompute_layers == 1 ? "" : "s", l.pp > 1 ? " of each stage" : "");
}

std::vector<HeldPart> held_parts(const MemoryUse& use) {
  std::vector<HeldPart> out;
  for (const auto& part : kMemoryParts) out.push_back({part.name, use.*part.bytes});
  if (!use.generating) return out;
  for (const auto& part : kEngineParts) out.push_back({part.name, use.generated().*part.bytes});
  return out;
}

}  // namespace trcost::catalog
