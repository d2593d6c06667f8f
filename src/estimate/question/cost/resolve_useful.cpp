// SPDX-License-Identifier: Apache-2.0
#include "catalog/software/choices.h"
#include "cost/storage.h"
#include "estimate/question/cost/pricing.h"
#include "estimate/question/data/data_scale.h"
#include "estimate/question/resolve_question.h"
#include "workload/method.h"

namespace trcost::estimation {

namespace {

double whole_run_overhead(const Scenario& scenario) {
  const std::optional<Tuning> tuning =
      find_value(kTunings, scenario.text(Field::efficiency_tuning));
  if (tuning == Tuning::showcase) return kTunedOverhead;
  return tuning == Tuning::first_run ? kFirstOverhead : kUsualOverhead;
}

double usual_overhead(const Scenario& scenario, const ResolvedWork& work, const Amounts& amounts) {
  const bool method = scenario.has(Field::train_method) &&
                      method_named(scenario.text(Field::train_method)) != Method::pretrain;
  const bool from_scratch = !method && !scenario.has(Field::data_samples) &&
                            work.workload.language_training == Training::full &&
                            work.workload.contrastive_batch == 0 &&
                            !(work.workload.vision() && is_adaptation(work, amounts));
  return from_scratch ? whole_run_overhead(scenario) : kOverhead;
}

}  // namespace

UsefulTerms resolve_useful_terms(const Scenario& scenario, const ResolvedWork& work,
                                 const Amounts& amounts, const System& system) {
  UsefulTerms out;
  out.production_overhead = scenario.number_or(Field::efficiency_production_overhead,
                                               usual_overhead(scenario, work, amounts));
  out.overhead_given = scenario.has(Field::efficiency_production_overhead);
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

}  // namespace trcost::estimation
