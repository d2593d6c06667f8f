// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/round_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catalog/assumed.h"
#include "estimate/question/data/resolve_sequence.h"
#include "estimate/question/platform/resolve_platform.h"
#include "estimate/question/work/field_names.h"
#include "estimate/question/work/resolve_model.h"
#include "performance/serving/serving_model.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::estimation {
namespace {

Model named_model(std::string_view name, const Catalog& catalog) {
  Scenario other;
  if (says_size(name)) {
    other.set(field_info(Field::model_params), name, {});
  } else {
    other.set_text(Field::model_name, name);
  }
  Notes quiet(false);
  return resolve_model(other, catalog, quiet);
}

// A forward pass over the same sequences: nothing learns and nothing is offloaded.
Workload forward_workload(Workload work) {
  work.language_training = work.encoder_training = work.connector_training = Training::frozen;
  work.train_embeddings = false;
  work.offload = {};
  work.others.clear();
  return work;
}

// Another model over the same sequences. It sees their images if it has an encoder, and reads the
// tokens that the policy makes of them.
Workload with_model(Workload work, const Model& model) {
  work.language = model.language;
  if (work.vision() && model.vision) {
    work.encoder = model.vision->encoder;
    work.connector = model.vision->connector;
    return work;
  }
  work.encoder.reset();
  work.connector.reset();
  work.images_per_sequence = 0;
  return work;
}

// A critic learns as a whole, even where the policy learns by adapters.
Workload critic_workload(Workload work) {
  work.language_training = Training::full;
  work.train_embeddings = false;
  work.others.clear();
  return work;
}

// Resolves the models besides the policy: their steps, and their resident memory.
struct OtherModels {
  const Scenario& scenario;
  const Catalog& catalog;
  const Platform& platform;
  ResolvedWork& work;
  RoundWork& round;
  Notes& notes;

  void add(Role role, Field field, std::string_view why) const {
    const bool used = takes_part(round.phases, role);
    if (!used && scenario.has(field)) {
      throw Error(ErrorKind::usage,
                  fmt::format("it takes no part in --method {}", method_row(round.method).name),
                  "leave it out, or set the method that uses it: ppo a reward model and a critic, "
                  "grpo a reward model, distill a teacher",
                  std::string(field_info(field).flag));
    }
    if (!used) return;
    const bool named = scenario.has(field);
    if (!named) notes.add(field, "the policy's size", std::string(why), "trcost default");
    Model model = named ? named_model(scenario.text(field), catalog) : work.model;
    if (role != Role::teacher) model.language = with_scalar_head(model.language);
    set(role, with_model(work.workload, model), count_parameters(model));
  }
  void set(Role role, const Workload& other, const ParameterCounts& params) const {
    const auto at = static_cast<std::size_t>(role);
    const bool learning = learns(round.phases, role);
    round.forward[at] = std::make_shared<StepModel>(forward_workload(other), platform);
    if (learning)
      round.learning[at] = std::make_shared<StepModel>(critic_workload(other), platform);
    work.workload.others.push_back({params, learning});
  }
  // The policy and its reference, which under adapters is the frozen base of the policy.
  void set_policy(bool reference) const {
    const auto at = [](Role role) { return static_cast<std::size_t>(role); };
    round.forward[at(Role::policy)] =
        std::make_shared<StepModel>(forward_workload(work.workload), platform);
    if (!reference) return;
    round.forward[at(Role::reference)] = round.forward[at(Role::policy)];
    if (work.workload.language_training == Training::full) {
      work.workload.others.push_back({work.params, false});
    }
  }
  void note() const {
    if (work.workload.others.empty()) return;
    notes.add(
        {"rollout.other_models", "as the policy", "",
         "models beside the policy are split and sharded as it is, and score its sequences in "
         "micro-batches of its own",
         "choice: one process group, as the default of verl, OpenRLHF and NeMo RL"});
  }
};

// The mean that grows evenly from start to end is integrated at two points, exactly so for anything
// up to its cube (Gauss and Legendre: the middle and a 1/sqrt(3) of half the way to either end).
std::vector<ResponseLengths> response_lengths(const Scenario& scenario) {
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

// Mean length that a token's attention sees, sum of (P + R)^2 / sum of (P + R) over prompts P and
// responses R: packed or padding-free, as model.md 2.2 has it.
double attended_length(double prompt, const std::vector<ResponseLengths>& lengths) {
  double squares = 0, tokens = 0;
  for (const ResponseLengths& moment : lengths) {
    squares += prompt * prompt + 2 * prompt * moment.mean() + moment.mean_square();
    tokens += prompt + moment.mean();
  }
  return squares / tokens;
}

// Tokens of a prompt, those of its images included if they stand in the sequence.
double prompt_length(const Scenario& scenario, const ResolvedWork& work) {
  const double images =
      in_sequence(work.workload) ? work.sample_images * work.workload.vision_tokens_per_image : 0;
  return scenario.number_or_default(Field::rollout_prompt_tokens) + images;
}

// FLOPs of encoder and connector for the images of a prompt.
double prompt_image_flops(const ResolvedWork& work) {
  const ForwardFlops flops = forward_flops(work.workload);
  return work.sample_images * (flops.encoder + flops.connector);
}

RolloutWork resolve_rollout(const Scenario& scenario, const Catalog& catalog,
                            const Platform& platform, const ResolvedWork& work, Notes& notes) {
  const double limit = *scenario.number(Field::rollout_response_limit);
  RolloutWork out;
  out.model = served_model(work.model);
  out.prompts = *scenario.number(Field::rollout_prompts);
  out.samples_per_prompt = *scenario.number(Field::rollout_samples_per_prompt);
  out.prompt_tokens = prompt_length(scenario, work);
  out.prompt_image_flops = prompt_image_flops(work);
  out.lengths = response_lengths(scenario);
  check_context(out.model,
                std::max(out.prompt_tokens, scenario.number_or(Field::rollout_prompt_limit, 0)),
                limit, "--response-limit");
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
  // Engines read the packed base that the adapters learn beside (Unsloth's fast_inference, vLLM's
  // bitsandbytes).
  if (work.workload.language_training == Training::qlora) out.format = WeightFormat::int4;
  out.verifier_seconds = scenario.number_or_default(Field::rollout_verifier);
  out.colocated_share = catalog.assumed().colocated_engine_share.value;
  return out;
}

double forward_part(const TrainingFlops& flops) {
  return flops.language_forward + flops.encoder_forward + flops.connector_forward;
}

// FLOPs of the policy's pass forward over the prompt, its images included.
double prompt_flops(Workload work, double tokens) {
  if (tokens <= 0) return 0;
  work.seq_length = work.attention_length = tokens;
  return forward_part(training_flops(work)) * tokens;
}

// Writing continues a prompt that its group has read once (data/phases.md, A.1): of a causal model
// F(P + R) - F(P) for each response, and F(P) for each prompt but what the cache holds of it.
double generated_share(const Workload& work, const RolloutWork& rollout) {
  const double prompt = prompt_flops(work, rollout.prompt_tokens);
  const double whole =
      forward_part(training_flops(work)) * (rollout.prompt_tokens + rollout.mean_response());
  return 1 - prompt / whole * (1 - (1 - rollout.cached_input) / rollout.samples_per_prompt);
}

void check_split(const Scenario& scenario, const RoundWork& round) {
  if (!round.generation_gpus) return;
  if (round.placement == Placement::colocated) {
    throw Error(ErrorKind::usage, "all accelerators generate where placement is colocated",
                "set --placement split or async, or leave --generation-gpus out",
                "--generation-gpus");
  }
  const auto gpus = scenario.number(Field::hardware_gpus);
  if (!gpus || *round.generation_gpus < *gpus) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} that generate leave none of {} --gpus to learn",
                          format_exact(*round.generation_gpus), format_exact(*gpus)),
              "use fewer, or leave --generation-gpus to the search", "--generation-gpus");
}

