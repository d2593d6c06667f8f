// SPDX-License-Identifier: Apache-2.0
#include "estimate/waterfall.h"

#include <cmath>
#include <stdexcept>

namespace trcost {

void add_waterfall(const Execution& execution, const UsefulTime& useful, Estimate& out) {
  out.waterfall.clear();
  if (execution.mfu_given) {
    out.waterfall.push_back({"given_mfu", execution.mfu});
  } else {
    const StepTime& time = execution.plan.time;
    // Useful time by the workload's own count of FLOPs; the step model's first term is the same
    // work at peak, up to what it does not count.
    const double useful_seconds = execution.mfu * execution.step_seconds;
    double so_far = time.terms[0];
    const double busy = out.layout.gpus() / execution.gpus;
    double network = 0;
    out.waterfall.push_back({"counted_flops", useful_seconds / (so_far * busy)});
    for (int i = 1; i < kStepTermCount; ++i) {
      const double seconds = time.terms[static_cast<std::size_t>(i)];
      if (is_network_term(static_cast<StepTerm>(i))) network += seconds;
      if (seconds == 0) continue;
      out.waterfall.push_back(
          {step_term_name(static_cast<StepTerm>(i)), so_far / (so_far + seconds)});
      so_far += seconds;
    }
    if (busy < 1) out.waterfall.push_back({"idle_accelerators", busy});
    if (execution.data_wait > 1) out.waterfall.push_back({"data_wait", 1 / execution.data_wait});
    if (execution.pace) out.waterfall.push_back({"measured_pace", 1 / *execution.pace});
    if (std::abs(out.waterfall[0].share - 1) < 1e-9) out.waterfall.erase(out.waterfall.begin());
    // Tuning is a share of every part's time, and below 0 where the software is faster than usual.
    const double tuning = time.terms[static_cast<std::size_t>(StepTerm::tuning)];
    out.performance.interconnect_efficiency = 1 - network / (time.seconds - tuning);
  }
  if (useful.goodput_share != 1) out.waterfall.push_back({"goodput", useful.goodput_share});
  if (useful.production_overhead != 1) {
    out.waterfall.push_back({"production_overhead", useful.production_overhead});
  }
}

void check_waterfall(const Estimate& estimate, double realised) {
  double product = 1;
  for (const WaterfallTerm& term : estimate.waterfall) product *= term.share;
  if (std::abs(product - realised) > 1e-9 * realised) {
    throw std::logic_error("the waterfall does not multiply to the realised MFU");
  }
}

}  // namespace trcost
