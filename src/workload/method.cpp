// SPDX-License-Identifier: Apache-2.0
#include "workload/method.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace trcost::workload {

namespace {

constexpr MethodRow kMethods[] = {
#define TRCOST_METHOD(id, ...) {Method::id, __VA_ARGS__},
#include "catalog/software/methods.def"
#undef TRCOST_METHOD
};

}  // namespace

std::string_view work_name(Work work) {
  constexpr std::string_view kNames[] = {"train", "forward", "generate", "wait"};
  return kNames[static_cast<std::size_t>(work)];
}

const MethodRow& method_row(Method method) {
  return kMethods[static_cast<std::size_t>(method)];
}

Method method_named(std::string_view name) {
  if (name.empty()) return Method::pretrain;
  const auto* row = std::ranges::find(kMethods, name, &MethodRow::name);
  if (row == std::end(kMethods)) throw std::logic_error("no method " + std::string(name));
  return row->method;
}

std::vector<Phase> phases_of(Method method, const MethodOptions& options) {
  const Phase reference{"forward_reference", Work::forward, Role::reference};
  const Phase learn{"train_policy", Work::train, Role::policy, options.epochs};
  switch (method) {
    case Method::pretrain:
    case Method::sft:
    case Method::reward:
      return {learn};
    case Method::dpo:
      if (!options.reference) return {learn};
      return {reference, learn};
    case Method::kto:
      // Beside the answers, mismatched pairs estimate the divergence.
      if (!options.reference) return {learn};
      return {{"forward_reference", Work::forward, Role::reference, 2},
              {"forward_policy", Work::forward, Role::policy},
              learn};
    case Method::ppo:
    case Method::grpo:
    case Method::distill:
      break;
  }
  std::vector<Phase> out = {{"generate", Work::generate, Role::policy}};
  if (options.reference) out.push_back(reference);
  if (options.reward_model) out.push_back({"forward_reward", Work::forward, Role::reward});
  if (method == Method::ppo) out.push_back({"forward_critic", Work::forward, Role::critic});
  if (method == Method::distill) out.push_back({"forward_teacher", Work::forward, Role::teacher});
  out.push_back({"forward_policy", Work::forward, Role::policy});
  out.push_back(learn);
  if (method == Method::ppo) {
    out.push_back({"train_critic", Work::train, Role::critic, options.epochs});
  }
  return out;
}

namespace {

struct PhasePasses {
  bool more_than_learning = false;
  bool reference = false;
};

// Asked for every row of a sweep.
const PhasePasses& passes_of(Method method) {
  static const auto table = [] {
    std::array<PhasePasses, std::size(kMethods)> out;
    for (const MethodRow& row : kMethods) {
      const std::vector<Phase> phases = phases_of(row.method, {});
      out[static_cast<std::size_t>(row.method)] = {
          phases.size() > 1,
          std::ranges::find(phases, Role::reference, &Phase::role) != phases.end()};
    }
    return out;
  }();
  return table[static_cast<std::size_t>(method)];
}

}  // namespace

bool has_phases(Method method) {
  return passes_of(method).more_than_learning;
}

bool asks_reference(Method method) {
  return passes_of(method).reference;
}

bool takes_part(std::span<const Phase> phases, Role role) {
  return std::ranges::find(phases, role, &Phase::role) != phases.end();
}

bool learns(std::span<const Phase> phases, Role role) {
  return std::ranges::any_of(
      phases, [&](const Phase& p) { return p.role == role && p.work == Work::train; });
}

}  // namespace trcost::workload
