// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/method_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/assumed.h"
#include "estimate/question/work/resolve_model.h"
#include "scenario/choices.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "workload/blocks/contrastive.h"

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

// Sets what is not said, and says so.
class Defaults {
 public:
  Defaults(Scenario& scenario, Notes& notes) : scenario_(scenario), notes_(notes) {}
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

// Rollouts are samples of the policy: prompts x responses x rounds, one per sequence.
void adapt_rollouts(Method method, const Catalog& catalog, Notes& notes, Scenario& adapted) {
  constexpr Field kOtherData[] = {Field::data_tokens,           Field::data_tokens_per_param,
                                  Field::data_samples,          Field::data_text_tokens_per_sample,
                                  Field::data_epochs,           Field::data_seq_length,
                                  Field::data_image_size,       Field::data_video,
                                  Field::data_images_per_sample};
  refuse(
      adapted, kOtherData,
      fmt::format("is not of --method {}: the policy writes its own data", method_row(method).name),
      "give --steps, --prompts, --samples-per-prompt, --prompt-tokens and --response-tokens");
  constexpr Field kSpeed[] = {Field::efficiency_mfu};
  refuse(adapted, kSpeed, "is of one kind of work, and a round has several",
         "leave it out: each phase has its own speed");
  const AssumedChoices& assumed = catalog.assumed();
  const RoundChoice& usual = assumed.round(method_row(method).name);
  Defaults defaults(adapted, notes);
  const double steps = defaults.fallback(Field::rollout_steps);
  const double prompts =
      defaults.number(Field::rollout_prompts, usual.prompts, "published rounds", usual.source);
  const double samples =
      defaults.number(Field::rollout_samples_per_prompt, usual.samples_per_prompt,
                      "published rounds", usual.source);
  const double prompt = defaults.fallback(Field::rollout_prompt_tokens);
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

bool says_tokens(const Scenario& scenario) {
  return scenario.has(Field::data_tokens) || scenario.has(Field::data_tokens_per_param);
}

Training language_training(const Scenario& scenario) {
  if (scenario.has(Field::train_language)) {
    return value_of(kTrainings, scenario.text(Field::train_language));
  }
  return value_of(kRecipes, scenario.text(Field::train_recipe)).language;
}

// Adapters and projectors learn from samples: no law of pre-training says how many, and what is as
// long as pre-training would be no adaptation.
bool adapts_to_unsaid(const Scenario& scenario, const Catalog& catalog) {
  if (scenario.has(Field::train_method) || says_tokens(scenario)) return false;
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

// How many examples, where neither tokens nor samples are said.
void adapt_examples(Method method, const Catalog& catalog, Notes& notes, Scenario& adapted) {
  Defaults defaults(adapted, notes);
  if (says_tokens(adapted)) return;
  const SampleChoice& usual = usual_samples(method, adapted, catalog);
  const double each = method_row(method).sequences_per_sample;
  defaults.number(Field::data_samples, usual.count,
                  usual.count_why + (each > 1 ? ", each of two answers" : ""), usual.count_source);
  if (each > 1) {
    adapted.set_number(field_info(Field::data_samples), each * *adapted.number(Field::data_samples),
                       {});
  }
}

// Where nothing is generated; the reference scores what DPO and KTO learn from, too.
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
           "give --method grpo, ppo or distill");
  }
}

}  // namespace

bool method_defaults(const Scenario& scenario, const Catalog& catalog, Notes& notes,
                     Scenario& adapted) {
  Method method = method_named(scenario.text(Field::train_method));
  if (!method_row(method).generates) refuse_rollouts(method, scenario);
  if (adapts_to_unsaid(scenario, catalog)) method = Method::sft;
  if (method == Method::pretrain) return false;
  adapted = scenario;
  if (method_row(method).generates) {
    adapt_rollouts(method, catalog, notes, adapted);
  } else {
    adapt_examples(method, catalog, notes, adapted);
  }
  return true;
}

}  // namespace trcost::estimation
