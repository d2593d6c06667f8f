// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/cost/useful_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalog/models/model.h"
#include "cost/storage.h"
#include "estimate/question/cost/pricing.h"
#include "estimate/question/data/resolve_amounts.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "workload/method.h"

namespace trcost::estimation {
namespace {

// Production overhead by default. Runs from scratch have more of it, by how well a team tunes.
double default_overhead(const Scenario& scenario, const ResolvedWork& work,
                        const Amounts& amounts) {
  const bool method = scenario.has(Field::train_method) &&
                      method_named(scenario.text(Field::train_method)) != Method::pretrain;
  const bool from_scratch = !method && !scenario.has(Field::data_samples) &&
                            work.workload.language_training == Training::full &&
                            work.workload.contrastive_batch == 0;
  if (!from_scratch) return kOverhead;
  const std::optional<Tuning> tuning =
      find_value(kTunings, scenario.text(Field::efficiency_tuning));
  const double whole = tuning == Tuning::showcase    ? kTunedOverhead
                       : tuning == Tuning::first_run ? kFirstOverhead
                                                     : kUsualOverhead;
  if (!work.workload.vision()) return whole;
  // On few tokens for its size, a vision-language run adapts a trained language model.
  const double ratio = std::clamp(ratio_to_optimal(work, amounts), kAdaptationRatio, 1.0);
  return kOverhead +
         (1 - portable_log(ratio) / portable_log(kAdaptationRatio)) * (whole - kOverhead);
}

}  // namespace

double UsefulTerms::overhead_at(double gpu_hours) const {
  if (overhead_given) return production_overhead;
  const double attempts = project ? kProjectShare : 1;
  if (gpu_hours >= kLargeRunHours) return attempts * production_overhead;
  if (gpu_hours <= kSmallRunHours) return attempts * kOverhead;
  const double share =
      portable_log(gpu_hours / kSmallRunHours) / portable_log(kLargeRunHours / kSmallRunHours);
  return attempts * (kOverhead + share * (production_overhead - kOverhead));
}

UsefulTerms resolve_useful_terms(const Scenario& scenario, const ResolvedWork& work,
                                 const Amounts& amounts, const System& system) {
  UsefulTerms out;
  out.production_overhead = scenario.number_or(Field::efficiency_production_overhead,
                                               default_overhead(scenario, work, amounts));
  out.overhead_given = scenario.has(Field::efficiency_production_overhead);
  out.project = value_of(kScopes, scenario.text(Field::efficiency_scope)) == Scope::project;
  out.tuning_given = scenario.has(Field::efficiency_tuning);
  FailureInputs& in = out.failures;
  in.gpus_per_node = system.gpus_per_node;
  in.gpu_hours_per_failure = scenario.number_or_default(Field::efficiency_failure_gpu_hours);
  in.failures_given = scenario.has(Field::efficiency_failure_gpu_hours);
  in.checkpoint_bytes = checkpoint_bytes(work.params.total, work.trainable.total);
  in.stall_seconds = scenario.number(Field::efficiency_checkpoint_stall);
  in.restart_seconds = scenario.number(Field::efficiency_restart);
  in.interval_seconds = scenario.number(Field::cost_checkpoint_interval);
  in.spare_share = scenario.number(Field::cost_spares);
  in.spot = commitment_of(scenario) == Commitment::spot;
  in.preemption_hours = scenario.number_or_default(Field::efficiency_preemption_hours);
  in.preemptions_given = scenario.has(Field::efficiency_preemption_hours);
  out.goodput = scenario.number(Field::efficiency_goodput);
  return out;
}

UsefulTime useful_time(const UsefulTerms& terms, double gpus, double busy_seconds) {
  UsefulTime out;
  out.production_overhead = terms.overhead_at(gpus * busy_seconds / kSecondsPerHour);
  out.failures = terms.failures;
  out.failures.gpus = gpus;
  out.failures.busy_seconds = busy_seconds;
  out.goodput_given = terms.goodput.has_value();
  if (!out.goodput_given) out.goodput = plan_goodput(out.failures);
  out.goodput_share = terms.goodput.value_or(out.goodput.goodput);
  return out;
}

void note_useful_time(const UsefulTerms& terms, const UsefulTime& useful, Notes& notes) {
  if (!notes.wanted()) return;
  if (!terms.overhead_given) {
    if (terms.project) {
      notes.add(Field::efficiency_production_overhead, useful.production_overhead,
                fmt::format("restarts and second attempts count: the final run is {} of the hours",
                            kProjectShare),
                "OPT-175B, 34 of 62 days, and cumulative hours of the cards of Llama 3 and 3.1");
    } else if (useful.production_overhead != kOverhead && terms.tuning_given) {
      notes.add(Field::efficiency_production_overhead, useful.production_overhead,
                fmt::format("a run from scratch: {} of a team that tunes, {} of most, {} of a "
                            "first one",
                            kTunedOverhead, kUsualOverhead, kFirstOverhead),
                "published steady rates against published hours: BLOOM, GPT-NeoX, OPT, Olmo 3, "
                "Llama 3.1 405B");
    } else {
      notes.fallback(Field::efficiency_production_overhead, useful.production_overhead);
    }
  }
  constexpr double kSuspicious = 0.5;
  if (terms.overhead_given && terms.production_overhead < kSuspicious) {
    notes.warn(fmt::format(
        "--production-overhead {:.2g} is the share of the time in training steps: {:.0f}% of the "
        "time is lost. If {:.0f}% is lost, set {:.2g}",
        terms.production_overhead, 100 * (1 - terms.production_overhead),
        100 * terms.production_overhead, 1 - terms.production_overhead));
  }
  if (useful.goodput_given) return;
  for (GoodputNote& note : goodput_notes(useful.failures, useful.goodput)) {
    notes.add({std::move(note.path), format_number(note.value, NumberKind::number, 4),
               std::move(note.unit), std::move(note.why), std::move(note.source)});
  }
}

}  // namespace trcost::estimation
