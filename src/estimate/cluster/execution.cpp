// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <vector>

#include "catalog/hardware/hardware.h"
#include "estimate/cluster/data_pipeline.h"
#include "estimate/cluster/execution_notes.h"
#include "estimate/cluster/round_time.h"
#include "estimate/cluster/size_cluster.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "trcost/error.h"

namespace trcost::estimation {

double step_peak_flops(const StepModel& model) {
  const Platform& platform = model.platform();
  if (const auto rate = peak_flops(*platform.accelerator, platform.precision)) return *rate;
  throw Error(ErrorKind::no_answer, fmt::format("{} has no {}", platform.accelerator->title,
                                                precision_name(platform.precision)));
}

double with_recomputation(const StepTime& time) {
  return time.model_flops > 0 ? time.hardware_flops / time.model_flops : 1;
}

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Time of the run over that with the whole batch from the first step. A batch that grows linearly
// in the tokens takes ln(B / b) B / (B - b) as many steps for the same tokens, and each pays the
// part of a step that does not depend on the batch. `b` is a micro-batch per replica.
double ramp_factor(const Task& task, const Layout& layout, double step_seconds) {
  const double ramp = task.amounts.batch_ramp;
  const double batch = layout.global_batch;
  Layout smallest = layout;
  smallest.global_batch = layout.micro_batch * layout.dp;
  const double first = smallest.global_batch;
  if (ramp <= 0 || first >= batch) return 1;
  const double seconds = task.model().step(smallest).seconds;
  const double per_step =
      std::max(0.0, step_seconds - batch * (step_seconds - seconds) / (batch - first));
  const double more_steps = portable_log(batch / first) * batch / (batch - first) - 1;
  return 1 + ramp / task.amounts.tokens.total * more_steps * per_step / step_seconds;
}

Execution with_plan(const Task& task, double gpus, Plan plan) {
  const ResolvedWork& work = task.work();
  Execution out;
  out.gpus = gpus;
  const std::optional<double> mfu = task.fixed.mfu;
  out.mfu_given = mfu.has_value();
  out.plan = std::move(plan);
  const double tokens = tokens_per_step(work, out.plan.layout);
  out.model_flops = work.flops_per_token.total() * tokens;
  out.hardware_flops = out.model_flops * with_recomputation(out.plan.time);
  if (mfu) {
    out.step_seconds = out.model_flops / (gpus * step_peak_flops(task.model()) * *mfu);
    return out;
  }
  out.ramp = ramp_factor(task, out.plan.layout, out.plan.time.seconds);
  out.data_wait = data_wait(task, tokens / out.plan.time.seconds / gpus);
  out.step_seconds = out.plan.time.seconds * out.data_wait;
  return out;
}

double per_sequence(const Execution& execution) {
  return execution.step_seconds / execution.plan.layout.global_batch;
}

// Executes the plan of `get` on all accelerators. A round with accelerators of its own for
// generation takes the fastest split, where the rest learn. Empty if nothing fits.
template <class GetPlan>
std::optional<Execution> on_cluster(const Task& task, double gpus, const GetPlan& get) {
  const Prepared& prepared = *task.prepared;
  const auto planned = [&](double learners) -> std::optional<Execution> {
    std::optional<Plan> plan = get(request_for(task, learners));
    if (!plan) return std::nullopt;
    return with_plan(task, learners, *std::move(plan));
  };
  if (!prepared.round) return planned(gpus);
  std::optional<Execution> best;
  std::exception_ptr unfit;
  const double node = task.platform().system->gpus_per_node;
  for (const double generating : generation_splits(*prepared.round, gpus, node)) {
    if (generating >= gpus) continue;
    try {
      std::optional<Execution> found = planned(gpus - generating);
      if (!found) continue;
      found->gpus = gpus;
      if (!add_phases(*prepared.round, generating, *found)) continue;
      if (!best || per_sequence(*found) < per_sequence(*best)) best = std::move(found);
    } catch (const Error& error) {
      if (error.kind != ErrorKind::no_answer) throw;
      unfit = std::current_exception();
    }
  }
  if (!best && unfit) std::rethrow_exception(unfit);
  return best;
}

[[noreturn]] void fail_to_generate(const Task& task, double gpus) {
  throw Error(
      ErrorKind::no_answer,
      fmt::format("{} accelerators do not hold what learns and what generates the responses "
                  "of a round on {}",
                  format_exact(gpus), task.platform().accelerator->name),
      "take more --gpus, another --placement, or shorter responses", "--gpus");
}

}  // namespace

Execution execute(const Task& task, double gpus) {
  std::optional<Execution> found =
      on_cluster(task, gpus, [&](PlanRequest request) -> std::optional<Plan> {
        // With a given MFU the layout is only shown, so the answer stands where nothing fits.
        request.allow_too_large = task.fixed.mfu.has_value();
        return task.prepared->plans->all(request);
      });
  if (!found) fail_to_generate(task, gpus);
  return *std::move(found);
}

