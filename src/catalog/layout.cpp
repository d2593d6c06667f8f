// SPDX-License-Identifier: Apache-2.0
// How layouts are called in files and reports.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "trcost/layout.h"

namespace trcost {

std::string_view sharding_name(Sharding sharding) {
  switch (sharding) {
    case Sharding::none: return "none";
    case Sharding::optimizer: return "optimizer";
    case Sharding::gradients: return "gradients";
    case Sharding::parameters: return "parameters";
    case Sharding::hybrid: return "hybrid";
  }
  return "none";
}

std::string_view recompute_name(Recompute recompute) {
  switch (recompute) {
    case Recompute::none: return "none";
    case Recompute::selective: return "selective";
    case Recompute::full: return "full";
  }
  return "none";
}

std::string_view context_kind_name(ContextKind kind) {
  return kind == ContextKind::ulysses ? "ulysses" : "ring";
}

std::string degree_words(const Layout& l, bool all) {
  std::string text;
  for (const Dimension& each : kDimensions) {
    const int degree = l.*each.in;
    const bool replicas = each.in == &Layout::dp;  // follow from the others and the GPUs
    const bool implied = each.in == &Layout::etp && degree == (l.ep > 1 ? 1 : l.tp);
    if (degree == 0 || implied || (!all && (degree == 1 || replicas))) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", each.name, degree);
  }
  return text;
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
