// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer.h"

#include <cmath>

#include "estimate/answer_notes.h"
#include "estimate/data_scale.h"
#include "estimate/explain.h"
#include "estimate/model_summary.h"
#include "estimate/phase_results.h"
#include "estimate/pipeline_data.h"
#include "estimate/waterfall.h"
#include "quantity/quantity.h"

namespace trcost {
namespace {

// The rule takes the parameters as people say them: the number asked for, or the active ones.
double rule_parameters(const Scenario& scenario, const ResolvedWork& work) {
  return scenario.number(Field::model_params).value_or(work.params.active);
}

// What the other phases of a round compute stands with the language model.
void count_flops(const Scenario& scenario, const Prepared& prepared, FlopTotals& out) {
  const ResolvedWork& work = prepared.work;
  const TrainingFlops& per_token = work.flops_per_token;
  const double tokens = work.tokens.total;
  const double others = prepared.round ? prepared.round->extra_flops() * per_token.total() : 0;
  out.language = (per_token.language() + others) * tokens;
  out.vision = per_token.encoder() * tokens;
  out.projector = per_token.connector() * tokens;
  out.model = out.language + out.vision + out.projector;
  out.per_token = out.model / tokens;
  out.rule_6nd = 6 * rule_parameters(scenario, work) * tokens;
}

// Counts are whole; the parts stay the sum of the total.
TokenTotals whole_tokens(const TokenTotals& tokens) {
  TokenTotals out = tokens;
  out.total = std::round(tokens.total);
  out.vision = std::round(tokens.vision);
  // What cross-attention reads stands beside the text, not in the sequence.
  const bool in_sequence = tokens.text + tokens.vision <= tokens.total * (1 + 1e-9);
  out.text = in_sequence ? out.total - out.vision : std::round(tokens.text);
  out.vision_encoder = std::round(tokens.vision_encoder);
  return out;
}

void describe_performance(const Prepared& prepared, const Execution& execution,
                          const UsefulTime& useful, Estimate& out) {
  const ResolvedWork& work = prepared.work;
  const Platform& platform = prepared.model.platform();
  const auto peak = [&](Precision p) {
    return platform.accelerator->peak_flops[static_cast<std::size_t>(p)];
  };
  const double step_tokens = tokens_per_step(work, out.layout);
  PerformanceSummary& perf = out.performance;
  perf.step_seconds = execution.phases.empty() ? execution.step_seconds : execution.round_seconds;
  perf.tokens_per_second_per_gpu = step_tokens / execution.step_seconds / out.gpus;
  perf.mfu = execution.mfu;
  perf.tflops_per_gpu = perf.mfu * peak(platform.precision) / 1e12;
  const double bf16 = peak(Precision::bf16);
  perf.mfu_bf16.reset();
  if (bf16 > 0) perf.mfu_bf16 = perf.mfu * peak(platform.precision) / bf16;
  const StepTime& time = execution.plan.time;
  const double hardware_ratio = time.model_flops > 0 ? time.hardware_flops / time.model_flops : 1.0;
  perf.hfu = perf.mfu * hardware_ratio;
  out.flops.hardware = out.flops.model * hardware_ratio;
  perf.goodput = useful.goodput_share;
  perf.production_overhead = useful.production_overhead;
  perf.batch_token_cost = batch_token_cost(work, execution);
  perf.quality = prepared.quality;
  perf.method = prepared.method;
  if (execution.speed_given()) {
    // No row stands behind it; of the chip it still holds whether whole runs on it are known.
    perf.quality = {};
    perf.quality.name = execution.mfu_given ? "given MFU" : "measured pace";
    perf.quality.measured = prepared.quality.measured;
    perf.method = perf.quality.name;
  }
  out.waterfall.clear();
  perf.interconnect_efficiency.reset();
  if (!execution.phases.empty()) return;  // of several kinds of work there is no one way down
  add_waterfall(execution, useful, out);
  check_waterfall(out, perf.mfu * useful.share());
}

WorkTotals work_totals(const Prepared& prepared, const UsefulTime& useful, const Estimate& out) {
  const Platform& platform = prepared.model.platform();
  const PerformanceSummary& perf = out.performance;
  WorkTotals totals;
  totals.steps = out.steps;
  totals.step_seconds = out.steps * perf.step_seconds;
  totals.paid_seconds = out.gpu_hours * kSecondsPerHour;
  totals.running_seconds = totals.paid_seconds * useful.production_overhead;
  totals.busy_seconds = totals.running_seconds * useful.goodput_share;
  totals.network_seconds.reset();
  if (perf.interconnect_efficiency) {
    totals.network_seconds = totals.busy_seconds * (1 - *perf.interconnect_efficiency);
  }
  totals.tokens = totals.busy_seconds * perf.tokens_per_second_per_gpu;
  const double peak =
      platform.accelerator->peak_flops[static_cast<std::size_t>(platform.precision)];
  totals.peak_flop = totals.busy_seconds * peak;
  totals.peak_flop_bf16.reset();
  if (perf.mfu_bf16) totals.peak_flop_bf16 = totals.peak_flop * perf.mfu / *perf.mfu_bf16;
  totals.model_flop = totals.peak_flop * perf.mfu;
  totals.hardware_flop = totals.peak_flop * perf.hfu;
  totals.batch_tokens.reset();
  if (perf.batch_token_cost) totals.batch_tokens = totals.tokens * *perf.batch_token_cost;
  return totals;
}

void fill_plan(const Question& question, const Execution& execution, Estimate& out) {
  const ResolvedWork& work = question.prepared->work;
  const Platform& platform = question.prepared->model.platform();
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
  out.tokens = whole_tokens(work.tokens);
  out.medium = work.medium;
  out.model = describe_model(work);
  count_flops(*question.scenario, *question.prepared, out.flops);
}

void fill_time(const Prepared& prepared, const Sized& sized, Estimate& out) {
  const Execution& execution = sized.execution;
  // Time is continuous in the tokens; who counts steps counts the last one too.
  const double steps = optimizer_steps(prepared.work, out.layout);
  out.steps = std::ceil(steps / execution.updates * (1 - 1e-12));
  out.wall_clock_seconds =
      sized.wall_clock_seconds.value_or(steps * execution.step_seconds / sized.useful.share());
  out.gpu_hours = out.gpus * out.wall_clock_seconds / kSecondsPerHour;
  out.work = work_totals(prepared, sized.useful, out);
}

void fill_derivations(const Question& question, const Sized& sized, const EstimateOptions& options,
                      Estimate& out) {
  out.derivations.clear();
  out.step.reset();
  if (!options.derivations) return;
  const Prepared& prepared = *question.prepared;
  add_derivations({*question.scenario, prepared.work, prepared.model, prepared.model.platform(),
                   sized.execution, sized.useful, *question.rates, question.bill},
                  out);
}

}  // namespace

Sized size(const Question& question, Notes& notes) {
  const Scenario& scenario = *question.scenario;
  const Prepared& prepared = *question.prepared;
  const UsefulShare useful_share = [&](double gpus, double busy_seconds) {
    return useful_time(question.useful, gpus, busy_seconds).share();
  };
  Sized out;
  out.execution = resolve_execution(scenario, prepared, useful_share, notes);
  out.useful = useful_time(question.useful, working_gpus(out.execution),
                           wall_seconds(prepared.work, out.execution, 1));
  note_useful_time(scenario, out.useful, notes);
  note_data_scale(scenario, prepared.work, notes);
  return out;
}

void set_pace(const Pace& pace, Sized& sized) {
  Execution& execution = sized.execution;
  execution.pace = pace.factor;
  execution.step_seconds *= pace.factor;
  execution.round_seconds *= pace.factor;
  for (PhaseTime& phase : execution.phases) phase.seconds *= pace.factor;
  execution.mfu /= pace.factor;
  sized.wall_clock_seconds = pace.wall_clock_seconds;
}

void answer(const Question& question, const Sized& sized, const EstimateOptions& options,
            Notes& notes, Estimate& out) {
  const Scenario& scenario = *question.scenario;
  const Prepared& prepared = *question.prepared;
  const Rates& rates = *question.rates;
  const Execution& execution = sized.execution;
  fill_plan(question, execution, out);
  describe_performance(prepared, execution, sized.useful, out);
  fill_time(prepared, sized, out);
  add_data_pipeline(scenario, prepared.work, *prepared.model.platform().stack, execution.data_wait,
                    options.assumptions, out);
  add_money(question.bill, prepared.work, rates, out);
  add_phase_results(prepared, execution, out);
  fill_derivations(question, sized, options, out);
  if (options.trace) trace_choices(execution, rates.price, out, options.trace);
  if (options.assumptions) {
    warn_about_plan(scenario, prepared.work, out, notes);
    if (!out.pipeline->gpu_bound) notes.warn(out.pipeline->verdict);
    warn_about_spot(sized.useful, rates, out, notes);
    out.runner_up = runner_up_text(execution.plan);
  }
  out.assumptions = std::move(notes.assumptions);
  out.warnings = std::move(notes.warnings);
  out.stages.clear();
}

RangeInputs range_inputs(const Question& question, const Sized& sized, const Estimate& round,
                         const Reestimate& elsewhere) {
  // Of what was asked: a method's defaults follow from it anew.
  return range_inputs(*question.asked, question.prepared->work, *question.rates, sized.useful,
                      sized.execution.speed_given(), elsewhere, round);
}

}  // namespace trcost