// Resolves the host bandwidth for engines that take turns with the learner on one cluster.
void resolve_host_copies(const Scenario& scenario, const Catalog& catalog, const Platform& platform,
                         RoundWork& round, Notes& notes) {
  round.host_bandwidth = platform.host_bandwidth
                             ? platform.host_bandwidth
                             : host_bandwidth(scenario, *platform.system, notes);
  if (!notes.wanted()) return;
  notes.add(
      {"rollout.learner_states", "in the host", "",
       "while responses are written, the other models and the optimizer are offloaded to host "
       "memory",
       "NeMo RL, offload_before_refit and offload_after_refit; verl's param_offload and "
       "optimizer_offload; data/phases.md A.2"});
  notes.add({"rollout.engine_memory", format_exact(round.rollout->colocated_share), "",
             "share of the accelerator that the engine has meanwhile",
             catalog.assumed().colocated_engine_share.source});
  if (round.host_bandwidth) return;
  notes.warn(
      fmt::format("how fast {} reaches its host's memory is not known: the time in which the "
                  "learner's states go there and back is not counted. --host-bandwidth says "
                  "it",
                  platform.system->title));
}

}  // namespace

double RolloutWork::mean_response() const {
  double sum = 0;
  for (const ResponseLengths& moment : lengths) sum += moment.mean();
  return sum / static_cast<double>(lengths.size());
}

double RoundWork::epochs() const {
  const auto learns = std::ranges::find_if(phases, [](const Phase& phase) {
    return phase.work == Work::train && phase.role == Role::policy;
  });
  return learns == phases.end() ? 1 : learns->repeats;
}

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
  round->policy_params = work.params.language;
  round->mixture = work.model.language.moe.has_value();
  if (method_row(method).generates) {
    work.workload.attention_length =
        attended_length(prompt_length(scenario, work), response_lengths(scenario));
    work.flops_per_token = training_flops(work.workload);
  }
  round->forward_share = forward_part(work.flops_per_token) / work.flops_per_token.total();
  const OtherModels others{scenario, catalog, platform, work, *round, notes};
  others.set_policy(options.reference);
  others.add(Role::reward, Field::rollout_reward_model, "a reward model of the policy's size");
  others.add(Role::critic, Field::rollout_critic_model, "a value model of the policy's size");
  others.add(Role::teacher, Field::rollout_teacher_model, "a teacher of the policy's size");
  others.note();
  round->sequence_tokens = work.seq_length;
  if (!method_row(method).generates) return round;
  round->framework =
      catalog.round_framework(scenario.text(Field::rollout_framework), *platform.accelerator);
  if (!scenario.has(Field::rollout_framework)) {
    notes.fallback(Field::rollout_framework, scenario.text(Field::rollout_framework));
    round->framework.sigma = std::max(round->framework.sigma, round->framework.unnamed_sigma);
  }
  round->rollout = resolve_rollout(scenario, catalog, platform, work, notes);
  round->sequence_tokens = round->rollout->prompt_tokens + round->rollout->mean_response();
  round->sequences = round->rollout->responses() * options.epochs;
  round->generated_share = generated_share(work.workload, *round->rollout);
  round->placement = value_of(kPlacements, scenario.text(Field::rollout_placement));
  round->generation_gpus = scenario.number(Field::rollout_generation_gpus);
  check_split(scenario, *round);
  if (round->placement == Placement::colocated) {
    resolve_host_copies(scenario, catalog, platform, *round, notes);
  }
  return round;
}

}  // namespace trcost::estimation
