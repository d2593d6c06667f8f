// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "estimate/field_names.h"
#include "estimate/round.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/quantity.h"

namespace trcost {
namespace {

// What a round is where nobody says.
struct RolloutDefaults {
  Method method;
  double prompts, samples, response;
  std::string_view source;
};
constexpr RolloutDefaults kRollouts[] = {
    {Method::ppo, 512, 1, 512, "InstructGPT, arXiv:2203.02155, appendix C.4: 512 prompts a round"},
    {Method::grpo, 256, 16, 4000,
     "between DeepSeek-R1 (32 x 16, arXiv:2501.12948) and DAPO (512 x 16, arXiv:2503.14476)"},
    {Method::distill, 256, 4, 4000, "Thinking Machines, on-policy distillation, 2025-10"},
};
constexpr double kLimitOverMean = 4;
constexpr double kUpdateSequences = 512;

const RolloutDefaults& rollout_defaults(Method method) {
  return *std::ranges::find(kRollouts, method, &RolloutDefaults::method);
}

void refuse(const Scenario& scenario, std::span<const Field> fields, std::string_view why,
            std::string_view instead) {
  for (const Field field : fields) {
    if (!scenario.has(field)) continue;
    throw Error(ErrorKind::usage, fmt::format("{} {}", field_info(field).flag, why),
                std::string(instead), std::string(field_info(field).flag));
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
void adapt_rollouts(Method method, Notes& notes, Scenario& adapted) {
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
  const RolloutDefaults& usual = rollout_defaults(method);
  Defaults defaults(adapted, notes);
  const std::string source(usual.source);
  const double steps = defaults.fallback(Field::rollout_steps);
  const double prompts =
      defaults.number(Field::rollout_prompts, usual.prompts, "published rounds", source);
  const double samples =
      defaults.number(Field::rollout_samples_per_prompt, usual.samples, "published rounds", source);
  const double prompt = defaults.fallback(Field::rollout_prompt_tokens);
  const auto limit = adapted.number(Field::rollout_response_limit);
  const double response =
      defaults.number(Field::rollout_response_tokens,
                      std::min(usual.response, limit.value_or(usual.response * 2) / 2),
                      method == Method::ppo ? "answers of a dialogue"
                                            : "answers that reason; they grow in training",
                      "trcost default");
  defaults.number(Field::rollout_response_limit, kLimitOverMean * response,
                  "4 times the mean response", "trcost default");
  const double sequences = prompts * samples;
  defaults.number(Field::train_global_batch, std::min(sequences, kUpdateSequences),
                  "sequences of one optimizer step: at most 512 of a round, as NeMo RL and DAPO",
                  "NVIDIA-NeMo/RL, performance summary; arXiv:2503.14476");
  adapted.set_number(field_info(Field::data_samples), steps * sequences, {});
  adapted.set_number(field_info(Field::data_text_tokens_per_sample), prompt + response, {});
  adapted.set_number(field_info(Field::data_epochs),
                     adapted.number_or_default(Field::rollout_epochs), {});
}

// How many examples, where neither tokens nor samples are said.
void adapt_examples(Method method, Notes& notes, Scenario& adapted) {
  constexpr double kExamples = 100e3;
  constexpr double kPairs = 61135;
  const bool pairs = method != Method::sft;
  Defaults defaults(adapted, notes);
  if (adapted.has(Field::data_tokens) || adapted.has(Field::data_tokens_per_param)) return;
  defaults.number(Field::data_samples, pairs ? kPairs : kExamples,
                  pairs ? "as many preferences as UltraFeedback has, each of two answers"
                        : "between LIMA (1,000 examples) and Tulu 3 (939,344)",
                  pairs ? "arXiv:2310.01377" : "arXiv:2305.11206, arXiv:2411.15124");
  const double each = method_row(method).sequences_per_sample;
  if (each > 1) {
    adapted.set_number(field_info(Field::data_samples), each * *adapted.number(Field::data_samples),
                       {});
  }
}

constexpr Field kRolloutFields[] = {
    Field::rollout_steps,
    Field::rollout_prompts,
    Field::rollout_samples_per_prompt,
    Field::rollout_prompt_tokens,
    Field::rollout_response_tokens,
    Field::rollout_response_limit,
    Field::rollout_response_spread,
    Field::rollout_epochs,
    Field::rollout_critic_model,
    Field::rollout_teacher_model,
    Field::rollout_verifier,
    Field::rollout_placement,
    Field::rollout_generation_gpus,
    Field::rollout_engine,
    Field::rollout_framework,
    Field::rollout_draft_tokens,
    Field::rollout_acceptance,
    Field::rollout_reward_model,
};

ParameterCounts parameters_of(std::string_view name, const Catalog& catalog) {
  Scenario other;
  if (says_size(name)) {
    other.set(field_info(Field::model_params), name, {});
  } else {
    other.set_text(Field::model_name, name);
  }
  Notes quiet(false);
  return count_parameters(resolve_model(other, catalog, quiet));
}

// The models beside the policy: their sizes, and what of them is resident.
struct Others {
  const Scenario& scenario;
  const Catalog& catalog;
  ResolvedWork& work;
  RoundWork& round;
  Notes& notes;

  void add(Role role, Field field, std::string_view why) const {
    const bool used =
        std::ranges::any_of(round.phases, [&](const Phase& p) { return p.role == role; });
    if (!used) return;
    ParameterCounts params = work.params;
    if (scenario.has(field)) {
      params = parameters_of(scenario.text(field), catalog);
    } else {
      notes.add(field, "the policy's size", std::string(why), "trcost default");
    }
    set(role, params);
  }
  void set(Role role, const ParameterCounts& params) const {
    round.sizes[static_cast<std::size_t>(role)] = params.active / work.params.active;
    work.workload.resident_bytes += resident_bytes(round.phases, role, params.total);
  }
};

RolloutWork rollout_of(const Scenario& scenario, const Catalog& catalog, const Platform& platform,
                       const ResolvedWork& work, Notes& notes) {
  const double mean = *scenario.number(Field::rollout_response_tokens);
  const double limit = *scenario.number(Field::rollout_response_limit);
  RolloutWork out;
  out.model = served_model(work.model.language);
  out.prompts = *scenario.number(Field::rollout_prompts);
  out.samples_per_prompt = *scenario.number(Field::rollout_samples_per_prompt);
  out.prompt_tokens = scenario.number_or_default(Field::rollout_prompt_tokens);
  out.lengths =
      ResponseLengths(mean, scenario.number_or_default(Field::rollout_response_spread), limit);
  if (out.model.context > 0 && out.prompt_tokens + limit > out.model.context) {
    throw Error(ErrorKind::usage,
                fmt::format("prompts of {} and responses of up to {} tokens are more than the "
                            "model's context of {}",
                            format_number(out.prompt_tokens, NumberKind::count),
                            format_number(limit, NumberKind::count),
                            format_number(out.model.context, NumberKind::count)),
                "give a smaller --response-limit", "--response-limit");
  }
  out.chip = catalog.serving_chip(*platform.accelerator, *platform.system);
  const std::string_view engine = scenario.text(Field::rollout_engine);
  out.engine = &catalog.engine(engine);
  if (!scenario.has(Field::rollout_engine)) notes.fallback(Field::rollout_engine, engine);
  out.drafted = scenario.number_or_default(Field::rollout_draft_tokens);
  out.acceptance = scenario.number(Field::rollout_acceptance).value_or(0);
  if (out.drafted > 0 && out.acceptance <= 0) {
    throw Error(ErrorKind::usage, "guessed tokens need the share that is accepted",
                "give --acceptance, e.g. 0.8: it is a property of the data and is never assumed",
                "--draft-tokens");
  }
  out.verifier_seconds = scenario.number_or_default(Field::rollout_verifier);
  return out;
}

Placement placement_of(const Scenario& scenario) {
  const std::string_view text = scenario.text(Field::rollout_placement);
  return text == "split"   ? Placement::split
         : text == "async" ? Placement::async
                           : Placement::colocated;
}

}  // namespace

bool method_defaults(const Scenario& scenario, Notes& notes, Scenario& adapted) {
  const Method method = method_named(scenario.text(Field::train_method));
  if (!method_row(method).generates) {
    refuse(scenario, kRolloutFields, "is of rollouts, and nothing here writes responses",
           "give --method grpo, ppo or distill");
  }
  if (method == Method::pretrain) return false;
  adapted = scenario;
  if (method_row(method).generates) {
    adapt_rollouts(method, notes, adapted);
  } else {
    adapt_examples(method, notes, adapted);
  }
  return true;
}

std::shared_ptr<const RoundWork> resolve_round(const Scenario& scenario, const Catalog& catalog,
                                               const Platform& platform, ResolvedWork& work,
                                               Notes& notes) {
  const Method method = method_named(scenario.text(Field::train_method));
  if (method == Method::pretrain || method == Method::sft || method == Method::reward) return {};
  auto round = std::make_shared<RoundWork>();
  round->method = method;
  MethodOptions options;
  options.reference = scenario.has(Field::rollout_reference)
                          ? scenario.flag(Field::rollout_reference)
                          : method != Method::distill;
  options.reward_model = method == Method::ppo || scenario.has(Field::rollout_reward_model);
  if (method_row(method).generates) {
    options.epochs = scenario.number_or_default(Field::rollout_epochs);
  }
  round->phases = phases_of(method, options);
  round->sizes[static_cast<std::size_t>(Role::policy)] = 1;
  round->policy_params = work.params.language;
  round->mixture = work.model.language.moe.has_value();
  const TrainingFlops& flops = work.flops_per_token;
  round->forward_share = (flops.language_forward + flops.encoder_forward) / flops.total();
  const Others others{scenario, catalog, work, *round, notes};
  if (options.reference) others.set(Role::reference, work.params);
  // Under adapters the frozen base is the reference.
  if (options.reference && work.workload.language_training != Training::full) {
    work.workload.resident_bytes = 0;
  }
  others.add(Role::reward, Field::rollout_reward_model, "a reward model of the policy's size");
  others.add(Role::critic, Field::rollout_critic_model, "a value model of the policy's size");
  others.add(Role::teacher, Field::rollout_teacher_model, "a teacher of the policy's size");
  round->sequence_tokens = work.seq_length;
  if (!method_row(method).generates) return round;
  round->framework =
      catalog.round_framework(scenario.text(Field::rollout_framework), *platform.accelerator);
  round->rollout = rollout_of(scenario, catalog, platform, work, notes);
  round->sequence_tokens = round->rollout->prompt_tokens + round->rollout->lengths.mean();
  round->sequences = round->rollout->responses() * options.epochs;
  round->placement = placement_of(scenario);
  if (round->placement == Placement::colocated && scenario.has(Field::rollout_generation_gpus)) {
    throw Error(ErrorKind::usage, "all accelerators generate where placement is colocated",
                "give --placement split or async, or leave --generation-gpus out",
                "--generation-gpus");
  }
  if (work.model.vision) {
    notes.warn("images of the prompts are not counted: count their tokens into --prompt-tokens");
  }
  round->generation_gpus = scenario.number(Field::rollout_generation_gpus);
  return round;
}

}  // namespace trcost
