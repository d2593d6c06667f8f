// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/answer.h"

#include <fmt/format.h>

#include <cmath>

#include "catalog/hardware/hardware.h"
#include "estimate/answer/breakdown.h"
#include "estimate/answer/money.h"
#include "estimate/answer/work_totals.h"
#include "estimate/cluster/data_pipeline.h"
#include "estimate/explain/explain.h"
#include "estimate/question/data/resolve_amounts.h"
#include "estimate/question/work/resolve_model.h"
#include "performance/memory/memory.h"
#include "quantity/quantity.h"
#include "scenario/fields.h"

namespace trcost::estimation {
namespace {

void warn_about_memory(const Estimate& out, Notes& notes) {
  if (out.memory.tight || (!out.memory.fits && may_fit(out.memory))) {
    notes.warn(fmt::format(
        "{} is {:.0f}% likely to fit: it needs {} of the {} usable on each {}{}", out.model.name,
        100 * fits_probability(out.memory), format_number(out.memory.total, NumberKind::bytes),
        format_number(out.memory.capacity, NumberKind::bytes), out.accelerator_title,
        out.memory.fits ? "" : ". trcost memory names settings that fit"));
  }
  if (may_fit(out.memory)) return;
  notes.warn(fmt::format("{} needs {} per device but {} plans with {}: over by {}", out.model.name,
                         format_number(out.memory.total, NumberKind::bytes), out.accelerator_title,
                         format_number(out.memory.capacity, NumberKind::bytes),
                         format_number(out.memory.total - out.memory.capacity, NumberKind::bytes)));
}

void warn_about_steps(const ResolvedWork& work, const Estimate& out, Notes& notes) {
  const double step = tokens_per_step(work, out.layout);
  if (out.tokens.total >= step) return;
  notes.warn(fmt::format(
      "{} tokens are less than one optimizer step of {} sequences of {}: one whole step is counted",
      format_number(out.tokens.total, NumberKind::count), format_exact(out.layout.global_batch),
      format_exact(work.seq_length)));
}

void warn_about_mfu(const Task& task, const Estimate& out, Notes& notes) {
  const Efficiency& chip = *task.platform().efficiency;
  const double matmuls = chip.matmul[static_cast<std::size_t>(out.precision)];
  if (!chip.measured || task.fixed.mfu.value_or(0) <= matmuls) return;
  notes.warn(fmt::format(
      "{} of the peak is more than the {:.0f}% that large matmuls alone reach in training on {}: "
      "no measured run reaches it",
      format_number(*task.fixed.mfu, NumberKind::fraction), 100 * matmuls, out.accelerator_title));
}

// A given MFU and a layout that recomputes may exceed the peak of the chip.
void warn_about_peak(const Estimate& out, Notes& notes) {
  if (out.performance.hfu <= 1) return;
  notes.warn(
      fmt::format("with recomputation {} would work at {:.1f}% of the peak of {}: the MFU "
                  "that was given cannot be reached with recompute {}",
                  out.accelerator_title, 100 * out.performance.hfu, precision_name(out.precision),
                  recompute_name(out.layout.recompute)));
}

void warn_about_context(const PlanRequest& asked, const Estimate& out, Notes& notes) {
  if (!asked.context_kind || out.layout.cp > 1) return;
  notes.warn(unused_text(field_info(Field::layout_context_kind)));
}

// Tensor parallel ranks exchange results in every layer, so that the slow network sets their speed.
void warn_about_domain(const Task& task, const Estimate& out, Notes& notes) {
  const System& system = *task.platform().system;
  if (!task.fixed.layout.tp || out.layout.tp <= system.gpus_per_domain) return;
  notes.warn(fmt::format(
      "--tp {} crosses the {} GPUs that share the fast links of {}: every layer then waits for the "
      "network between nodes. Set --tp {} or less",
      format_exact(out.layout.tp), format_exact(system.gpus_per_domain), system.title,
      format_exact(system.gpus_per_domain)));
}

void warn_about_plan(const Task& task, const Estimate& out, Notes& notes) {
  warn_about_memory(out, notes);
  warn_about_steps(task.work(), out, notes);
  warn_about_context(task.fixed.layout, out, notes);
  warn_about_domain(task, out, notes);
  warn_about_mfu(task, out, notes);
  warn_about_peak(out, notes);
}

// The second-best layout and how much slower it is, per sequence since batches may differ.
std::string runner_up_text(const Plan& plan) {
  if (!plan.runner_up) return {};
  const Layout& layout = *plan.runner_up;
  const double ratio =
      plan.runner_up_seconds / layout.global_batch / (plan.time.seconds / plan.layout.global_batch);
  const std::string batch =
      layout.global_batch == plan.layout.global_batch
          ? std::string()
          : fmt::format(", global batch {}", format_exact(layout.global_batch));
  constexpr double kShown = 0.0005;  // less rounds to 0.0 %
  const std::string difference =
      std::abs(ratio - 1) < kShown
          ? "as fast"
          : fmt::format("{:.1f}% {}", 100 * std::abs(ratio - 1),
                        ratio < 1 ? "faster, with a batch farther from the usual" : "slower");
  return fmt::format("{}, micro-batch {}{}, sharding {}, recompute {}: {}", degree_words(layout),
                     format_exact(layout.micro_batch), batch, sharding_name(layout.sharding),
                     recompute_words(layout), difference);
}

void trace_choices(const Execution& execution, const PriceQuote& price, const Estimate& out,
                   const std::function<void(std::string_view)>& trace) {
  const Plan& plan = execution.plan;
  if (execution.mfu_given) {
    trace(fmt::format("{}: the MFU is given, no layout was searched for speed", out.accelerator));
  }
  trace(fmt::format(
      "{}: {} kinds of layout of {} GPUs ranked, {} steps computed. Taken: {}, {} a step",
      out.accelerator, format_exact(plan.considered), format_exact(execution.gpus),
      format_exact(plan.evaluated), degree_words(plan.layout),
      format_number(execution.step_seconds, NumberKind::duration)));
  if (price.usd) {
    trace(fmt::format("{}: {} USD per GPU-hour{}: {}", out.accelerator, format_exact(*price.usd),
                      price.imputed ? ", imputed" : "", price.source));
  }
}

// FLOPs of the training. The other phases of a round count as language model.
void count_flops(const Task& task, const Execution& execution, FlopTotals& out) {
  const ResolvedWork& work = task.work();
  const TrainingFlops& per_token = work.flops_per_token;
  const double tokens = task.amounts.tokens.total;
  const double learning = per_token.total() * tokens_per_step(work, execution.plan.layout);
  const double others = (execution.model_flops / learning - 1) * per_token.total();
  out.language = (per_token.language() + others) * tokens;
  out.vision = per_token.encoder() * tokens;
  out.projector = per_token.connector() * tokens;
  out.model = out.language + out.vision + out.projector;
  out.hardware = out.model * execution.hardware_flops / execution.model_flops;
  out.per_token = out.model / tokens;
  out.rule_6nd = 6 * work.rule_params * tokens;
}

// Rounds token counts, so that the parts still sum to the total.
TokenTotals whole_tokens(const TokenTotals& tokens) {
  TokenTotals out = tokens;
  out.total = std::round(tokens.total);
  out.vision = std::round(tokens.vision);
  // Tokens that cross-attention reads are not part of the sequence.
  const bool in_sequence = tokens.text + tokens.vision <= tokens.total * (1 + 1e-9);
  out.text = in_sequence ? out.total - out.vision : std::round(tokens.text);
  out.vision_encoder = std::round(tokens.vision_encoder);
  return out;
}

// Sets the quality of the answer. No published row supports a given speed, but it still matters
// whether whole runs on the chip are known.
void describe_method(const Prepared& prepared, const Execution& execution,
                     PerformanceSummary& out) {
  out.quality = prepared.quality;
  out.method = prepared.method;
  if (!execution.speed_given()) return;
  MethodQuality& quality = out.quality.emplace();
  quality.name = execution.mfu_given ? "given MFU" : "measured pace";
  quality.measured = prepared.quality.measured;
  out.method = quality.name;
}

// Hours are continuous in the tokens, but the last partial step counts as a step.
WorkTotals work_totals(const Task& task, const Execution& execution, const UsefulTime& useful,
                       const Estimate& out) {
  const double steps = optimizer_steps(task, out.layout);
  WorkTotals totals;
  totals.steps = out.steps;
  totals.step_seconds =
      out.steps * (execution.phases.empty() ? execution.step_seconds : execution.round_seconds);
  totals.tokens = steps * tokens_per_step(task.work(), out.layout);
  totals.model_flop = steps * execution.model_flops;
  totals.hardware_flop = steps * execution.hardware_flops;
  totals.paid_seconds = out.gpu_hours * kSecondsPerHour;
  totals.running_seconds = totals.paid_seconds * useful.production_overhead;
  totals.busy_seconds = totals.running_seconds * useful.goodput_share;
  totals.peak_flop = totals.busy_seconds * step_peak_flops(task.model());
  totals.peak_flop_bf16.reset();
  const auto bf16 = peak_flops(*task.model().platform().accelerator, Precision::bf16);
  if (bf16) totals.peak_flop_bf16 = totals.busy_seconds * *bf16;
  totals.network_seconds.reset();
  if (const auto share = network_share(execution)) {
    totals.network_seconds = totals.busy_seconds * *share;
  }
  totals.batch_tokens.reset();
  if (const auto cost = batch_token_cost(task, execution)) {
    totals.batch_tokens = totals.tokens * *cost;
  }
  return totals;
}

void fill_plan(const Question& question, const Execution& execution, Estimate& out) {
  const ResolvedWork& work = question.work();
  const Platform& platform = question.platform();
  out.accelerator = platform.accelerator->name;
  out.accelerator_title = platform.accelerator->title;
  out.system = platform.system->name;
  out.price_data_date.assign(question.price_data_date);
  out.gpus = execution.gpus;
  out.precision = platform.precision;
  out.one_precision = true;
  out.layout = execution.plan.layout;
  out.one_layout = true;
  out.memory = execution.plan.memory;
  out.seq_length = work.seq_length;
  out.tokens = whole_tokens(question.amounts.tokens);
  out.medium = work.medium;
  out.model = describe_model(work);
  out.one_model = true;
  count_flops(question, execution, out.flops);
}

// Fills the clock, the work done in that time, and its ratios.
void fill_time(const Task& task, const PlannedRun& run, Estimate& out) {
  const Execution& execution = run.execution;
  const double steps = optimizer_steps(task, out.layout);
  out.steps = std::ceil(steps / execution.updates * (1 - 1e-12));
  out.wall_clock_seconds =
      run.wall_clock_seconds.value_or(steps * execution.step_seconds / run.useful.share());
  out.gpu_hours = out.gpus * out.wall_clock_seconds / kSecondsPerHour;
  out.work = work_totals(task, execution, run.useful, out);
  set_ratios(out.work, out.performance);
  fill_waterfall(execution, run.useful, out);
}

void fill_derivations(const Question& question, const PlannedRun& run,
                      const EstimateOptions& options, Estimate& out) {
  out.derivations.clear();
  out.step.reset();
  if (!options.derivations) return;
  add_derivations({question, run.execution, run.useful, energy_inputs(question, out),
                   storage_inputs(question, out)},
                  out);
}

void warn_about_short_run(const Estimate& out, Notes& notes) {
  if (out.wall_clock_seconds >= kSecondsPerHour) return;
  notes.warn(fmt::format("the run takes {}. {}",
                         format_number(out.wall_clock_seconds, NumberKind::duration, 2),
                         start_up_words(out.cost.own)));
}

// Why a spot cluster may not finish: with every node, more of the time is lost. Empty if the
// goodput is given or the price is no spot price.
std::string preemption_words(const UsefulTerms& terms) {
  const FailureInputs& failures = terms.failures;
  if (!failures.spot || terms.goodput) return {};
  constexpr double kNodes = 100;
  return fmt::format(
      "A spot node is taken back every {} h{}, so {} nodes restart every {}. Set "
      "--preemption-hours, or --pricing on-demand",
      format_exact(failures.preemption_hours), failures.preemptions_given ? "" : " (an assumption)",
      kNodes,
      format_number(failures.preemption_hours / kNodes * kSecondsPerHour, NumberKind::duration, 2));
}

void note_batch_ramp(const Amounts& amounts, const Execution& execution, Notes& notes) {
  if (amounts.batch_ramp <= 0 || !notes.wanted()) return;
  if (!execution.phases.empty() || execution.mfu_given) {
    notes.warn(execution.mfu_given ? "--batch-ramp has no effect: --mfu holds for every batch"
                                   : "--batch-ramp has no effect: a round has one batch");
    return;
  }
  notes.add({"train.batch_ramp_time", format_number(execution.ramp, NumberKind::number, 4), "",
             "time of the run over that with the whole batch from the first step: smaller steps "
             "pay the same exchange and update, and fill a pipeline less",
             "the step's time at both ends of the ramp"});
}

}  // namespace

PlannedRun plan_run(const Question& question, Notes& notes) {
  const UsefulShare useful_share = [&](double gpus, double busy_seconds) {
    return useful_time(question.useful, gpus, busy_seconds).share();
  };
  PlannedRun out;
  try {
    out.execution = resolve_execution(question, useful_share, notes);
  } catch (const Error& error) {
    const std::string why = preemption_words(question.useful);
    if (why.empty() || error.hint.find("--deadline") == std::string::npos) throw;
    throw Error(error.kind, error.message, why + ". Or " + error.hint, error.location);
  }
  out.useful = useful_time(question.useful, working_gpus(out.execution),
                           wall_seconds(question, out.execution, 1));
  note_useful_time(question.useful, out.useful, notes);
  note_batch_ramp(question.amounts, out.execution, notes);
  // Steps of a smaller batch take more time for the same tokens: the rest is steps of the whole
  // one.
  out.useful.production_overhead /= out.execution.ramp;
  return out;
}

void set_pace(const Pace& pace, PlannedRun& run) {
  Execution& execution = run.execution;
  execution.pace = pace.factor;
  execution.step_seconds *= pace.factor;
  execution.round_seconds *= pace.factor;
  execution.pass.step_seconds *= pace.factor;
  for (PhaseTime& phase : execution.phases) phase.seconds *= pace.factor;
  run.wall_clock_seconds = pace.wall_clock_seconds;
}

void answer(const Question& question, const PlannedRun& run, const EstimateOptions& options,
            Notes& notes, Estimate& out) {
  const Execution& execution = run.execution;
  fill_plan(question, execution, out);
  describe_method(*question.prepared, execution, out.performance);
  fill_time(question, run, out);
  add_data_pipeline(question, execution.data_wait, options.assumptions, out);
  add_money(question, out);
  add_phase_results(*question.prepared, execution, out);
  fill_derivations(question, run, options, out);
  if (options.trace) trace_choices(execution, *question.price, out, options.trace);
  if (options.assumptions) {
    warn_about_plan(question, out, notes);
    if (!out.pipeline->gpu_bound) notes.warn(out.pipeline->verdict);
    warn_about_spot(question, run.useful, notes);
    warn_about_short_run(out, notes);
    out.runner_up = runner_up_text(execution.plan);
  }
  out.beyond_stack = beyond_stack(question.fixed.layout, *question.platform().stack);
  out.assumptions = std::move(notes.assumptions);
  out.warnings = std::move(notes.warnings);
  out.stages.clear();
}

std::string start_up_words(bool own) {
  return fmt::format("Start-up{} and downloads are not included",
                     own ? "" : ", a seller's minimum charge");
}

RangeInputs range_inputs(const Question& question, const PlannedRun& run, const Estimate& round,
                         const Trial& trial) {
  return range_inputs(question, run.useful, run.execution.speed_given(), trial, round);
}

}  // namespace trcost::estimation
