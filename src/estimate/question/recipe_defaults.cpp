// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/recipe_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/assumed.h"
#include "catalog/hardware/efficiency.h"
#include "catalog/software/tools.h"
#include "estimate/question/work/resolve_model.h"
#include "scenario/choices.h"
#include "scenario/fields.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "workload/method.h"
#include "workload/workload.h"

namespace trcost::estimation {
namespace {

void refuse(const Scenario& scenario, std::span<const Field> fields, std::string_view why,
            std::string_view instead) {
  for (const Field field : fields) {
    if (!scenario.has(field)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} {}", field_info(field).flag, why),
                std::string(instead));
  }
}

// Fills in fields that are not set, and notes them.
class DefaultFiller {
 public:
  DefaultFiller(Scenario& scenario, Notes& notes) : scenario_(scenario), notes_(notes) {}
  double number(Field field, double value, std::string why, std::string source) {
    if (const auto given = scenario_.number(field)) return *given;
    scenario_.set_number(field_info(field), value, {});
    notes_.add(field, value, std::move(why), std::move(source));
    return value;
  }
  double fallback(Field field) {
    if (const auto given = scenario_.number(field)) return *given;
    const double value = scenario_.number_or_default(field);
    notes_.fallback(field, value);
    return value;
  }

 private:
  Scenario& scenario_;
  Notes& notes_;
};

// Images of a prompt: none unless the scenario specifies some, one if it specifies their size.
void adapt_prompt_images(const Scenario& asked, const Catalog& catalog, DefaultFiller& defaults) {
  if (!is_vision_language(asked, catalog)) return;
  const bool sized =
      asked.has(Field::data_image_size) || asked.has(Field::data_vision_tokens_per_image);
  defaults.number(Field::data_images_per_sample, sized ? 1 : 0,
                  sized ? "one image of that size in each prompt"
                        : "no images in the prompts: set --images-per-sample if yours have some",
                  "trcost default");
}

// Rounds of the passes over a set of prompts: the last, partial round of a pass is left out, as
// frameworks do (verl's drop_last).
double count_rounds(double dataset_prompts, double epochs, double prompts) {
  return std::max(1.0, std::floor(std::floor(dataset_prompts / prompts) * epochs));
}

double resolve_rounds(double prompts, const Scenario& adapted, DefaultFiller& defaults,
                      Notes& notes) {
  const auto set = adapted.number(Field::rollout_dataset_prompts);
  if (adapted.has(Field::rollout_steps)) return *adapted.number(Field::rollout_steps);
  if (!set) {
    if (adapted.has(Field::data_epochs)) {
      notes.warn(
          "--epochs counts passes over the prompts, and their number is not set: set "
          "--dataset-prompts or --steps");
    }
    return defaults.fallback(Field::rollout_steps);
  }
  const double epochs = adapted.number_or_default(Field::data_epochs);
  return defaults.number(
      Field::rollout_steps, count_rounds(*set, epochs, prompts),
      fmt::format("{} prompts, {} of a round, passed over {} time{}", format_exact(*set),
                  format_exact(prompts), format_exact(epochs), epochs == 1 ? "" : "s"),
      "--dataset-prompts");
}

// The mean prompt is not longer than the longest.
double resolve_prompt(const Scenario& adapted, DefaultFiller& defaults) {
  const auto limit = adapted.number(Field::rollout_prompt_limit);
  const double usual = default_number(Field::rollout_prompt_tokens);
  if (!limit) return defaults.fallback(Field::rollout_prompt_tokens);
  const double mean = defaults.number(Field::rollout_prompt_tokens, std::min(usual, *limit),
                                      "the usual mean, at most --prompt-limit", "trcost default");
  if (mean > *limit) {
    throw Error(ErrorKind::usage, "the mean prompt is longer than the longest",
                "lower --prompt-tokens or raise --prompt-limit", "--prompt-limit");
  }
  return mean;
}

// Rollouts are samples of the policy: prompts x responses x rounds, one per sequence.
void adapt_rollouts(Method method, const Catalog& catalog, Notes& notes, Scenario& adapted) {
  constexpr Field kOtherData[] = {Field::data_tokens,     Field::data_tokens_per_param,
                                  Field::data_samples,    Field::data_text_tokens_per_sample,
                                  Field::data_seq_length, Field::data_video,
                                  Field::data_audio};
  refuse(adapted, kOtherData,
         fmt::format("is not used by --method {}: the policy writes its own data",
                     method_row(method).name),
         "set --steps, --prompts, --samples-per-prompt, --prompt-tokens and --response-tokens");
  constexpr Field kSpeed[] = {Field::efficiency_mfu};
  refuse(adapted, kSpeed, "is of one kind of work, and a round has several",
         "leave it out: each phase has its own speed");
  const AssumedChoices& assumed = catalog.assumed();
  const RoundChoice& usual = assumed.round(method_row(method).name);
  DefaultFiller defaults(adapted, notes);
  adapt_prompt_images(adapted, catalog, defaults);
  const double prompts =
      defaults.number(Field::rollout_prompts, usual.prompts, "published rounds", usual.source);
  const double steps = resolve_rounds(prompts, adapted, defaults, notes);
  const double samples =
      defaults.number(Field::rollout_samples_per_prompt, usual.samples_per_prompt,
                      "published rounds", usual.source);
  const double prompt = resolve_prompt(adapted, defaults);
  const auto limit = adapted.number(Field::rollout_response_limit);
  const double response = defaults.number(
      Field::rollout_response_tokens,
      std::min(usual.response_tokens, limit.value_or(usual.response_tokens * 2) / 2),
      usual.response_why, "trcost default");
  const double last = adapted.number_or(Field::rollout_response_tokens_end, response);
  const CatalogNumber& limited = assumed.response_limit;
  defaults.number(Field::rollout_response_limit, limited.value * std::max(response, last),
                  fmt::format("{} times the mean response", format_exact(limited.value)),
                  limited.source);
  const double sequences = prompts * samples;
  const CatalogNumber& most = assumed.update_sequences;
  defaults.number(Field::train_global_batch, std::min(sequences, most.value),
                  fmt::format("sequences of one optimizer step: at most {} of a round",
                              format_exact(most.value)),
                  most.source);
  adapted.set_number(field_info(Field::data_samples), steps * sequences, {});
  adapted.set_number(field_info(Field::data_text_tokens_per_sample), prompt + (response + last) / 2,
                     {});
  adapted.set_number(field_info(Field::data_epochs),
                     adapted.number_or_default(Field::rollout_epochs), {});
}

bool has_tokens(const Scenario& scenario) {
  return scenario.has(Field::data_tokens) || scenario.has(Field::data_tokens_per_param);
}

Training language_training(const Scenario& scenario) {
  if (scenario.has(Field::train_language)) {
    return value_of(kTrainings, scenario.text(Field::train_language));
  }
  return value_of(kRecipes, scenario.text(Field::train_recipe)).language;
}

// Adapters and projectors learn from samples, whose number no law of pre-training gives.
bool adapts_to_default_data(const Scenario& scenario, const Catalog& catalog) {
  if (scenario.has(Field::train_method) || has_tokens(scenario)) return false;
  if (scenario.has(Field::data_samples) || language_training(scenario) == Training::full) {
    return false;
  }
  return !scenario.has(Field::model_name) ||
         !is_contrastive(catalog.model(scenario.text(Field::model_name)));
}

const SampleChoice& usual_samples(Method method, const Scenario& scenario, const Catalog& catalog) {
  const AssumedChoices& assumed = catalog.assumed();
  if (method != Method::sft) return assumed.preferences;
  if (!is_vision_language(scenario, catalog)) return assumed.instructions;
  const bool projector = language_training(scenario) == Training::frozen;
  return projector ? assumed.captions : assumed.image_instructions;
}

// Fills in the number of examples if neither tokens nor samples are given.
void adapt_examples(Method method, const Catalog& catalog, Notes& notes, Scenario& adapted) {
  DefaultFiller defaults(adapted, notes);
  if (has_tokens(adapted)) return;
  const SampleChoice& usual = usual_samples(method, adapted, catalog);
  const double each = method_row(method).sequences_per_sample;
  defaults.number(Field::data_samples, usual.count,
                  usual.count_why + (each > 1 ? ", each of two answers" : ""), usual.count_source);
  if (each > 1) {
    adapted.set_number(field_info(Field::data_samples), each * *adapted.number(Field::data_samples),
                       {});
  }
}

// Rollout fields of a method without rollouts. The reference also scores the pairs of DPO and KTO.
void refuse_rollouts(Method method, const Scenario& scenario) {
  static const std::vector<Field> of_rollouts = [] {
    std::vector<Field> out;
    for (const FieldInfo& info : fields()) {
      if (info.group == FieldGroup::rollout) out.push_back(info.field);
    }
    return out;
  }();
  for (const Field& field : of_rollouts) {
    if (field == Field::rollout_reference && asks_reference(method)) continue;
    refuse(scenario, std::span(&field, 1), "is of rollouts, and nothing here writes responses",
           "set --method grpo, ppo or distill");
  }
}

// Fills in the data of a post-training method: rollouts as samples of the policy, or the usual
// number of examples. False for pre-training and for fine-tuning on given data.
bool method_defaults(const Scenario& scenario, const Catalog& catalog, Notes& notes,
                     Scenario& adapted) {
  Method method = method_named(scenario.text(Field::train_method));
  if (!method_row(method).generates) refuse_rollouts(method, scenario);
  if (adapts_to_default_data(scenario, catalog)) method = Method::sft;
  if (method == Method::pretrain) return false;
  adapted = scenario;
  if (method_row(method).generates) {
    adapt_rollouts(method, catalog, notes, adapted);
  } else {
    adapt_examples(method, catalog, notes, adapted);
  }
  return true;
}

// Adaptations, whatever their size: the amount of data changes no software, so that more data never
// costs less. Of the runs in data/runs/vision.csv, all but Megatron's own examples and Llama 3.2
// Vision used the recipes of Hugging Face code.
bool is_tuning(const Scenario& scenario) {
  return scenario.has(Field::data_samples) ||
         !value_of(kRecipes, scenario.text(Field::train_recipe)).everything();
}

// Training of all parameters on tokens. Their number decides no software, so that more tokens never
// cost less.
bool is_full_training(const Scenario& scenario) {
  return method_named(scenario.text(Field::train_method)) == Method::pretrain &&
         value_of(kRecipes, scenario.text(Field::train_recipe)).everything() &&
         !scenario.has(Field::data_samples);
}

// Degrees above 1 imply other software. A given speed does not, so memory stays the same.
bool implies_other_software(const Scenario& scenario) {
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    const bool divides = scenario.number(kDimensionFields[i]).value_or(1) > 1;
    if (!makes_replicas(kDimensions[i]) && divides) return true;
  }
  return false;
}

