// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "estimate/field_names.h"
#include "estimate/resolve_question.h"
#include "performance/serving_checks.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost {
namespace {

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
    if (!used && scenario.has(field)) {
      throw Error(ErrorKind::usage,
                  fmt::format("it takes no part in --method {}", method_row(round.method).name),
                  "leave it out, or give the method that uses it: ppo a reward model and a critic, "
                  "grpo a reward model, distill a teacher",
                  std::string(field_info(field).flag));
    }
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

// The mean that grows evenly from start to end is integrated at two points, exactly so for anything
// up to its cube (Gauss and Legendre: the middle and a 1/sqrt(3) of half the way to either end).
std::vector<ResponseLengths> lengths_of(const Scenario& scenario) {
  const double start = *scenario.number(Field::rollout_response_tokens);
  const double end = scenario.number_or(Field::rollout_response_tokens_end, start);
  const double limit = *scenario.number(Field::rollout_response_limit);
  const double spread = scenario.number_or_default(Field::rollout_response_spread);
  if (start == end) return {ResponseLengths(start, spread, limit)};
  const ResponseLengths checked(std::max(start, end), spread, limit);
  const double middle = (start + end) / 2, aside = (end - start) / 2 / std::sqrt(3.0);
  return {ResponseLengths(middle - aside, spread, limit),
          ResponseLengths(middle + aside, spread, limit)};
}

RolloutWork rollout_of(const Scenario& scenario, const Catalog& catalog, const Platform& platform,
                       const ResolvedWork& work, Notes& notes) {
  const double limit = *scenario.number(Field::rollout_response_limit);
  RolloutWork out;
  out.model = served_model(work.model);
  out.prompts = *scenario.number(Field::rollout_prompts);
  out.samples_per_prompt = *scenario.number(Field::rollout_samples_per_prompt);
  out.prompt_tokens = scenario.number_or_default(Field::rollout_prompt_tokens);
  out.lengths = lengths_of(scenario);
  check_context(out.model, out.prompt_tokens, limit, "--response-limit");
  out.chip = catalog.serving_chip(*platform.accelerator, *platform.system);
  const std::string_view engine = scenario.text(Field::rollout_engine);
  out.engine = &catalog.engine(engine);
  if (!scenario.has(Field::rollout_engine)) notes.fallback(Field::rollout_engine, engine);
  out.drafted = scenario.number_or_default(Field::rollout_draft_tokens);
  out.acceptance = scenario.number(Field::rollout_acceptance).value_or(0);
  check_speculation(out.drafted, out.acceptance);
  out.cached_input = scenario.number_or_default(Field::rollout_prefix_hits);
  out.partial = scenario.flag(Field::rollout_partial);
  if (const auto tp = scenario.number(Field::rollout_generation_tp)) {
    out.tp = static_cast<int>(*tp);
    check_tensor_parallel(out.model, *out.tp, "--generation-tp");
  }
  const Precision precision = platform.precision;
  if (precision == Precision::fp8 || precision == Precision::mxfp8) out.format = WeightFormat::fp8;
  out.verifier_seconds = scenario.number_or_default(Field::rollout_verifier);
  return out;
}

// FLOPs of the policy's pass forward over a sequence of `tokens`.
double sequence_flops(Workload work, double tokens) {
  if (tokens <= 0) return 0;
  work.seq_length = work.attention_length = tokens;
  const TrainingFlops flops = training_flops(work);
  return (flops.language_forward + flops.encoder_forward) * tokens;
}

// Writing continues a prompt that its group has read once (data/phases.md, A.1): of a causal model
// F(P + R) - F(P) for each response, and F(P) for each prompt but what the cache holds of it.
double generated_share(const Workload& work, const RolloutWork& rollout) {
  const double prompt = sequence_flops(work, rollout.prompt_tokens);
  const double whole = sequence_flops(work, rollout.prompt_tokens + rollout.mean_response());
  return 1 - prompt / whole * (1 - (1 - rollout.cached_input) / rollout.samples_per_prompt);
}

void check_split(const Scenario& scenario, const RoundWork& round) {
  if (!round.generation_gpus) return;
  if (round.placement == Placement::colocated) {
    throw Error(ErrorKind::usage, "all accelerators generate where placement is colocated",
                "give --placement split or async, or leave --generation-gpus out",
                "--generation-gpus");
  }
  const auto gpus = scenario.number(Field::hardware_gpus);
  if (!gpus || *round.generation_gpus < *gpus) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} that generate leave none of {} --gpus to learn",
                          format_exact(*round.generation_gpus), format_exact(*gpus)),
              "give fewer, or leave --generation-gpus to the search", "--generation-gpus");
}

}  // namespace

std::shared_ptr<const RoundWork> resolve_round(const Scenario& scenario, const Catalog& catalog,
                                               const Platform& platform, ResolvedWork& work,
                                               Notes& notes) {
  const Method method = method_named(scenario.text(Field::train_method));
  if (!has_phases(method)) return {};
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
  if (!scenario.has(Field::rollout_framework)) {
    notes.fallback(Field::rollout_framework, scenario.text(Field::rollout_framework));
    round->framework.sigma = std::max(round->framework.sigma, round->framework.unnamed_sigma);
  }
  round->rollout = rollout_of(scenario, catalog, platform, work, notes);
  round->sequence_tokens = round->rollout->prompt_tokens + round->rollout->mean_response();
  round->sequences = round->rollout->responses() * options.epochs;
  round->generated_share = generated_share(work.workload, *round->rollout);
  round->placement = value_of(kPlacements, scenario.text(Field::rollout_placement));
  round->generation_gpus = scenario.number(Field::rollout_generation_gpus);
  check_split(scenario, *round);
  if (work.model.vision) {
    notes.warn("images of the prompts are not counted: count their tokens into --prompt-tokens");
  }
  return round;
}

}  // namespace trcost
