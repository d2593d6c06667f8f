// SPDX-License-Identifier: Apache-2.0
// One training on a cluster of a known size.
#pragma once

#include <cstdint>
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

/// One pass of the policy's learning over the sequences of a round, the measure of other phases.
struct LearningPass {
  double steps = 0;        ///< optimizer steps
  double step_flops = 0;   ///< model FLOPs of one
  double recomputing = 1;  ///< FLOPs with recomputation over those without
  double step_seconds = 0;
  double framework = 1;  ///< time of a step in the framework of rounds over the step alone
  double tokens = 0;
  [[nodiscard]] double model_flops() const { return steps * step_flops; }
  [[nodiscard]] double hardware_flops() const { return model_flops() * recomputing; }
  [[nodiscard]] double seconds() const { return steps * step_seconds * framework; }
};

/// Time of a round outside its phases.
struct SerialTime {
  double other = 0;                      ///< seconds
  double per_gigabyte = 0;               ///< seconds, of new weights that one accelerator sends
  double gigabytes = 0, senders = 1;     ///< of weights
  double per_billion = 0, billions = 0;  ///< seconds from learning to generating and back
  double moved = 0;                      ///< bytes of an accelerator to its host, and back
  std::optional<double> host_bandwidth;  ///< bytes/s each way, empty if unknown
  [[nodiscard]] double moving() const { return host_bandwidth ? 2 * moved / *host_bandwidth : 0; }
  [[nodiscard]] double seconds() const {
    return other + per_gigabyte * gigabytes / senders + per_billion * billions + moving();
  }
};

/// A layout for a cluster size, with its predicted or given speed.
struct Execution {
  double gpus = 0;  ///< paid for, of which Layout::gpus() work
  Plan plan;
  bool mfu_given = false;
  /// Why some GPUs may stay idle: the batch does not divide over more, no layout on all of them
  /// fits in memory, or fewer finish sooner since they fail less often or exchange less.
  enum class IdleCause : std::uint8_t { batch, memory, failures, exchange };
  IdleCause idle_cause = IdleCause::batch;
  double step_seconds = 0;     ///< steady state
  double model_flops = 0;      ///< of a step on the whole cluster
  double hardware_flops = 0;   ///< with recomputation
  double ramp = 1;             ///< time of the run over that with the whole batch from the start
  double data_wait = 1;        ///< time of a step over what it takes where data is always there
  std::optional<double> pace;  ///< measured: time of a step over what the model says
  /// Whether the speed of steps was given or measured.
  [[nodiscard]] bool speed_given() const { return mfu_given || pace.has_value(); }
  // Methods with several phases, where time and FLOPs of a step are its share of the round.
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

/// FLOPs of a training step with recomputation over those without.
double with_recomputation(const StepTime& time);

/// Dense peak of the precision in use, FLOP/s.
double step_peak_flops(const StepModel& model);

/// Useful tokens of the language model in one optimizer step.
double tokens_per_step(const ResolvedWork& work, const Layout& layout);

/// Optimizer steps of the whole training: tokens over tokens per step, but at least one, since a
/// partial step takes as long as a whole one.
double optimizer_steps(const Task& task, const Layout& layout);

/// Sequences per step that published runs of this kind use on a cluster of this size.
double usual_batch(const Task& task, double gpus);

/// PerformanceSummary::batch_token_cost of a plan.
std::optional<double> batch_token_cost(const Task& task, const Execution& execution);

/// The plan request of the task for `gpus` accelerators.
PlanRequest request_for(const Task& task, double gpus);

/// Plans the training on `gpus` accelerators, all of them. Throws as plan() does.
Execution execute(const Task& task, double gpus);

/// As execute(), but empty if no layout fits and a degree is free.
std::optional<Execution> execute_fitting(const Task& task, double gpus);

/// As execute_fitting() without a runner-up. Possibly empty if the training takes more than
/// `seconds_per_token`.
std::optional<Execution> execute_below(const Task& task, double gpus, double seconds_per_token);

/// Seconds of the whole training if the share `useful` of the time is steps.
double wall_seconds(const Task& task, const Execution& execution, double useful);

/// Accelerators whose failure interrupts the job: those that work, or all with a given MFU, which
/// implies no layout.
double working_gpus(const Execution& execution);

/// Share of the wall-clock time that is steps, for working accelerators and the seconds of all
/// steps.
using UsefulShare = std::function<double(double gpus, double busy_seconds)>;

/// Wall-clock seconds of the run with what failures and other interruptions take. Throws if it is
/// interrupted too often to get on.
double run_seconds(const Task& task, const Execution& execution, const UsefulShare& useful);

/// Seconds of steps that no run of `wall_clock` seconds exceeds. The longer a run, the smaller its
/// useful share.
double most_busy_seconds(const UsefulShare& useful, double gpus, double wall_clock);

/// The runner-up is a note, so it is only searched where notes are wanted.
planner::RunnerUp runner_up_for(const Notes& notes);

/// Plans the training on as many of `gpus` accelerators as take the shortest steps. Throws as
/// plan() does.
Execution execute_with_idle(const Task& task, double gpus, planner::RunnerUp runner_up);

/// Plans the training for --gpus: on as many of them as finish soonest, fewer if failures take much
/// of the time. Throws as plan() does.
Execution execute_given(const Task& task, double gpus, const UsefulShare& useful,
                        planner::RunnerUp runner_up);

/// Plans the given cluster, with a warning if it misses a given deadline, or the cluster that meets
/// the deadline. Throws as plan() does.
Execution resolve_execution(const Task& task, const UsefulShare& useful, Notes& notes);

/// Whether steps of `batch` sequences are still the same training: about the `given` batch, else a
/// batch that takes at most twice the tokens for the same loss (`token_cost` as
/// PerformanceSummary::batch_token_cost).
bool same_training(double batch, std::optional<double> given, std::optional<double> token_cost);
/// Overload for an answer. True for several stages and for a given MFU.
bool same_training(const Scenario& asked, const Estimate& answer);

}  // namespace trcost::estimation
