// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/breakdown.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "estimate/cluster/round_time.h"
#include "quantity/quantity.h"

namespace trcost::estimation {
namespace {

double term_seconds(const StepTime& time, StepTerm term) {
  return time.terms[static_cast<std::size_t>(term)];
}

// Shares of the terms of the step model, idle accelerators, waiting for data and measured pace.
void add_step_terms(const Execution& execution, Estimate& out) {
  const StepTime& time = execution.plan.time;
  // Useful time by the workload's own count of FLOPs. The step model's first term is the same work
  // at peak, except for FLOPs that it does not count.
  const double useful_seconds = out.performance.mfu * execution.step_seconds;
  double so_far = time.terms[0];
  const double busy = out.layout.gpus() / execution.gpus;
  out.waterfall.push_back({"counted_flops", useful_seconds / (so_far * busy)});
  for (int i = 1; i < kStepTermCount; ++i) {
    const double seconds = term_seconds(time, static_cast<StepTerm>(i));
    if (seconds == 0) continue;
    out.waterfall.push_back(
        {step_term_name(static_cast<StepTerm>(i)), so_far / (so_far + seconds)});
    so_far += seconds;
  }
  if (busy < 1) out.waterfall.push_back({"idle_accelerators", busy});
  if (execution.data_wait > 1) out.waterfall.push_back({"data_wait", 1 / execution.data_wait});
  if (execution.pace) out.waterfall.push_back({"measured_pace", 1 / *execution.pace});
  if (std::abs(out.waterfall[0].share - 1) < 1e-9) out.waterfall.erase(out.waterfall.begin());
}

void check(const Estimate& out, double realised) {
  double product = 1;
  for (const WaterfallTerm& term : out.waterfall) product *= term.share;
  if (std::abs(product - realised) > 1e-9 * realised) {
    throw std::logic_error("the waterfall does not multiply to the realised MFU");
  }
}

}  // namespace

std::optional<double> network_share(const Execution& execution) {
  if (execution.mfu_given || !execution.phases.empty()) return std::nullopt;
  const StepTime& time = execution.plan.time;
  double network = 0;
  for (int i = 1; i < kStepTermCount; ++i) {
    const auto term = static_cast<StepTerm>(i);
    if (is_network_term(term)) network += term_seconds(time, term);
  }
  // Tuning is a share of every part's time, and below 0 where the software is faster than usual.
  return network / (time.seconds - term_seconds(time, StepTerm::tuning));
}

void fill_waterfall(const Execution& execution, const UsefulTime& useful, Estimate& out) {
  out.waterfall.clear();
  if (!execution.phases.empty()) return;
  if (execution.mfu_given) {
    out.waterfall.push_back({"given_mfu", out.performance.mfu});
  } else {
    add_step_terms(execution, out);
  }
  if (useful.goodput_share != 1) out.waterfall.push_back({"goodput", useful.goodput_share});
  if (useful.production_overhead != 1) {
    out.waterfall.push_back({"production_overhead", useful.production_overhead});
  }
  check(out, out.performance.mfu * useful.share());
}

namespace {

// Sets the phase's share of the hours and of the bill.
void set_share(const Estimate& job, double share, PhaseResult& out) {
  out.gpu_hours = job.gpu_hours * share;
  if (job.cost.total) out.cost = *job.cost.total * share;
}

// A round of a plain run is one step.
PhaseResult plain_phase(const Prepared& prepared, const Execution& execution, const Estimate& job) {
  PhaseResult out;
  out.name = "train_policy";
  out.method = prepared.training;
  out.gpus = job.gpus;
  out.step_seconds = job.performance.step_seconds;
  out.tokens = tokens_per_step(prepared.work, job.layout);
  out.model_flops = execution.model_flops;
  out.hardware_flops = execution.hardware_flops;
  out.layout = job.layout;
  out.layers = job.model.dealt_layers;
  set_share(job, 1, out);
  return out;
}

RolloutSummary summary(const RoundWork& round, const Execution& execution, const Estimate& job) {
  RolloutSummary out;
  const RolloutWork& work = *round.rollout;
  out.rounds = job.steps;
  out.responses = work.responses();
  out.generated_tokens = out.rounds * out.responses * work.mean_response();
  for (const PhaseTime& phase : execution.phases) {
    if (phase.work == Work::generate) out.generation_share += phase.seconds;
  }
  out.generation_share = std::min(1.0, out.generation_share / execution.round_seconds);
  out.idle_share = execution.rollout.idle_share;
  out.tail_share = execution.rollout.tail_share;
  out.longest_over_mean = execution.rollout.longest / work.mean_response();
  out.sequences_per_engine = execution.rollout_sequences;
  out.engine_bytes = execution.engine.weights;
  out.kv_cache_bytes = execution.engine.cache;
  out.moving_seconds = execution.serial.moving();
  if (job.cost.total) {
    out.usd_per_round = *job.cost.total / out.rounds;
    out.usd_per_million_generated = *job.cost.total / out.generated_tokens * 1e6;
  }
  return out;
}

}  // namespace

void add_phase_results(const Prepared& prepared, const Execution& execution, Estimate& out) {
  out.phases.clear();
  out.rollout.reset();
  if (execution.phases.empty()) {
    out.phases.push_back(plain_phase(prepared, execution, out));
    return;
  }
  const double all = execution.gpus * execution.round_seconds;
  double worked = 0;
  for (const PhaseTime& phase : execution.phases) {
    PhaseResult& result = out.phases.emplace_back();
    result.name = phase.name;
    result.method = prepared.training;
    result.work = phase.work;
    result.gpus = phase.gpus;
    result.step_seconds = phase.seconds;
    result.tokens = phase.tokens;
    result.model_flops = phase.model_flops;
    result.hardware_flops = phase.hardware_flops;
    result.layout = phase.layout;
    result.layers = out.model.dealt_layers;
    result.engine = phase.engine;
    set_share(out, phase.gpus * phase.seconds / all, result);
    worked += phase.gpus * phase.seconds;
  }
  constexpr double kRounding = 1e-9;
  if (const double waited = 1 - worked / all; waited > kRounding) {
    PhaseResult& result = out.phases.emplace_back();
    result.name = "wait";
    result.method = prepared.training;
    result.work = Work::wait;
    result.gpus = out.gpus;
    result.step_seconds = waited * execution.round_seconds;
    set_share(out, waited, result);
  }
  if (prepared.round && prepared.round->rollout) {
    out.rollout = summary(*prepared.round, execution, out);
    const bool tight = out.memory.tight;
    out.memory = fullest_moment(*prepared.round, out.memory, execution.engine);
    out.memory.tight = tight;
  }
}

}  // namespace trcost::estimation
