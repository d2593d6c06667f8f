// SPDX-License-Identifier: Apache-2.0
// How layouts and the terms of a step are called in files and reports.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "trcost/performance.h"

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
  const std::pair<std::string_view, int> degrees[] = {{"tp", l.tp}, {"pp", l.pp},   {"vp", l.vp},
                                                      {"cp", l.cp}, {"ep", l.ep},   {"etp", l.etp},
                                                      {"dp", l.dp}};
  std::string text;
  for (const auto& [name, degree] : degrees) {
    const bool replicas = name == "dp";  // follow from the others and the GPUs
    const bool implied = name == "etp" && degree == (l.ep > 1 ? 1 : l.tp);
    if (degree == 0 || implied || (!all && (degree == 1 || replicas))) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, degree);
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

namespace {

constexpr std::array<std::string_view, 3> kTunings = {"showcase", "usual", "first-run"};

}  // namespace

std::string_view tuning_name(Tuning tuning) { return kTunings[static_cast<std::size_t>(tuning)]; }

std::optional<Tuning> parse_tuning(std::string_view word) {
  const auto found = std::ranges::find(kTunings, word);
  if (found == kTunings.end()) return std::nullopt;
  return static_cast<Tuning>(found - kTunings.begin());
}

std::string_view step_term_name(StepTerm name) {
  static constexpr std::array<std::string_view, kStepTermCount> names = {
      "matmul_peak",     "kernel",           "attention",       "elementwise",
      "recompute",       "vision",           "tensor_parallel", "context_parallel",
      "expert_parallel", "pipeline_bubble",  "pipeline_transfer", "data_parallel",
      "optimizer",       "imbalance",        "tuning",           "padding"};
  return names[static_cast<std::size_t>(name)];
}

bool is_network_term(StepTerm name) {
  switch (name) {
    case StepTerm::tensor_parallel:
    case StepTerm::context_parallel:
    case StepTerm::expert_parallel:
    case StepTerm::pipeline_transfer:
    case StepTerm::data_parallel: return true;
    default: return false;
  }
}

}  // namespace trcost
