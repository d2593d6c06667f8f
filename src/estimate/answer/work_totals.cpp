// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/work_totals.h"

#include <cmath>
#include <limits>

namespace trcost::estimation {

namespace {

// Adds values that may be unknown. The sum is unknown if a part is.
void add(std::optional<double>& sum, const std::optional<double>& more) {
  if (sum && more) {
    *sum += *more;
  } else {
    sum.reset();
  }
}

// A share of a whole. A given share (an MFU, a goodput) comes back as it was written, if product
// and quotient have moved it by no more than their rounding.
double quotient(double part, double whole) {
  constexpr double kDecimals = 1e15;  // that a double below 1 has for certain
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
  const double exact = part / whole;
  const double written = std::round(exact * kDecimals) / kDecimals;
  return std::abs(written - exact) <= kRounding * exact ? written : exact;
}

std::optional<double> quotient(const std::optional<double>& part, double whole) {
  return part ? std::optional(quotient(*part, whole)) : std::nullopt;
}

}  // namespace

// Does not compile when a member is added without its line here.
void add(WorkTotals& sum, const WorkTotals& more) {
  auto& [steps, step_seconds, tokens, model, hardware, peak, peak_bf16, busy, network, running,
         paid, batch_tokens] = sum;
  steps += more.steps;
  step_seconds += more.step_seconds;
  tokens += more.tokens;
  model += more.model_flop;
  hardware += more.hardware_flop;
  peak += more.peak_flop;
  add(peak_bf16, more.peak_flop_bf16);
  busy += more.busy_seconds;
  add(network, more.network_seconds);
  running += more.running_seconds;
  paid += more.paid_seconds;
  add(batch_tokens, more.batch_tokens);
}

void add(TokenTotals& sum, const TokenTotals& more) {
  auto& [total, text, vision, vision_encoder, compute_optimal, published] = sum;
  total += more.total;
  text += more.text;
  vision += more.vision;
  vision_encoder += more.vision_encoder;
  compute_optimal = compute_optimal && more.compute_optimal;
  published = published && more.published;
}

void add(FlopTotals& sum, const FlopTotals& more) {
  auto& [model, hardware, per_token, language, vision, projector, rule_6nd] = sum;
  model += more.model;
  hardware += more.hardware;
  language += more.language;
  vision += more.vision;
  projector += more.projector;
  rule_6nd += more.rule_6nd;
  per_token = 0;
}

void set_ratios(const WorkTotals& totals, PerformanceSummary& out) {
  constexpr double kTera = 1e12;
  out.step_seconds = totals.step_seconds / totals.steps;
  out.tokens_per_second_per_gpu = totals.tokens / totals.busy_seconds;
  out.tflops_per_gpu = totals.model_flop / totals.busy_seconds / kTera;
  out.mfu = quotient(totals.model_flop, totals.peak_flop);
  out.hfu = quotient(totals.hardware_flop, totals.peak_flop);
  out.mfu_bf16.reset();
  if (totals.peak_flop_bf16) out.mfu_bf16 = quotient(totals.model_flop, *totals.peak_flop_bf16);
  out.interconnect_efficiency.reset();
  if (totals.network_seconds) {
    out.interconnect_efficiency = 1 - *totals.network_seconds / totals.busy_seconds;
  }
  out.goodput = quotient(totals.busy_seconds, totals.running_seconds);
  out.production_overhead = quotient(totals.running_seconds, totals.paid_seconds);
  out.batch_token_cost = quotient(totals.batch_tokens, totals.tokens);
}

}  // namespace trcost::estimation