// Sets the stack of a default (EntryChoice, StackChoice), and notes why.
template <class Usual>
void take_stack(const Usual& usual, Scenario& adapted, Notes& notes) {
  adapted.set_text(Field::efficiency_stack, usual.name);
  notes.add(Field::efficiency_stack, usual.name, usual.why, usual.source);
}

// Software of mixtures of experts that are too large for the usual stack.
std::optional<Scenario> mixture_defaults(const Scenario& scenario, const Catalog& catalog,
                                         std::string_view accelerator, Notes& notes) {
  if (!scenario.has(Field::model_name) || scenario.has(Field::efficiency_stack) ||
      !is_full_training(scenario)) {
    return std::nullopt;
  }
  const StackChoice& usual = catalog.assumed().mixture_stack;
  if (!usual.runs_on(catalog.accelerator(accelerator).architecture)) return std::nullopt;
  const Model& model = catalog.model(scenario.text(Field::model_name));
  if (!model.language.moe || count_parameters(model).total <= usual.above_params) {
    return std::nullopt;
  }
  Scenario adapted = scenario;
  take_stack(usual, adapted, notes);
  if (!scenario.has(Field::efficiency_tuning)) {
    adapted.set_text(Field::efficiency_tuning, tuning_name(usual.tuning));
    notes.add(Field::efficiency_tuning, tuning_name(usual.tuning), usual.why, usual.source);
  }
  return adapted;
}