std::optional<Execution> execute_fitting(const Task& task, double gpus) {
  if (request_for(task, gpus).complete()) return execute(task, gpus);
  return on_cluster(task, gpus,
                    [&](const PlanRequest& each) { return task.prepared->plans->fitting(each); });
}

std::optional<Execution> execute_below(const Task& task, double gpus, double seconds_per_token) {
  if (request_for(task, gpus).complete()) return execute(task, gpus);
  // Phases of a round besides learning take time of their own.
  const double limit =
      task.prepared->round ? kUnlimited : seconds_per_token * task.work().seq_length;
  return on_cluster(task, gpus, [&](const PlanRequest& each) {
    return task.prepared->plans->below(each, planner::Idle::none, [=](double) { return limit; });
  });
}

double wall_seconds(const Task& task, const Execution& execution, double useful) {
  return optimizer_steps(task, execution.plan.layout) * execution.step_seconds * execution.ramp /
         useful;
}

double working_gpus(const Execution& execution) {
  // In a round some accelerators generate besides those of the layout.
  const bool all = execution.mfu_given || !execution.phases.empty();
  return all ? execution.gpus : execution.plan.layout.gpus();
}

namespace {

double share_of_steps(const Task& task, const Execution& execution, const UsefulShare& useful) {
  return useful(working_gpus(execution), wall_seconds(task, execution, 1));
}

}  // namespace

double run_seconds(const Task& task, const Execution& execution, const UsefulShare& useful) {
  return wall_seconds(task, execution, share_of_steps(task, execution, useful));
}

double usual_batch(const Task& task, double gpus) {
  const Amounts& amounts = task.amounts;
  if (!amounts.usual_batch) return amounts.global_batch;
  const double usual = *amounts.usual_batch;
  const double all = std::max(1.0, std::floor(amounts.tokens.total / task.work().seq_length));
  if (amounts.usual_batch_grows) {
    return std::min(all, cluster_global_batch(amounts.pretraining_batch, gpus));
  }
  // A sequence for each accelerator, within what recipes of the same data differ by: 128 to 512.
  constexpr double kMostGrowth = 4;
  const double each = std::min(gpus, kMostGrowth * usual);
  return std::max(usual, std::min(all, each));
}

std::optional<double> batch_token_cost(const Task& task, const Execution& execution) {
  const Amounts& amounts = task.amounts;
  if (!amounts.usual_batch || !amounts.critical_batch) return std::nullopt;
  const double usual = usual_batch(task, execution.gpus);
  const double batch = execution.plan.layout.global_batch;
  if (batch <= usual) return 0;
  return batch_cost(batch, usual, *amounts.critical_batch) - 1;
}

PlanRequest request_for(const Task& task, double gpus) {
  PlanRequest request = task.fixed.layout;
  request.gpus = gpus;
  request.batch_hint = usual_batch(task, gpus);
  return request;
}

double tokens_per_step(const ResolvedWork& work, const Layout& layout) {
  return layout.global_batch * work.seq_length;
}

double optimizer_steps(const Task& task, const Layout& layout) {
  return std::max(1.0, task.amounts.tokens.total / tokens_per_step(task.work(), layout));
}

double most_busy_seconds(const UsefulShare& useful, double gpus, double wall_clock) {
  const double at_least = wall_clock * useful(gpus, wall_clock);
  return wall_clock * useful(gpus, at_least);
}

planner::RunnerUp runner_up_for(const Notes& notes) {
  return notes.wanted() ? planner::RunnerUp::find : planner::RunnerUp::none;
}

Execution execute_with_idle(const Task& task, double gpus, planner::RunnerUp runner_up) {
  if (task.fixed.mfu) return execute(task, gpus);
  std::optional<Execution> found =
      on_cluster(task, gpus, [&](const PlanRequest& request) -> std::optional<Plan> {
        return task.prepared->plans->with_idle(request, runner_up);
      });
  if (!found) fail_to_generate(task, gpus);
  return *std::move(found);
}

namespace {

// The fastest run on at most `fewer` accelerators, if it may take less than `most_seconds`.
std::optional<Execution> run_on_fewer(const Task& task, double fewer, const UsefulShare& useful,
                                      double most_seconds) {
  constexpr int kLimitDigits = 6;
  const double sequences = task.amounts.tokens.total / task.work().seq_length;
  // Fewer accelerators fail less often, so a number rounded down has no lower limit.
  std::map<double, double> limits;
  const auto limit = [&](double working) {
    const double unit = std::ldexp(1.0, std::max(0, std::ilogb(working) - kLimitDigits));
    const double rounded = std::floor(working / unit) * unit;
    const auto [known, is_new] = limits.try_emplace(rounded, 0);
    if (!is_new) return known->second;
    try {
      known->second = most_busy_seconds(useful, rounded, most_seconds) / sequences;
    } catch (const Error&) {
      // Interrupted too often to get on.
    }
    return known->second;
  };
  std::optional<Plan> plan =
      task.prepared->plans->below(request_for(task, fewer), planner::Idle::some, limit);
  if (!plan) return std::nullopt;
  return with_plan(task, fewer, *std::move(plan));
}

}  // namespace

