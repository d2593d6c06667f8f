// SPDX-License-Identifier: Apache-2.0
// A round of a training method: its phases and the models that they need.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "catalog/software/engine.h"
#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "performance/serving/rollout.h"
#include "performance/training/step_model.h"
#include "quantity/layers.h"
#include "scenario/choices.h"
#include "workload/method.h"

namespace trcost::estimation {

/// Generation of the responses of a round.
struct RolloutWork {
  double prompts = 0;
  double samples_per_prompt = 1;
  double prompt_tokens = 0;       ///< with those of the images
  double prompt_image_flops = 0;  ///< encoder and connector, for the images of a prompt
  /// At moments of the run that stand for as many rounds each: two where responses grow.
  std::vector<ResponseLengths> lengths;
  ServedModel model;
  ServingChip chip;
  const Engine* engine = nullptr;
  WeightFormat format = WeightFormat::bf16;  ///< as the policy learns
  std::optional<int> tp;                     ///< of an engine, empty if searched
  double drafted = 0, acceptance = 0;
  double cached_input = 0;  ///< share of a prompt whose cache is there already
  bool partial = false;     ///< long responses go on in the next round
  double verifier_seconds = 0;
  double colocated_share = 0;  ///< of the memory, for engines beside the learner
  [[nodiscard]] double responses() const { return prompts * samples_per_prompt; }
  [[nodiscard]] double mean_response() const;  ///< tokens, over the run
};

/// The work of a round, independent of the cluster.
struct RoundWork {
  Method method = Method::pretrain;
  std::vector<Phase> phases;
  /// Steps of phases that score and of other models that learn, by role, on the policy's degrees.
  /// Null for the policy's own learning.
  std::array<std::shared_ptr<const StepModel>, kRoles> forward{}, learning{};
  double policy_params = 0;        ///< all, of the language model
  double forward_share = 1.0 / 3;  ///< of the policy's FLOPs of learning
  /// FLOPs that write a response over those of a pass over its sequence: a group reads its prompt
  /// once, and what the engine's cache holds is not read.
  double generated_share = 1;
  double sequences = 0;  ///< of a round, all epochs, 0 if a round is one step
  double sequence_tokens = 0;
  std::optional<RolloutWork> rollout;
  Placement placement = Placement::colocated;
  std::optional<double> generation_gpus;
  std::optional<double> host_bandwidth;  ///< where states wait in the host's memory
  RoundFramework framework;
  bool mixture = false;

  /// Passes of the policy's learning over the sequences of a round.
  [[nodiscard]] double epochs() const;
  /// The step model of a phase, null if the policy learns or generates.
  [[nodiscard]] const StepModel* model(const Phase& phase) const {
    const auto role = static_cast<std::size_t>(phase.role);
    if (phase.work == Work::generate) return nullptr;
    return (phase.work == Work::train ? learning : forward)[role].get();
  }
  /// Time of generation with the framework over that of the engines alone.
  [[nodiscard]] double generation_factor() const {
    return mixture ? framework.mixture_generation : framework.dense_generation;
  }
};

/// Resolves the round of a scenario that method_defaults() has adapted; null for pre-training and
/// fine-tuning. Adds the other models that are resident beside the policy to `work`. Throws Error
/// (usage).
std::shared_ptr<const RoundWork> resolve_round(const Scenario& scenario, const Catalog& catalog,
                                               const Platform& platform, ResolvedWork& work,
                                               Notes& notes);

}  // namespace trcost::estimation
