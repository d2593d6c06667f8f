// SPDX-License-Identifier: Apache-2.0
#include "study/experiment_runs.h"

#include <algorithm>
#include <cmath>

namespace trcost {

FinalRun final_run(const Scenario& base, std::string_view accelerator, Estimator& estimator) {
  // Only counts are wanted, which a given MFU makes independent of what fits.
  Scenario counting = base;
  counting.set_number(Field::efficiency_mfu, 0.4);
  counting.set_number(Field::hardware_gpus, 1024);
  for (const FieldInfo& info : fields()) {
    if (info.group == FieldGroup::layout) counting.clear(info.field);
  }
  Estimate estimate;
  estimator.run_one(counting, accelerator, estimate);
  FinalRun out;
  out.params = base.number(Field::model_params).value_or(estimate.model.params_total);
  out.tokens = estimate.tokens.total / base.number_or_default(Field::data_epochs);
  out.rule = estimate.flops.rule_6nd;
  out.flops = estimate.flops.model;
  out.vision = estimate.model.params_vision > 0;
  return out;
}

Scenario attempt_scenario(const Scenario& base, const Experiment& experiment,
                          const FinalRun& whole) {
  Scenario out = base;
  for (const Field field : {Field::hardware_gpus, Field::hardware_deadline}) out.clear(field);
  if (experiment.params_fraction < 1) {
    out.clear(Field::model_name);
    out.set_number(Field::model_params, std::round(whole.params * experiment.params_fraction));
    if (whole.vision) out.set_text(Field::model_modality, "vl");
  }
  if (const auto samples = base.number(Field::data_samples)) {
    out.set_number(Field::data_samples,
                   std::max(1.0, std::round(*samples * experiment.tokens_fraction)));
  } else {
    out.clear_excluded_by(Field::data_tokens);
    out.set_number(Field::data_tokens,
                   std::max(1.0, std::round(whole.tokens * experiment.tokens_fraction)));
  }
  const Scenario& own = experiment.overrides;
  for (const FieldInfo& info : fields()) {
    if (own.has(info.field)) out.clear_excluded_by(info.field);
  }
  return stage_scenario(out, {experiment.name, own});
}

}  // namespace trcost
