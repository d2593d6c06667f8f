// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/question.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "catalog/layout/layout.h"
#include "catalog/models/model.h"
#include "catalog/software/stacks.h"
#include "estimate/question/data/resolve_amounts.h"
#include "estimate/question/data/resolve_work.h"
#include "quantity/portable_math.h"
#include "scenario/fields.h"

namespace trcost::estimation {
namespace {

std::optional<int> given_degree(const Scenario& scenario, Field field) {
  const auto value = scenario.number(field);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

template <class T, std::size_t kCount>
std::optional<T> given_choice(const Scenario& scenario, Field field,
                              const Choice<T> (&words)[kCount]) {
  if (!scenario.has(field)) return std::nullopt;
  return value_of(words, scenario.text(field));
}

// Rounded in steps of 9 %, finer than the fit, so that rows of a sweep and tries of a solver that
// differ by a few tokens share a plan.
double round_critical_batch(double critical_batch) {
  constexpr double kStepsPerDoubling = 8;
  return portable_pow(
      2, std::round(kStepsPerDoubling * portable_log2(critical_batch)) / kStepsPerDoubling);
}

PlanRequest resolve_layout(const Scenario& scenario, const Amounts& amounts) {
  PlanRequest out;
  if (amounts.global_batch_given) out.global_batch = amounts.global_batch;
  if (amounts.critical_batch) out.critical_batch = round_critical_batch(*amounts.critical_batch);
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    out.*kDimensions[i].given = given_degree(scenario, kDimensionFields[i]);
  }
  out.micro_batch = scenario.number(Field::train_micro_batch);
  out.sharding = given_choice(scenario, Field::layout_sharding, kShardings);
  out.recompute = given_choice(scenario, Field::layout_recompute, kRecomputes);
  out.context_kind = given_choice(scenario, Field::layout_context_kind, kContextKinds);
  out.recompute_layers = given_degree(scenario, Field::layout_recompute_layers);
  out.sequence_parallel = scenario.flag(Field::layout_sequence_parallel);
  out.memory_margin = scenario.number(Field::hardware_memory_margin);
  assume_no_virtual_stages(out);
  return out;
}

}  // namespace

FixedLayout resolve_fixed_layout(const Scenario& scenario, const Amounts& amounts) {
  FixedLayout out;
  out.gpus = scenario.number(Field::hardware_gpus);
  out.deadline = scenario.number_or_default(Field::hardware_deadline);
  out.deadline_given = scenario.has(Field::hardware_deadline);
  out.mfu = scenario.number(Field::efficiency_mfu);
  out.layout = resolve_layout(scenario, amounts);
  return out;
}

Task resolve_task(const Scenario& scenario, const Catalog& catalog, std::string_view accelerator,
                  Notes& notes) {
  ResolvedWork work = resolve_work(scenario, catalog, notes);
  Task out;
  out.amounts = resolve_amounts(scenario, work, notes);
  out.prepared = prepare(std::move(work), scenario, catalog, accelerator, notes);
  note_vision_habits(scenario, *out.prepared, notes);
  out.fixed = resolve_fixed_layout(scenario, out.amounts);
  note_abilities(out, notes);
  return out;
}

void note_abilities(const Task& task, Notes& notes) {
  const Stack& stack = *task.platform().stack;
  const std::string beyond = beyond_stack(task.fixed.layout, stack);
  if (beyond.empty()) return;
  notes.warn(
      fmt::format("stack {} is not known to do {}: computed all the same", stack.name, beyond));
}

}  // namespace trcost::estimation
