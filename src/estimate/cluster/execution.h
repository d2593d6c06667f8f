// SPDX-License-Identifier: Apache-2.0
// One training on a cluster of a known size, and the size that a deadline asks for.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "estimate/question/question.h"
#include "performance/serving/rollout.h"
#include "performance/training/step_model.h"
#include "quantity/layers.h"
#include "workload/method.h"

namespace trcost::estimation {

/// One phase of a round on its accelerators.
struct PhaseTime {
  std::string_view name;
  Work work = Work::train;
  double gpus = 0;
  double tokens = 0;                    ///< of a round
  double seconds = 0;                   ///< of a round
  double model_flops = 0;               ///< of a round
  double hardware_flops = 0;            ///< of a round, with recomputation
  Layout layout;                        ///< of what learns or scores
  std::optional<ServingLayout> engine;  ///< of one replica that generates
};

/// The policy's learning over the sequences of a round once: what other phases are measured by.
struct LearningPass {
  double steps = 0;        ///< optimizer steps
  double step_flops = 0;   ///< model FLOPs of one
  double recomputing = 1;  ///< FLOPs with those that recomputation does again, over those without
  double step_seconds = 0;
  double framework = 1;  ///< time that the framework of rounds takes over that of the step alone
  double tokens = 0;
  [[nodiscard]] double model_flops() const { return steps * step_flops; }
  [[nodiscard]] double hardware_flops() const { return model_flops() * recomputing; }
  [[nodiscard]] double seconds() const { return steps * step_seconds * framework; }
};

/// What a round takes beside its phases.
struct SerialTime {
  double other = 0;                      ///< seconds
  double per_gigabyte = 0;               ///< seconds, of new weights that one accelerator sends
  double gigabytes = 0, senders = 1;     ///< of weights
  double per_billion = 0, billions = 0;  ///< seconds from learning to generating and back
  double moved = 0;                      ///< bytes of an accelerator to its host, and back
  std::optional<double> host_bandwidth;  ///< bytes/s each way; empty where nobody knows it
  [[nodiscard]] double moving() const { return host_bandwidth ? 2 * moved / *host_bandwidth : 0; }
  [[nodiscard]] double seconds() const {
    return other + per_gigabyte * gigabytes / senders + per_billion * billions + moving();
  }
};

/// A layout for a cluster size, with its predicted or given speed.
struct Execution {
  double gpus = 0;  ///< paid for; Layout::gpus() of them work, the rest divide into no good layout
  Plan plan;
  bool mfu_given = false;
  double step_seconds = 0;     ///< steady state
  double model_flops = 0;      ///< of a step on the whole cluster
  double hardware_flops = 0;   ///< with recomputation
  double data_wait = 1;        ///< time of a step over what it takes where data is always there
  std::optional<double> pace;  ///< measured: time of a step over what the model says
  /// Whether somebody said how fast steps are.
  [[nodiscard]] bool speed_given() const { return mfu_given || pace.has_value(); }
  // Of a method with more than one phase; time and FLOPs of a step are then its share of the
  // round's.
  std::vector<PhaseTime> phases;
  double generating = 0;  ///< accelerators of `gpus` that generate beside those of the plan
  double updates = 1;     ///< optimizer steps of a round
  LearningPass pass;
  SerialTime serial;
  double round_seconds = 0;
  RolloutTime rollout;
  double rollout_sequences = 0;  ///< in flight per engine when generation starts
  EngineMemory engine;           ///< on each accelerator that generates
};

/// FLOPs of a step that learns, with those that recomputation does again, over those without.
double with_recomputation(const StepTime& time);

/// Dense peak of the precision in use, FLOP/s.
double step_peak_flops(const StepModel& model);

/// Useful tokens of the language model in one optimizer step.
double tokens_per_step(const ResolvedWork& work, const Layout& layout);

/// Optimizer steps of the whole training: tokens over tokens per step, and one at least, since a
/// part of a step takes as long as a step.
double optimizer_steps(const Task& task, const Layout& layout);

/// Sequences per step that published runs of this kind use on a cluster of this size.
double usual_batch(const Task& task, double gpus);

/// PerformanceSummary::batch_token_cost of a plan.
std::optional<double> batch_token_cost(const Task& task, const Execution& execution);

/// What is fixed of the layout on so many accelerators.
PlanRequest request_for(const Task& task, double gpus);

/// Plans the training on `gpus` accelerators, all of them. Throws as plan() does.
Execution execute(const Task& task, double gpus);

/// As execute(), empty where no layout fits and not every degree is given.
std::optional<Execution> execute_fitting(const Task& task, double gpus);

/// Seconds of all steps where the share `useful` of the time is steps.
double wall_seconds(const Task& task, const Execution& execution, double useful);

/// Accelerators whose failure interrupts the job: those that work. With a given MFU, which says
/// nothing of a layout, all of them.
double working_gpus(const Execution& execution);

/// Share of the wall-clock time that is steps, for so many working accelerators whose steps take so
/// long all together.
using UsefulShare = std::function<double(double gpus, double busy_seconds)>;

/// The training on as many of `gpus` accelerators as are done soonest: what --gpus answers. Throws
/// as plan() does.
Execution execute_asked(const Task& task, double gpus, const UsefulShare& useful);

/// Whether failures take so much of the time that fewer accelerators may be done sooner.
bool failures_take_much(const Task& task, const Execution& execution, const UsefulShare& useful);

/// Cluster size and layout: the cluster asked for, with a warning where it misses a deadline that
/// was given, or the one that meets the deadline. Throws as plan() does.
Execution resolve_execution(const Task& task, const UsefulShare& useful, Notes& notes);

/// Whether steps of `batch` sequences are still the training that was asked for: with a batch that
/// was `given` about that one, else one that takes at most twice the tokens for the same loss
/// (`token_cost` as PerformanceSummary::batch_token_cost).
bool same_training(double batch, std::optional<double> given, std::optional<double> token_cost);

}  // namespace trcost::estimation
