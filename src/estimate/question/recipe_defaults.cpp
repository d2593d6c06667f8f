// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/recipe_defaults.h"

#include <optional>
#include <utility>

#include "catalog/assumed.h"
#include "catalog/hardware/efficiency.h"
#include "estimate/question/method_defaults.h"
#include "estimate/question/work/resolve_model.h"
#include "scenario/dimensions.h"
#include "workload/blocks/contrastive.h"
#include "workload/method.h"
#include "workload/workload.h"

namespace trcost::estimation {
namespace {

// Of the published vision-language runs of data/runs/vision.csv none above so much used the recipes
// of Hugging Face code, and all but Megatron's own examples below did.
constexpr double kMostTuningSamples = 5e8;
constexpr double kMostTuningTokens = 1e11;

bool is_tuning(const Scenario& scenario) {
  const double epochs = scenario.number_or_default(Field::data_epochs);
  if (const auto samples = scenario.number(Field::data_samples)) {
    return *samples * epochs <= kMostTuningSamples;
  }
  if (value_of(kRecipes, scenario.text(Field::train_recipe)).everything()) return false;
  const auto tokens = scenario.number(Field::data_tokens);
  return tokens && *tokens * epochs <= kMostTuningTokens;
}

// All learns, from tokens: how many they are makes no other software, so that more never cost less.
bool is_full_training(const Scenario& scenario) {
  return method_named(scenario.text(Field::train_method)) == Method::pretrain &&
         value_of(kRecipes, scenario.text(Field::train_recipe)).everything() &&
         !scenario.has(Field::data_samples);
}

// Whoever splits a model or states its speed has other software in mind.
bool says_otherwise(const Scenario& scenario) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    if (!makes_replicas(kDimensions[i]) && scenario.has(kDimensionFields[i])) return true;
  }
  return scenario.has(Field::efficiency_mfu);
}

// A mixture of experts so large that it is trained by who has software for it.
std::optional<Scenario> mixture_defaults(const Scenario& scenario, const Catalog& catalog,
                                         std::string_view accelerator, Notes& notes) {
  if (!scenario.has(Field::model_name) || scenario.has(Field::efficiency_stack) ||
      scenario.has(Field::efficiency_mfu) || !is_full_training(scenario)) {
    return std::nullopt;
  }
  const StackChoice& usual = catalog.assumed().mixture_stack;
  if (!usual.runs_on(catalog.accelerator(accelerator).architecture)) return std::nullopt;
  const Model& model = catalog.model(scenario.text(Field::model_name));
  if (!model.language.moe || count_parameters(model).total <= usual.above_params) {
    return std::nullopt;
  }
  Scenario adapted = scenario;
  adapted.set_text(Field::efficiency_stack, usual.name);
  notes.add(Field::efficiency_stack, usual.name, usual.why, usual.source);
  if (!scenario.has(Field::efficiency_tuning)) {
    adapted.set_text(Field::efficiency_tuning, tuning_name(usual.tuning));
    notes.add(Field::efficiency_tuning, tuning_name(usual.tuning), usual.why, usual.source);
  }
  return adapted;
}

std::optional<Scenario> vision_tuning_defaults(const Scenario& scenario, const Catalog& catalog,
                                               Notes& notes) {
  if (!is_tuning(scenario) || says_otherwise(scenario) || !is_vision_language(scenario, catalog)) {
    return std::nullopt;
  }
  const EntryChoice& usual = catalog.assumed().tuning_stack;
  const bool stack_given = scenario.has(Field::efficiency_stack);
  if (stack_given && scenario.text(Field::efficiency_stack) != usual.name) return std::nullopt;
  if (scenario.has(Field::layout_recompute) && stack_given) return std::nullopt;
  Scenario adapted = scenario;
  if (!stack_given) {
    adapted.set_text(Field::efficiency_stack, usual.name);
    notes.add(Field::efficiency_stack, usual.name, usual.why, usual.source);
  }
  if (!scenario.has(Field::layout_recompute) && !scenario.has(Field::layout_recompute_layers)) {
    adapted.set_text(Field::layout_recompute, "full");
    notes.add(Field::layout_recompute, "full",
              "these recipes checkpoint whether or not memory asks for it",
              "gradient_checkpointing in the scripts of LLaVA, TinyLLaVA, XTuner and ms-swift");
  }
  return adapted;
}

std::optional<Scenario> contrastive_defaults(const Scenario& scenario, const Catalog& catalog,
                                             Notes& notes) {
  if (!scenario.has(Field::model_name)) return std::nullopt;
  if (!is_contrastive(catalog.model(scenario.text(Field::model_name)))) return std::nullopt;
  // With these the published OpenCLIP runs (ViT-B/32 to L/14 on A100, GPU-hours of its README) come
  // out at 0.9 to 1.4 of what they took; with a tuned stack at less than half.
  const EntryChoice& stack = catalog.assumed().contrastive_stack;
  const std::pair<Field, std::string_view> usual[] = {
      {Field::efficiency_stack, stack.name},
      {Field::train_attention, "standard"},
  };
  Scenario adapted = scenario;
  for (const auto& [field, value] : usual) {
    if (scenario.has(field)) continue;
    adapted.set_text(field, value);
    notes.add(field, value, stack.why, stack.source);
  }
  return adapted;
}

}  // namespace

bool usual_recipe(const Scenario& asked, const Catalog& catalog, std::string_view accelerator,
                  Notes& notes, Scenario& adapted) {
  const bool method = method_defaults(asked, catalog, notes, adapted);
  // Rollouts bring their own software. Examples of a method are adapted to like any others.
  if (method && method_row(method_named(asked.text(Field::train_method))).generates) return true;
  const Scenario& so_far = method ? adapted : asked;
  std::optional<Scenario> tuned = contrastive_defaults(so_far, catalog, notes);
  if (!tuned) tuned = vision_tuning_defaults(so_far, catalog, notes);
  if (!tuned) tuned = mixture_defaults(so_far, catalog, accelerator, notes);
  if (!tuned) return method;
  adapted = *std::move(tuned);
  return true;
}

}  // namespace trcost::estimation
