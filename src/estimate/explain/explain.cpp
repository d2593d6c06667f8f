// SPDX-License-Identifier: Apache-2.0
#include "estimate/explain/explain.h"

#include "estimate/explain/explain_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/energy.h"
#include "cost/make_bill.h"
#include "cost/storage.h"
#include "quantity/quantity.h"
#include "trcost/bill.h"

namespace trcost::estimation {
namespace {

std::string count(double value) {
  return format_number(value, NumberKind::count, 4);
}
std::string plain_number(double value) {
  return format_number(value, NumberKind::number, 4);
}

// Steps with the fraction of the last one, which an answer counts as a step: `476837.158`.
std::string steps_in_full(double steps) {
  return steps == std::floor(steps) ? format_exact(steps) : fmt::format("{:.3f}", steps);
}

void add_parameters(const EstimateParts& in, Estimate& out) {
  const ParameterCounts& p = in.work().params;
  out.derivations.push_back(
      {"parameters", "N = embedding + layers + head + encoder + projector",
       fmt::format("{} + {} + {} + {} + {}", count(p.embedding), count(p.layers), count(p.head),
                   count(p.encoder), count(p.connector)),
       format_exact(p.total), in.work().model.source});
}

void add_tokens(const EstimateParts& in, Estimate& out) {
  const TokenTotals& t = out.tokens;
  const double epochs = in.question.bill.epochs;
  if (const auto& samples = in.question.amounts.samples) {
    out.derivations.push_back(
        {"tokens",
         fmt::format("D = samples x epochs x (text tokens + {0}s x tokens per {0})",
                     medium_word(in.work().medium)),
         fmt::format("{} x ({} + {})", count(*samples), plain_number(t.text / *samples),
                     plain_number((t.total - t.text) / *samples)),
         count(t.total), "the data's side of the scenario"});
    return;
  }
  out.derivations.push_back(
      {"tokens", "D = tokens x epochs",
       fmt::format("{} x {}", count(t.total / epochs), plain_number(epochs)), count(t.total),
       t.published ? "tokens that this model was trained on"
       : in.question.amounts.tokens_given
           ? "given by the user"
           : "compute-optimal: L(N, D) = E + A/N^a + B/D^b, refit by Epoch AI "
             "(arXiv:2404.10102)"});
}

void add_flops(const EstimateParts& in, Estimate& out) {
  const TrainingFlops& f = in.work().flops_per_token;
  const std::string source =
      "matmuls of forward and backward, causal half of attention: Megatron-LM "
      "num_floating_point_operations (megatron/training/training.py)";
  out.derivations.push_back(
      {"FLOPs per token", "forward + gradients of activations + gradients of weights, per module",
       fmt::format("language {} + {} + {} + encoder {} + projector {}", count(f.language_forward),
                   count(f.language_dgrad), count(f.language_wgrad), count(f.encoder()),
                   count(f.connector())),
       fmt::format("{} FLOP", count(f.total())), source});
  if (in.round() != nullptr) return;
  out.derivations.push_back(
      {"model FLOPs", "C = FLOPs per token x D",
       fmt::format("{} x {}", count(f.total()), count(out.tokens.total)),
       fmt::format("{} FLOP (rule 6 N D: {})", count(out.flops.model), count(out.flops.rule_6nd)),
       source});
}

// Derives the step of a run of one phase whose speed is not given.
void add_step(const EstimateParts& in, Estimate& out) {
  if (in.execution.mfu_given) return;
  out.step = std::make_shared<const StepAccount>(in.question.model().account(out.layout));
  for (Derivation& each : derive_step(*out.step)) out.derivations.push_back(std::move(each));
}

void add_time(const EstimateParts& in, Estimate& out) {
  const double peak = step_peak_flops(in.question.model());
  const PerformanceSummary& p = out.performance;
  std::string shares;
  for (const WaterfallTerm& term : out.waterfall) {
    shares +=
        fmt::format("{}{} {}", shares.empty() ? "" : " x ", term.term, plain_number(term.share));
  }
  out.derivations.push_back({"MFU x useful time", "product of the waterfall's shares", shares,
                             plain_number(p.mfu * in.useful.share()), p.method});
  out.derivations.push_back({"step time", "t = FLOPs per step / (GPUs x peak x MFU)",
                             fmt::format("{} / ({} x {} x {})", count(in.execution.model_flops),
                                         plain_number(out.gpus), count(peak), plain_number(p.mfu)),
                             fmt::format("{} s", plain_number(p.step_seconds)),
                             in.execution.mfu_given ? "MFU given by the user" : p.method});
  out.derivations.push_back(
      {"GPU-hours",
       "steps x t x GPUs / (goodput x production overhead) / 3600, of the last step the part that "
       "is "
       "full",
       fmt::format("{} x {} x {} / ({} x {}) / 3600",
                   steps_in_full(optimizer_steps(in.question, out.layout)),
                   plain_number(p.step_seconds), plain_number(out.gpus), plain_number(p.goodput),
                   plain_number(p.production_overhead)),
       fmt::format("{} GPU-hours", count(out.gpu_hours)), "model.md 6"});
}

constexpr std::string_view kRounds = "data/phases.md, A";

std::string phase_name_words(const PhaseTime& phase) {
  std::string out(phase.name);
  std::ranges::replace(out, '_', ' ');
  return out;
}

// A figure of each phase as `a + b + c`.
template <class Get>
std::string summed(const std::vector<PhaseTime>& phases, const Get& get) {
  std::string out;
  for (const PhaseTime& each : phases) {
    if (const auto value = get(each)) out += (out.empty() ? "" : " + ") + digits(*value);
  }
  return out.empty() ? "0" : out;
}

// Derives the policy's optimizer step, the measure of all other phases.
void add_learning(const EstimateParts& in, std::vector<Derivation>& out) {
  const Execution& e = in.execution;
  const LearningPass& pass = e.pass;
  const Layout& layout = e.plan.layout;
  out.push_back({"FLOPs of a step of the policy", "FLOPs per token x sequences x their tokens",
                 fmt::format("{} x {} x {}", digits(in.work().flops_per_token.total()),
                             digits(layout.global_batch), digits(in.work().seq_length)),
                 digits(pass.step_flops) + " FLOP", ""});
  if (e.mfu_given) {
    const double peak = step_peak_flops(in.question.model());
    out.push_back(
        {"step of the policy", "t = FLOPs per step / (GPUs x peak x MFU)",
         fmt::format("{} / ({} x {} x {})", digits(pass.step_flops), digits(e.gpus - e.generating),
                     digits(peak), digits(*in.question.fixed.mfu)),
         in_seconds(pass.step_seconds), "MFU given by the user"});
    return;
  }
  const StepAccount account = in.question.model().account(layout);
  for (Derivation& each : derive_step(account)) out.push_back(std::move(each));
  out.push_back({"step of the policy", "one step x waiting for data",
                 fmt::format("{} x {}{}", digits(e.plan.time.seconds), digits(e.data_wait),
                             e.pace ? fmt::format(" x {}; at the measured pace", digits(*e.pace))
                                    : std::string()),
                 in_seconds(pass.step_seconds), std::string(out.back().source)});
}

void add_pass_flops(const RoundWork& round, const Phase& phase, const PhaseTime& time,
                    const LearningPass& pass, std::vector<Derivation>& out) {
  std::string formula, numbers;
  if (phase.work == Work::generate) {
    formula =
        "steps of a pass x FLOPs of a step x share that is forward x share that its group has not "
        "read";
    numbers = fmt::format("{} x {} x {} x {}", digits(pass.steps), digits(pass.step_flops),
                          digits(round.forward_share), digits(round.generated_share));
  } else {
    const bool own = round.model(phase) != nullptr;
    formula = own ? "steps of a pass x FLOPs of its own model for a step's sequences x passes"
                  : "steps of a pass x FLOPs of a step x passes";
    numbers =
        fmt::format("{} x {} x {}", digits(pass.steps),
                    digits(time.model_flops / pass.steps / phase.repeats), digits(phase.repeats));
  }
  out.push_back({phase_name_words(time) + ": FLOPs of a round", formula, numbers,
                 digits(time.model_flops) + " FLOP", std::string(kRounds)});
  const double again = time.hardware_flops / time.model_flops;
  if (phase.work != Work::train || again == 1) return;
  out.push_back({phase_name_words(time) + ": with recomputation",
                 "FLOPs x those of a step with it / without",
                 fmt::format("{} x {}", digits(time.model_flops), digits(again)),
                 digits(time.hardware_flops) + " FLOP", std::string(kRounds)});
}

void add_seconds(const EstimateParts& in, const Phase& phase, const PhaseTime& time,
                 std::vector<Derivation>& out) {
  const LearningPass& pass = in.execution.pass;
  Derivation step{phase_name_words(time) + ": time of a round", "", "", in_seconds(time.seconds),
                  std::string(kRounds)};
  if (time.work == Work::generate) {
    const double factor = in.round()->generation_factor();
    step.formula = "engines' time x what the framework takes";
    step.numbers =
        fmt::format("{} x {}; {} tokens on engines of {}, the longest response {}",
                    digits(time.seconds / factor), digits(factor), digits(time.tokens),
                    time.engine ? time.engine->gpus : 0, digits(in.execution.rollout.longest));
  } else {
    step.formula = in.round()->model(phase) != nullptr
                       ? "its own model over the sequences once, as the step, x passes x what the "
                         "framework takes"
                       : "steps of a pass x step of the policy x passes x what the framework takes";
    step.numbers =
        fmt::format("{} x {} x {}", digits(time.seconds / phase.repeats / pass.framework),
                    digits(phase.repeats), digits(pass.framework));
  }
  out.push_back(std::move(step));
}

void add_serial(const Execution& e, std::vector<Derivation>& out) {
  const SerialTime& s = e.serial;
  if (s.seconds() == 0) return;
  if (s.moving() > 0) {
    out.push_back({"trained model, to the host and back",
                   "2 x bytes of weights, optimizer and other models / bytes per second each way",
                   fmt::format("2 x {} / {}", digits(s.moved), digits(*s.host_bandwidth)),
                   in_seconds(s.moving()), std::string(kRounds)});
  }
  out.push_back(
      {"beside the phases of a round",
       "other work + seconds per GB x GB of new weights / senders + seconds per 1e9 parameters of "
       "switching x those + to the host and back",
       fmt::format("{} + {} x {} / {} + {} x {} + {}", digits(s.other), digits(s.per_gigabyte),
                   digits(s.gigabytes), digits(s.senders), digits(s.per_billion),
                   digits(s.billions), digits(s.moving())),
       in_seconds(s.seconds()), std::string(kRounds)});
}

void add_round_time(const EstimateParts& in, std::vector<Derivation>& out) {
  const Execution& e = in.execution;
  const bool beside = in.round()->placement == Placement::async;
  const auto of = [](bool generates) {
    return [generates](const PhaseTime& p) {
      return (p.work == Work::generate) == generates ? std::optional(p.seconds) : std::nullopt;
    };
  };
  const double verifier = in.round()->rollout ? in.round()->rollout->verifier_seconds : 0;
  const std::string generating =
      fmt::format("{} + {}", summed(e.phases, of(true)), digits(verifier));
  const std::string others = summed(e.phases, of(false));
  out.push_back({"a round",
                 beside ? "the longer of generation + verifier, and the rest; + what stands beside"
                        : "generation + verifier + the rest + what stands beside",
                 fmt::format("{} + {}",
                             beside ? fmt::format("max({}, {})", generating, others)
                                    : fmt::format("{} + {}", generating, others),
                             digits(e.serial.seconds())),
                 in_seconds(e.round_seconds), std::string(kRounds)});
}

// Derives the job from its rounds.
void add_job(const EstimateParts& in, const Estimate& out_of, std::vector<Derivation>& out) {
  const Execution& e = in.execution;
  const PerformanceSummary& p = out_of.performance;
  const auto model = [](const PhaseTime& phase) { return std::optional(phase.model_flops); };
  const double step_tokens = tokens_per_step(in.work(), out_of.layout);
  const double flops = e.model_flops * e.updates;
  out.push_back({"FLOPs of a round", "sum of its phases", summed(e.phases, model),
                 digits(flops) + " FLOP", ""});
  out.push_back({"model FLOPs", "C = D / (tokens per step x steps of a round) x FLOPs of a round",
                 fmt::format("{} / ({} x {}) x {}", digits(out_of.tokens.total),
                             digits(step_tokens), digits(e.updates), digits(flops)),
                 fmt::format("{} FLOP (rule 6 N D: {})", digits(out_of.flops.model),
                             digits(out_of.flops.rule_6nd)),
                 std::string(kRounds)});
  out.push_back({"MFU x useful time",
                 "FLOPs of a round / (GPUs x peak x its seconds) x goodput x production overhead",
                 fmt::format("{} / ({} x {} x {}) x {} x {}", digits(flops), digits(out_of.gpus),
                             digits(step_peak_flops(in.question.model())), digits(e.round_seconds),
                             digits(p.goodput), digits(p.production_overhead)),
                 digits(p.mfu * in.useful.share()), p.method});
  out.push_back({"GPU-hours",
                 "rounds x seconds of a round x GPUs / (goodput x production overhead) / 3600",
                 fmt::format("{} x {} x {} / ({} x {}) / 3600",
                             digits(optimizer_steps(in.question, out_of.layout) / e.updates),
                             digits(e.round_seconds), digits(out_of.gpus), digits(p.goodput),
                             digits(p.production_overhead)),
                 digits(out_of.gpu_hours) + " GPU-hours", "model.md 6"});
}

// Derives the FLOPs of a step up to the GPU-hours of rounds of several phases.
void add_round(const EstimateParts& in, Estimate& out) {
  std::vector<Derivation>& steps = out.derivations;
  add_learning(in, steps);
  for (std::size_t i = 0; i < in.execution.phases.size(); ++i) {
    add_pass_flops(*in.round(), in.round()->phases[i], in.execution.phases[i], in.execution.pass,
                   steps);
    add_seconds(in, in.round()->phases[i], in.execution.phases[i], steps);
  }
  add_serial(in.execution, steps);
  add_round_time(in, steps);
  add_job(in, out, steps);
}

}  // namespace

void add_derivations(const EstimateParts& in, Estimate& out) {
  const auto append = [&](std::vector<Derivation> steps) {
    for (Derivation& step : steps) out.derivations.push_back(std::move(step));
  };
  add_parameters(in, out);
  add_tokens(in, out);
  add_flops(in, out);
  if (in.round() != nullptr) {
    add_round(in, out);
  } else {
    add_step(in, out);
    add_time(in, out);
  }
  if (!in.useful.goodput_given) append(derive_goodput(in.useful.failures, in.useful.goodput));
  const Rates& rates = *in.question.rates;
  if (rates.own) {
    append(derive_ownership(rates.ownership_inputs, rates.ownership, rates.purchase));
    if (out.cost.rent_per_gpu_hour) {
      if (auto step = derive_break_even(rates.ownership, *out.cost.rent_per_gpu_hour,
                                        out.cost.rent_source)) {
        out.derivations.push_back(*std::move(step));
      }
    }
  } else {
    out.derivations.push_back(derive_price(*in.question.price, out.accelerator));
  }
  if (rates.power.watts) {
    out.derivations.push_back({"power per accelerator", rates.power.why,
                               fmt::format("{:.5g} W", *rates.power.watts),
                               fmt::format("{:.5g} W", *rates.power.watts), rates.power.source});
  }
  append(derive_energy(in.energy, out.energy));
  append(derive_storage(in.storage, compute_storage(in.storage)));
  append(derive_bill(out.cost, out.tokens.total));
}

}  // namespace trcost::estimation
