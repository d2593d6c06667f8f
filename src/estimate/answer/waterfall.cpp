// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/waterfall.h"

#include <cmath>
#include <stdexcept>

namespace trcost::estimation {
namespace {

double seconds_of(const StepTime& time, StepTerm term) {
  return time.terms[static_cast<std::size_t>(term)];
}

// What the step model says, term by term, and what is beside it.
void add_step_terms(const Execution& execution, Estimate& out) {
  const StepTime& time = execution.plan.time;
  // Useful time by the workload's own count of FLOPs; the step model's first term is the same
  // work at peak, up to what it does not count.
  const double useful_seconds = out.performance.mfu * execution.step_seconds;
  double so_far = time.terms[0];
  const double busy = out.layout.gpus() / execution.gpus;
  out.waterfall.push_back({"counted_flops", useful_seconds / (so_far * busy)});
  for (int i = 1; i < kStepTermCount; ++i) {
    const double seconds = seconds_of(time, static_cast<StepTerm>(i));
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
    if (is_network_term(term)) network += seconds_of(time, term);
  }
  // Tuning is a share of every part's time, and below 0 where the software is faster than usual.
  return network / (time.seconds - seconds_of(time, StepTerm::tuning));
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

}  // namespace trcost::estimation