std::optional<Scenario> vision_tuning_defaults(const Scenario& scenario, const Catalog& catalog,
                                               Notes& notes) {
  if (!is_tuning(scenario) || implies_other_software(scenario) ||
      !is_vision_language(scenario, catalog)) {
    return std::nullopt;
  }
  const EntryChoice& usual = catalog.assumed().tuning_stack;
  const bool stack_given = scenario.has(Field::efficiency_stack);
  if (stack_given && scenario.text(Field::efficiency_stack) != usual.name) return std::nullopt;
  if (scenario.has(Field::layout_recompute) && stack_given) return std::nullopt;
  Scenario adapted = scenario;
  if (!stack_given) take_stack(usual, adapted, notes);
  if (!scenario.has(Field::layout_recompute) && !scenario.has(Field::layout_recompute_layers)) {
    adapted.set_text(Field::layout_recompute, "full");
    notes.add(Field::layout_recompute, "full",
              "such recipes recompute whether or not memory requires it",
              "gradient_checkpointing in the scripts of LLaVA, TinyLLaVA, XTuner and ms-swift");
  }
  return adapted;
}

// Software of adapters and of fine-tuning on samples beside a model of text alone: one program does
// both. It divides no mixture that is trained whole.
std::optional<Scenario> adapter_defaults(const Scenario& scenario, const Catalog& catalog,
                                         Notes& notes) {
  const bool mixture = scenario.has(Field::model_name) &&
                       catalog.model(scenario.text(Field::model_name)).language.moe.has_value();
  const bool tuned =
      has_adapters(language_training(scenario)) || (trains_on_samples(scenario) && !mixture);
  if (!tuned || scenario.has(Field::efficiency_stack) || implies_other_software(scenario) ||
      is_vision_language(scenario, catalog)) {
    return std::nullopt;
  }
  Scenario adapted = scenario;
  take_stack(catalog.assumed().adapter_stack, adapted, notes);
  return adapted;
}

