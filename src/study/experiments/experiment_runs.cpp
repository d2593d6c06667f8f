// SPDX-License-Identifier: Apache-2.0
#include "study/experiments/experiment_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimate/cluster/deadline_search.h"
#include "estimate/cluster/execution.h"
#include "trcost/error.h"
#include "trcost/numbers.h"
#include "workload/method.h"

namespace trcost::study {

namespace {

constexpr double kMostOfOneRun = 131072;  // accelerators, where no cluster is given

class Sizes {
 public:
  Sizes(const Scenario& attempt, const Experiment& experiment, const RunBounds& bounds,
        std::string_view accelerator, Estimator& estimator)
      : scenario_(attempt),
        experiment_(experiment),
        bounds_(bounds),
        most_(bounds.cluster.value_or(kMostOfOneRun)),
        accelerator_(accelerator),
        estimator_(estimator) {}

  std::vector<Estimate> find() {
    if (experiment_.overrides.has(Field::hardware_gpus)) {
      estimator_.run_one(scenario_, accelerator_, in_time_.emplace_back());
      return std::move(in_time_);
    }
    for (double gpus = 1; gpus < bounds_.node; gpus *= 2) try_gpus(gpus);
    try_gpus(bounds_.node);
    if (in_time_.empty() && bounds_.node < most_) try_nodes();
    if (!in_time_.empty()) return std::move(in_time_);
    if (!fastest_) {
      throw Error(first_ ? *first_ : Error(ErrorKind::no_answer, "the cluster is too small"));
    }
    in_time_.push_back(*std::move(fastest_));
    return std::move(in_time_);
  }

 private:
  void try_gpus(double gpus) {
    scenario_.set_number(Field::hardware_gpus, gpus);
    try_size();
  }

  void try_size() {
    Estimate run;
    try {
      estimator_.run_one(scenario_, accelerator_, run);
    } catch (const Error& error) {
      if (error.kind == ErrorKind::data) throw;
      if (!first_) first_ = error;
      return;
    }
    if (run.gpus > most_ || !same_training(scenario_, run)) return;
    if (shortened_seconds(run, experiment_) <= bounds_.seconds) {
      in_time_.push_back(std::move(run));
    } else if (!fastest_ || run.wall_clock_seconds < fastest_->wall_clock_seconds) {
      fastest_ = std::move(run);
    }
  }

  // The cluster that a deadline of the same time gets. If it exceeds the given one or is too slow,
  // the fewest nodes that are in time, and sizes among which the fastest is.
  void try_nodes() {
    scenario_.clear(Field::hardware_gpus);
    scenario_.set_number(Field::hardware_deadline,
                         bounds_.seconds / (1 - experiment_.early_stopping));
    try_size();
    scenario_.clear(Field::hardware_deadline);
    const ClusterSizes sizes(bounds_.node);
    for (double gpus = bounds_.node; gpus < most_ && in_time_.empty();) {
      gpus = std::min(bounds_.cluster ? sizes.after(gpus) : sizes.round_after(gpus), most_);
      try_gpus(gpus);
    }
  }

  Scenario scenario_;
  const Experiment& experiment_;
  const RunBounds& bounds_;
  double most_;
  std::string_view accelerator_;
  Estimator& estimator_;
  std::vector<Estimate> in_time_;
  std::optional<Estimate> fastest_;  ///< of the others
  std::optional<Error> first_;       ///< of the sizes without an answer
};

// Whether the policy of a method writes its own data, in rounds.
bool writes_its_data(const Scenario& scenario) {
  return method_row(method_named(scenario.text(Field::train_method))).generates;
}

}  // namespace

FinalRun final_run(const Scenario& base, std::string_view accelerator, Estimator& estimator) {
  // Only counts are read. A given MFU makes them independent of memory, but a round has none.
  Scenario counting = base;
  if (!writes_its_data(base)) counting.set_number(Field::efficiency_mfu, 0.4);
  counting.set_number(Field::hardware_gpus, 1024);
  for (const FieldInfo& info : fields()) {
    if (info.group == FieldGroup::layout) counting.clear(info.field);
  }
  Estimate estimate;
  estimator.run_one(counting, accelerator, estimate);
  FinalRun out;
  out.params = base.number(Field::model_params).value_or(estimate.model.params_active);
  out.params_total = base.number(Field::model_params).value_or(estimate.model.params_total);
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
  if (writes_its_data(base)) {
    const double steps = base.number_or_default(Field::rollout_steps);
    out.set_number(Field::rollout_steps,
                   std::max(1.0, std::round(steps * experiment.tokens_fraction)));
  } else if (const auto samples = base.number(Field::data_samples)) {
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

std::optional<Assumption> smaller_model(const Scenario& attempt, const Experiment& experiment,
                                        const FinalRun& whole) {
  if (experiment.params_fraction >= 1 || whole.params >= whole.params_total) return std::nullopt;
  const auto params = attempt.number(Field::model_params);
  if (!params || experiment.overrides.has(Field::model_params)) return std::nullopt;
  return Assumption{
      std::string(field_info(Field::model_params).path), format_number(*params, NumberKind::count),
      "parameters",
      fmt::format("of experiment \"{}\": a dense model of {} of the {} parameters that a token of "
                  "the final run uses, not of its {}, most of which are experts that it passes by",
                  experiment.name, format_number(experiment.params_fraction, NumberKind::fraction),
                  format_number(whole.params, NumberKind::count),
                  format_number(whole.params_total, NumberKind::count)),
      "model.md 2: the work of a mixture goes with its active parameters. An experiment that is a "
      "mixture too names its own model"};
}

double shortened_seconds(const Estimate& run, const Experiment& experiment) {
  return run.wall_clock_seconds * (1 - experiment.early_stopping);
}

std::vector<Estimate> run_sizes(const Scenario& attempt, const Experiment& experiment,
                                const RunBounds& bounds, std::string_view accelerator,
                                Estimator& estimator) {
  return Sizes(attempt, experiment, bounds, accelerator, estimator).find();
}

}  // namespace trcost::study