Execution execute_given(const Task& task, double gpus, const UsefulShare& useful,
                        planner::RunnerUp runner_up) {
  Execution best = execute_with_idle(task, gpus, runner_up);
  if (best.mfu_given || task.prepared->round || request_for(task, gpus).complete()) return best;
  // The planner knows only steps, and some numbers of replicas. If failures take much of the time,
  // or if exchange leaves most accelerators idle, fewer may finish sooner.
  constexpr double kFewFailures = 0.85;
  constexpr double kMostWork = 0.5;
  const bool few_failures =
      share_of_steps(task, best, useful) > kFewFailures * useful(1, wall_seconds(task, best, 1));
  const bool most_idle = working_gpus(best) < kMostWork * gpus;
  if (few_failures && !most_idle) return best;
  std::vector<double> parts = {15. / 16, 7. / 8, 3. / 4, 5. / 8};
  // A little fewer may take longer where far fewer do not, because the usual batch is smaller.
  if (most_idle) parts.insert(parts.end(), {1. / 4, 1. / 16});
  const double node = task.platform().system->gpus_per_node;
  const double considered = planner::layouts_considered();
  double least = run_seconds(task, best, useful);
  for (bool improved = true; improved;) {
    improved = false;
    const double working = working_gpus(best);
    for (const double part : parts) {
      const double fewer = std::floor(working * part / node) * node;
      const bool tried_enough =
          planner::layouts_considered() - considered > planner::kMostLayoutsOfEstimate / 4;
      if (fewer < 1 || tried_enough) break;
      std::optional<Execution> found = run_on_fewer(task, fewer, useful, least);
      if (!found) continue;
      found->gpus = gpus;
      found->idle_cause =
          few_failures ? Execution::IdleCause::exchange : Execution::IdleCause::failures;
      const double seconds = run_seconds(task, *found, useful);
      if (!(seconds < least)) continue;
      best = *std::move(found);
      least = seconds;
      improved = true;
    }
  }
  return best;
}

namespace {

// The cluster that meets the given deadline, or the reason why none does.
std::string enough_for_deadline(const Task& task, const UsefulShare& useful) {
  Notes unread(false);
  try {
    return fmt::format("{} would meet it", format_exact(size_cluster(task, useful, unread).gpus));
  } catch (const Error& error) {
    return error.message;
  }
}

void note_missed_deadline(const Task& task, const Execution& execution, const UsefulShare& useful,
                          Notes& notes) {
  if (!notes.wanted() || !task.fixed.deadline_given) return;
  const double seconds = run_seconds(task, execution, useful);
  if (seconds <= task.fixed.deadline) return;
  notes.warn(fmt::format(
      "{} {} take {}, longer than the --deadline of {}: {}", format_exact(execution.gpus),
      task.platform().accelerator->name, format_number(seconds, NumberKind::duration),
      format_number(task.fixed.deadline, NumberKind::duration), enough_for_deadline(task, useful)));
}

Execution choose_execution(const Task& task, const UsefulShare& useful, Notes& notes) {
  const FixedLayout& fixed = task.fixed;
  if (fixed.gpus) return execute_given(task, *fixed.gpus, useful, runner_up_for(notes));
  if (fixed.layout.dp) {
    const double gpus = fixed.layout.product();
    notes.add(Field::hardware_gpus, gpus, "the degrees given multiply to it", "the layout");
    return execute(task, gpus);
  }
  if (!fixed.deadline_given) {
    const FieldInfo& field = field_info(Field::hardware_deadline);
    notes.add({std::string(field.path), format_number(fixed.deadline, NumberKind::duration), "",
               std::string(field.rule), "trcost default"});
  }
  return size_cluster(task, useful, notes);
}

}  // namespace

Execution resolve_execution(const Task& task, const UsefulShare& useful, Notes& notes) {
  const Execution out = choose_execution(task, useful, notes);
  note_execution(task, out, useful, notes);
  if (task.fixed.gpus || task.fixed.layout.dp) {
    note_missed_deadline(task, out, useful, notes);
  }
  return out;
}

bool same_training(double batch, std::optional<double> given, std::optional<double> token_cost) {
  // More sequences than that over the given batch are another training, and so are steps that
  // take twice the tokens for the same loss.
  constexpr double kLargerGivenBatch = 1.125;
  constexpr double kMostTokenCost = 1;
  if (given) return batch <= kLargerGivenBatch * *given;
  return token_cost.value_or(0) <= kMostTokenCost;
}

bool same_training(const Scenario& asked, const Estimate& answer) {
  if (!asked.stages.empty() || asked.has(Field::efficiency_mfu)) return true;
  return same_training(answer.layout.global_batch, asked.number(Field::train_global_batch),
                       answer.performance.batch_token_cost);
}

}  // namespace trcost::estimation
