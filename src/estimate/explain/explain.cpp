// SPDX-License-Identifier: Apache-2.0
#include "estimate/explain/explain.h"

#include "estimate/explain/explain_step.h"

#include <fmt/format.h>

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

// `476837.158`: with the part of the last step that is full, which an answer counts as a step.
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
       in.question.amounts.tokens_given
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

// Of a plain run whose speed nobody gave.
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
  out.derivations.push_back({"realised MFU", "product of the waterfall's shares", shares,
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
  append(derive_energy(energy_inputs(in.question, out), out.energy));
  const StorageInputs storage = storage_inputs(in.question, out);
  append(derive_storage(storage, compute_storage(storage)));
  append(derive_bill(out.cost, out.tokens.total));
}

}  // namespace trcost::estimation
