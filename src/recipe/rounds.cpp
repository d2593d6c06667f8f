// SPDX-License-Identifier: Apache-2.0
#include "recipe/rounds.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "catalog/models/model.h"
#include "recipe/model_names.h"
#include "recipe/training.h"
#include "scenario/fields.h"

namespace trcost::recipe {
namespace {

// Engines of TRL's server stand on GPUs beside the processes that learn.
void add_server(Workings& work) {
  if (!work.is("rollout.placement", "split") || work.has("rollout.generation_gpus")) return;
  const double tp = std::max(
      1.0, work.number("serve_tp").value_or(work.number("rollout.generation_tp").value_or(1)));
  const double engines =
      tp * std::max(1.0, work.number("serve_dp").value_or(1)) * work.number("servers").value_or(1);
  work.set("rollout.generation_tp", tp);
  work.set("rollout.generation_gpus", engines);
  if (const auto gpus = work.number("hardware.gpus")) work.set("hardware.gpus", *gpus + engines);
}

// Steps of the optimizer as rounds: a round has as many steps as its answers fill batches, for each
// pass over them.
void count_rounds(Workings& work, double answers) {
  const auto steps = work.number("steps");
  if (!steps || *steps <= 0) return;
  const auto batch = work.number("train.global_batch"), prompts = work.number("rollout.prompts");
  const double passes = std::max(1.0, work.number("rollout.epochs").value_or(1));
  const double each =
      batch && prompts && *batch > 0 ? std::max(1.0, *prompts * answers / *batch) * passes : passes;
  work.set("rollout.steps", std::max(1.0, std::floor(*steps / each)));
}

// ms-swift's Megatron generates for several batches at once (--steps_per_generation).
void find_swift_rounds(Workings& work) {
  add_server(work);
  const double answers = work.number("rollout.samples_per_prompt").value_or(1);
  if (const auto batch = work.number(Field::train_global_batch)) {
    const double steps = work.number("steps_per_generation").value_or(1);
    const double round = work.number("generation_batch").value_or(*batch * steps);
    work.set("rollout.prompts", std::max(1.0, std::floor(round / answers)));
  }
  count_rounds(work, answers);
  if (const auto beta = work.number("beta")) {
    work.set("rollout.reference", *beta > 0 ? "on" : "off");
  }
  work.assume("rollout.engine", "vllm");
  if (!work.has("rollout.generation_tp")) work.assume("rollout.generation_tp", "1");
}

// The Trainer's batch counts answers: per device x accumulation x processes.
void find_trainer_rounds(Workings& work) {
  add_server(work);
  const bool one =
      !work.is("train.method", "grpo") && work.assumed("rollout.samples_per_prompt") != nullptr;
  if (one) work.assume("rollout.samples_per_prompt", "1", "a response per prompt");
  const double answers = work.number("rollout.samples_per_prompt").value_or(1);
  const std::optional<double> ranks = learning_ranks(work);
  const std::optional<double> micro = work.number(Field::train_micro_batch);
  const double accumulation = work.number("accumulation").value_or(1);
  if (micro && ranks && !work.is_unknown("accumulation")) {
    work.set("train.global_batch", *micro * accumulation * *ranks);
    const double steps = work.number("steps_per_generation").value_or(accumulation);
    const double round = work.number("generation_batch").value_or(*micro * steps * *ranks);
    work.set("rollout.prompts", std::max(1.0, std::floor(round / answers)));
  }
  count_rounds(work, answers);
  const std::optional<double> prompts = samples_of_names(work);
  if (prompts && !work.has("rollout.steps") && work.number("rollout.prompts")) {
    const double passes = work.number("data.epochs").value_or(1);
    work.set("rollout.steps",
             std::max(1.0, std::floor(*prompts * passes / *work.number("rollout.prompts"))));
  }
  if (const auto beta = work.number("beta")) {
    const bool assumed = work.assumed("beta") != nullptr;
    const std::string value = *beta > 0 ? "on" : "off";
    if (assumed) {
      work.assume("rollout.reference", value);
    } else {
      work.set("rollout.reference", value);
    }
  }
  // TRL's PPO, which ms-swift and LLaMA-Factory use, learns from a round four times.
  const bool ppo = work.is("train.method", "ppo");
  if (ppo && !work.has("rollout.epochs")) work.assume("rollout.epochs", "4");
  if (!work.has("rollout.engine")) {
    work.assume("rollout.engine", "vllm",
                ppo ? "generation by transformers is not modelled: vLLM is counted" : "");
  }
  if (!work.has("rollout.generation_tp")) work.assume("rollout.generation_tp", "1");
  work.erase("efficiency.stack");
}

// torchtune's batch is a round, and its steps count prompts.
void find_tune_rounds(Workings& work) {
  // GRPO's batch is that of a device (recipes/dev/grpo_full_finetune_distributed.py).
  auto round = work.number("train.micro_batch");
  if (work.is("train.method", "grpo")) {
    const auto ranks = learning_ranks(work);
    round = round && ranks ? std::optional(*round * *ranks) : std::nullopt;
  }
  if (const auto steps = work.number("steps"); round && steps && *round > 0) {
    work.set("rollout.steps", std::max(1.0, std::floor(*steps / *round)));
  }
  if (round) work.set("rollout.prompts", *round);
  if (const auto mini = work.number("mini_batch")) {
    work.set("train.global_batch", *mini);
    work.set("train.micro_batch",
             std::max(1.0, std::floor(*mini / work.number("accumulation").value_or(1))));
  }
}

// verl and EasyR1 count prompts, in the mini-batch too.
void find_verl_rounds(Workings& work) {
  const double answers = work.number("rollout.samples_per_prompt").value_or(1);
  // A round of fully asynchronous training is what the engine makes between two exchanges.
  if (const auto mini = work.number("mini_prompts"); mini && work.has("no_prompts")) {
    const double round = *mini * work.number("batches_of_exchange").value_or(1) *
                         work.number("steps_of_exchange").value_or(4);
    work.set("rollout.prompts", round);
    if (const auto all = work.number("rollout_prompts"); all && round > 0) {
      work.set("rollout.steps", std::max(1.0, std::floor(*all / round)));
    }
  }
  if (const auto prompts = work.number("mini_prompts")) {
    work.set("train.global_batch", *prompts * answers);
  }
  const auto micro = work.number("verl_micro_of_all");
  const auto ranks = learning_ranks(work);
  if (micro && ranks && !work.has("train.micro_batch")) {
    work.set("train.micro_batch", std::max(1.0, std::floor(*micro / *ranks)));
  }
  work.set("rollout.reference", work.is("use_kl", "1") ? "on" : "off");
  if (!work.is("train.method", "ppo")) work.erase("rollout.critic_model");
  if (!work.has("reward")) work.erase("rollout.reward_model");
}

// Engines of NeMo RL, which stand on GPUs of the cluster, and of verl, which stand beside those of
// the trainer.
void find_engines(Workings& work) {
  if (work.is("rollout.placement", "colocated")) return;
  std::optional<double> each = work.number("engine_gpus");
  if (!each && work.has("engine_nodes")) each = work.number("gpus_per_node");
  if (!each || *each <= 0) return;
  const double engines = *each * work.number("engine_nodes").value_or(1);
  work.set("rollout.generation_gpus", engines);
  const auto gpus = work.number("hardware.gpus");
  if (work.is_group("verl") && gpus) work.set("hardware.gpus", *gpus + engines);
}

}  // namespace

void find_rounds(Workings& work) {
  find_engines(work);
  if (work.has("remote_reward")) {
    work.erase("rollout.reward_model");
    if (work.is("train.method", "ppo"))
      work.report(
          "remote_reward",
          "a reward elsewhere is not modelled: with ppo one of the policy's size is counted");
  }
  const bool critic = work.is("train.method", "ppo") && !work.has("rollout.critic_model");
  if (work.is_group("openrlhf") && critic && work.has("rollout.reward_model")) {
    work.assume("rollout.critic_model", work.text("rollout.reward_model"),
                "the critic starts from the reward model");
  }
  work.report("openrlhf_packing",
              "learning without padding is the stack's, and batches count answers");
  if (work.is_group("trainer")) find_trainer_rounds(work);
  if (work.table().name == "ms-swift-megatron") find_swift_rounds(work);
  if (work.is_group("verl")) find_verl_rounds(work);
  if (work.is_group("tune")) find_tune_rounds(work);
  // NeMo RL's default number of steps is never reached: passes end the run.
  constexpr double kNever = 100'000;
  if (work.number("rollout.steps").value_or(0) >= kNever) work.erase("rollout.steps");
  if (work.has("by_tokens")) work.erase("train.micro_batch");
  for (const Field field : {Field::rollout_reward_model, Field::rollout_critic_model}) {
    const std::string path(field_info(field).path);
    if (!work.has(path)) continue;
    const std::string typed = work.text(path);
    std::string entry = catalog_entry(typed, work.catalog());
    if (entry.empty()) {
      entry = tuned_entry(typed, work.catalog());
      if (!entry.empty()) work.report(path, fmt::format("taken for a tuned {}", entry));
    }
    if (!entry.empty() && work.assumed(path) != nullptr) {
      work.assume(path, entry, *work.assumed(path));
      continue;
    }
    if (!entry.empty()) {
      work.set(path, entry);
      continue;
    }
    work.report(path, "no catalog model: the policy's size is used");
    work.erase(path);
  }
  for (const std::string_view of_samples :
       {"data.seq_length", "data.packing", "data.epochs", "data.samples", "data.tokens"}) {
    if (of_samples == "data.epochs" && !work.has("rollout.steps")) {
      work.report(of_samples,
                  "rounds follow from the size of the prompt set: set --steps, or "
                  "--dataset-prompts and --epochs");
    }
    work.erase(of_samples);
  }
  work.report("limit", "a limit, not a mean length");
  work.report("samples_limit", "a bound of the prompt set: set --steps");
  const std::string model = catalog_entry(work.text("model.name"), work.catalog());
  const bool mixture = model.empty() || work.catalog().model(model).language.moe.has_value();
  if (!work.has("efficiency.stack") && !work.has("verl_megatron") && !mixture) {
    work.assume("efficiency.stack", "typical",
                fmt::format("{} has no measured stack: a typical one", work.table().name));
  }
  work.ask(Field::rollout_steps, "rounds follow from the size of the prompt set");
  work.ask(Field::rollout_prompts, "the prompts of a round follow from the number of GPUs");
  work.ask(Field::rollout_prompt_tokens, "the mean length of a prompt is not in the recipe");
  work.ask(Field::rollout_response_tokens, "the mean length of a response is not in the recipe");
}

}  // namespace trcost::recipe