std::optional<Scenario> contrastive_defaults(const Scenario& scenario, const Catalog& catalog,
                                             Notes& notes) {
  if (!scenario.has(Field::model_name)) return std::nullopt;
  if (!is_contrastive(catalog.model(scenario.text(Field::model_name)))) return std::nullopt;
  // With these defaults the published OpenCLIP runs (ViT-B/32 to L/14 on A100, GPU-hours of its
  // README) are estimated at 0.9 to 1.4 of their hours, with a tuned stack at less than half.
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

// The stack that a tool of that name trains with, and the tool's defaults.
std::optional<Scenario> tool_defaults(const Scenario& scenario, const Catalog& catalog,
                                      Notes& notes) {
  if (!scenario.has(Field::efficiency_stack)) return std::nullopt;
  const std::string_view typed = scenario.text(Field::efficiency_stack);
  const catalog::Tool* const tool = catalog::find_tool(catalog, typed);
  if (tool == nullptr) return std::nullopt;
  const std::size_t release = std::min(typed.find('@'), typed.size());
  Scenario adapted = scenario;
  adapted.set_text(Field::efficiency_stack, tool->stack + std::string(typed.substr(release)));
  notes.add(Field::efficiency_stack, tool->stack, fmt::format("the stack of {}", tool->title),
            tool->source);
  const bool adapters = has_adapters(language_training(scenario));
  for (const auto& [path, value] : tool->defaults) {
    const FieldInfo& info = *find_field(path);
    const bool unused = field_meaning(info.field).needs == Precondition::adapters && !adapters;
    const bool partly =
        info.field == Field::layout_recompute && scenario.has(Field::layout_recompute_layers);
    if (unused || partly || scenario.has(info.field)) continue;
    adapted.set(info, value, tool->title);
    notes.add(info.field, value, fmt::format("default of {}", tool->title), tool->source);
  }
  return adapted;
}

}  // namespace

bool usual_recipe(const Scenario& asked, const Catalog& catalog, std::string_view accelerator,
                  Notes& notes, Scenario& adapted) {
  const std::optional<Scenario> of_tool = tool_defaults(asked, catalog, notes);
  const Scenario& start = of_tool ? *of_tool : asked;
  const bool method = method_defaults(start, catalog, notes, adapted);
  // Rollouts bring their own software. Examples of a method are adapted to like any others.
  if (method && method_row(method_named(start.text(Field::train_method))).generates) return true;
  const Scenario& so_far = method ? adapted : start;
  std::optional<Scenario> tuned = contrastive_defaults(so_far, catalog, notes);
  if (!tuned) tuned = vision_tuning_defaults(so_far, catalog, notes);
  if (!tuned) tuned = adapter_defaults(so_far, catalog, notes);
  if (!tuned) tuned = mixture_defaults(so_far, catalog, accelerator, notes);
  if (!tuned && !method) tuned = of_tool;
  if (!tuned) return method;
  adapted = *std::move(tuned);
  return true;
}

bool trains_on_samples(const Scenario& scenario) {
  return scenario.has(Field::data_samples) || scenario.text(Field::train_method) == "sft";
}

}  // namespace trcost::estimation
