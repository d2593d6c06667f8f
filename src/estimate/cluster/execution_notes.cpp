// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/execution_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "estimate/cluster/deadline_search.h"
#include "performance/memory/memory.h"
#include "quantity/quantity.h"
#include "trcost/error.h"
#include "workload/trainable.h"

namespace trcost::estimation {
namespace {

// A smaller idle share is in the noise of the answer.
constexpr double kNotableIdleShare = 0.05;

std::string idle_reason(const Execution& execution, bool degrees_given) {
  if (degrees_given) return "the degrees of the layout multiply to fewer";
  switch (execution.idle_cause) {
    case Execution::IdleCause::failures:
      return "more GPUs are interrupted too often to finish sooner";
    case Execution::IdleCause::exchange:
      return "the exchange of more GPUs takes longer";
    case Execution::IdleCause::memory:
      return "no layout that uses them all fits in memory";
    case Execution::IdleCause::batch:
      break;
  }
  const double batch = execution.plan.layout.global_batch;
  if (std::fmod(batch, execution.gpus) == 0) {
    return "no layout that uses them all is as fast and as likely to fit";
  }
  return fmt::format("a batch of {} sequence{} does not divide over more", grouped(batch, 0),
                     batch == 1 ? "" : "s");
}

// Whether all GPUs have layouts, but none that fits.
bool too_large_on_all(const Task& task, double gpus) {
  PlanRequest request = request_for(task, gpus);
  request.allow_too_large = true;
  try {
    return !plan(task.model(), request).memory.fits;
  } catch (const Error&) {
    return false;  // no layout divides
  }
}

void note_idle(const Execution& execution, bool batch_given, bool degrees_given, Notes& notes) {
  const double busy = execution.plan.layout.gpus();
  if (busy == execution.gpus || !notes.wanted()) return;
  const std::string why =
      fmt::format("{} of {} accelerators stay{} idle, because {}",
                  grouped(execution.gpus - busy, 0), grouped(execution.gpus, 0),
                  execution.gpus - busy == 1 ? "s" : "", idle_reason(execution, degrees_given));
  notes.add({"layout.gpus", format_exact(busy), "accelerators", why, "planner"});
  if (busy >= (1 - kNotableIdleShare) * execution.gpus) return;
  const bool other_batch_helps =
      !batch_given && !degrees_given && execution.idle_cause == Execution::IdleCause::batch;
  notes.warn(fmt::format("{}. {} about as soon{}", why,
                         busy == 1 ? "1 GPU finishes" : grouped(busy, 0) + " GPUs finish",
                         other_batch_helps ? ". Or set another --global-batch" : ""));
}

// Warns of a batch that costs more tokens than the model's own error.
void note_batch_cost(const Task& task, const Execution& execution, Notes& notes) {
  constexpr double kWorthSaying = 0.1;
  const double more = batch_token_cost(task, execution).value_or(0);
  if (more < kWorthSaying || !notes.wanted()) return;
  const double batch = execution.plan.layout.global_batch;
  const double each = task.work().seq_length;
  constexpr double kFarMore = 10;
  if (more > kFarMore) {
    notes.warn(fmt::format(
        "--global-batch counts sequences: {} of {} tokens are {} tokens a step, far beyond the "
        "critical batch of {} tokens. {} tokens would be {} sequences",
        grouped(batch, 0), grouped(each, 0), format_number(batch * each, NumberKind::count, 2),
        format_number(*task.amounts.critical_batch * each, NumberKind::count, 2), grouped(batch, 0),
        grouped(std::ceil(batch / each), 0)));
    return;
  }
  const auto& round = task.prepared->round;
  const double each_sample = round ? method_row(round->method).sequences_per_sample : 1;
  const std::string pairs =
      each_sample > 1 ? grouped(batch / each_sample, 0) + " pairs, " : std::string();
  notes.warn(fmt::format(
      "the batch of {} sequences ({}{} tokens) is larger than the usual {}. The same loss takes "
      "about {:.0f}% more tokens, which are not included (critical batch {} tokens, "
      "arXiv:2505.13738)",
      grouped(batch, 0), pairs, format_number(batch * each, NumberKind::count, 2),
      grouped(usual_batch(task, execution.gpus), 0), 100 * more,
      format_number(*task.amounts.critical_batch * each, NumberKind::count, 2)));
}

// Warns of a given batch that divides badly, if a batch near it is faster.
void note_near_batch(const Task& task, const Execution& execution, Notes& notes) {
  constexpr double kNear = 1.0 / 16;
  constexpr double kWorthSaying = 0.05;
  if (!notes.wanted() || !task.amounts.global_batch_given || execution.mfu_given) return;
  PlanRequest request = request_for(task, execution.gpus);
  if (request.complete() || task.work().workload.contrastive_batch > 0) return;
  request.global_batch.reset();
  request.batch_hint = task.amounts.global_batch;
  request.batch_range = kNear;
  try {
    const Plan near = plan_with_idle(task.model(), request);
    const Plan& here = execution.plan;
    const double saved = 1 - near.time.seconds / near.layout.global_batch /
                                 (here.time.seconds / here.layout.global_batch);
    if (saved < kWorthSaying) return;
    notes.warn(
        fmt::format("a global batch of {} instead of {} takes {:.0f}% less time, because more "
                    "layouts divide it",
                    format_exact(near.layout.global_batch), format_exact(here.layout.global_batch),
                    100 * saved));
  } catch (const Error&) {
    return;  // no batch near it has a layout
  }
}

// GPU-seconds of a sequence in each term of a step.
std::array<double, kStepTermCount> work_of_terms(const Plan& plan, double gpus) {
  std::array<double, kStepTermCount> out = plan.time.terms;
  for (double& each : out) each *= gpus / plan.layout.global_batch;
  return out;
}

// The term of a step whose GPU-seconds per sequence grew most from one plan to another.
std::string_view largest_growth(const Plan& here, double gpus, const Plan& there,
                                double more_gpus) {
  const auto dear = work_of_terms(here, gpus), cheap = work_of_terms(there, more_gpus);
  std::size_t most = 0;
  for (std::size_t i = 0; i < dear.size(); ++i) {
    if (dear[i] - cheap[i] > dear[most] - cheap[most]) most = i;
  }
  return step_term_name(static_cast<StepTerm>(most));
}

// GPU-hours of which a larger cluster should save a share of 0.2 to be worth a warning.
constexpr double kLessOnLarger = 0.8;

// Warns if the larger cluster takes clearly fewer GPU-hours, with its failures.
bool warn_of_larger(const Task& task, const Execution& execution, double gpus,
                    const UsefulShare& useful, Notes& notes) {
  const Execution larger = execute_given(task, gpus, useful, planner::RunnerUp::none);
  const double now = run_seconds(task, execution, useful);
  const double then = run_seconds(task, larger, useful);
  const double saved = 1 - gpus * then / (execution.gpus * now);
  if (saved < 1 - kLessOnLarger) return false;
  notes.warn(fmt::format(
      "{} accelerators take {:.0f}% fewer GPU-hours and {:.0f}% less time than {}. Most of the "
      "difference is {}",
      format_exact(gpus), 100 * saved, 100 * (1 - then / now), format_exact(execution.gpus),
      largest_growth(execution.plan, execution.gpus, larger.plan, gpus)));
  return true;
}

// Warns if a slightly larger cluster has a much better layout, because this one hardly holds the
// model or divides badly.
void note_larger_cluster(const Task& task, const Execution& execution, const UsefulShare& useful,
                         Notes& notes) {
  constexpr double kLarger[] = {1.125, 1.25};
  constexpr double kLargest = 1.5;
  if (!notes.wanted() || execution.mfu_given || !task.fixed.gpus) return;
  const double node = std::max(1.0, task.platform().system->gpus_per_node);
  for (const double factor : kLarger) {
    const double gpus = std::ceil(factor * execution.gpus / node) * node;
    const PlanRequest request = request_for(task, gpus);
    const bool fixed = request.complete() || request.dp;
    if (fixed || gpus > std::min(kMostGpus, kLargest * execution.gpus)) return;
    const double limit = kLessOnLarger * execution.gpus / gpus * execution.plan.time.seconds /
                         execution.plan.layout.global_batch;
    try {
      const auto larger =
          task.prepared->plans->below(request, planner::Idle::some, [=](double) { return limit; });
      if (larger && warn_of_larger(task, execution, gpus, useful, notes)) return;
    } catch (const Error&) {
      continue;  // the degrees given do not divide it, or it is interrupted too often
    }
  }
}

// Warns if the weights are partitioned for the sake of the memory that a plan leaves free, where a
// whole copy on each GPU may fit and is much faster, as adapters mostly run.
void note_copies(const Task& task, const Execution& execution, Notes& notes) {
  constexpr double kMuchFaster = 1.5;
  const Layout& l = execution.plan.layout;
  PlanRequest request = request_for(task, execution.gpus);
  if (!notes.wanted() || execution.mfu_given ||
      !workload::has_adapters(task.model().workload().language_training) ||
      l.sharding == Sharding::none || l.dp == 1 || request.sharding || request.memory_margin) {
    return;
  }
  request.sharding = Sharding::none;
  request.memory_margin = 0;
  const double limit = execution.plan.time.seconds / l.global_batch / kMuchFaster;
  const std::optional<planner::Plan> copies =
      task.prepared->plans->below(request, planner::Idle::none, [=](double) { return limit; });
  if (!copies) return;
  notes.warn(
      fmt::format("the weights are partitioned, because a whole copy on each GPU is only {:.0f}% "
                  "likely to fit. "
                  "It would be {:.1f} times as fast: --sharding none",
                  100 * fits_probability(copies->memory),
                  limit * kMuchFaster / (copies->time.seconds / copies->layout.global_batch)));
}

// Notes the batch of the layout if it differs from the given or default one.
void note_batch(const Task& task, const Execution& execution, Notes& notes) {
  const Amounts& amounts = task.amounts;
  const double batch = execution.plan.layout.global_batch;
  if (batch == amounts.global_batch || !notes.wanted()) return;
  if (amounts.global_batch_given) {
    notes.warn(fmt::format("no good layout divides a global batch of {}, so {} is used",
                           format_exact(amounts.global_batch), format_exact(batch)));
    return;
  }
  const double hint = usual_batch(task, execution.gpus);
  const std::string_view path = field_info(Field::train_global_batch).path;
  for (Assumption& assumption : notes.assumptions) {
    if (assumption.path != path) continue;
    assumption.value = format_exact(batch);
    assumption.why += fmt::format(": {}", format_exact(amounts.global_batch));
    if (hint != amounts.global_batch) {
      assumption.why += fmt::format(
          "; {} on {} accelerators, {}", format_exact(hint), format_exact(execution.gpus),
          amounts.usual_batch_grows ? "4,096 tokens for each up to 4 Mi" : "a sequence for each");
    }
    constexpr double kRounding = 1.25;
    if (batch > kRounding * hint) {
      assumption.why += ", larger, since so many accelerators find no good layout for fewer";
    } else if (batch != hint) {
      assumption.why += ", rounded to what the layout divides";
    }
  }
}

}  // namespace

void note_execution(const Task& task, const Execution& found, const UsefulShare& useful,
                    Notes& notes) {
  // Notes on the layout are about the accelerators that learn. A round's cluster is sized by its
  // phases, not by steps alone.
  Execution execution = found;
  execution.gpus -= found.generating;
  const bool idle = execution.plan.layout.gpus() < execution.gpus;
  if (notes.wanted() && idle && execution.idle_cause == Execution::IdleCause::batch &&
      too_large_on_all(task, execution.gpus)) {
    execution.idle_cause = Execution::IdleCause::memory;
  }
  note_idle(execution, task.amounts.global_batch_given, task.fixed.layout.dp.has_value(), notes);
  note_batch(task, execution, notes);
  note_batch_cost(task, execution, notes);
  note_near_batch(task, execution, notes);
  if (!task.prepared->round) {
    note_copies(task, execution, notes);
    note_larger_cluster(task, execution, useful, notes);
  }
}

}  // namespace trcost::estimation
