// SPDX-License-Identifier: Apache-2.0
#include "trcost/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trcost/error.h"
#include "trcost/quantity.h"

namespace trcost {
namespace {

constexpr double kMostGpus = 131072;  // of one run, where no cluster is given

std::optional<double> times(std::optional<double> value, double factor) {
  return value ? std::optional<double>(*value * factor) : std::nullopt;
}

std::optional<double> plus(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional<double>(*a + *b) : std::nullopt;
}

// The size of the final run: what the fractions are of.
struct FinalRun {
  double params = 0;
  double tokens = 0;  ///< of one epoch
  double rule = 0;    ///< 6 N D
  double flops = 0;
  bool vision = false;
};

FinalRun final_run(const Scenario& base, std::string_view accelerator, Estimator& estimator) {
  // Only counts are wanted, which a given MFU makes independent of what fits.
  Scenario counting = base;
  counting.set_number(Field::efficiency_mfu, 0.4);
  counting.set_number(Field::hardware_gpus, 1024);
  for (const FieldInfo& info : fields()) {
    if (info.path.starts_with("layout.")) counting.clear(info.field);
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

// The scenario of one attempt, without hardware.
Scenario run_scenario(const Scenario& base, const Experiment& experiment, const FinalRun& whole) {
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
    out.set_number(Field::data_tokens,
                   std::max(1.0, std::round(whole.tokens * experiment.tokens_fraction)));
  }
  const Scenario& own = experiment.overrides;
  if (own.has(Field::model_name)) out.clear(Field::model_params);
  if (own.has(Field::model_params)) out.clear(Field::model_name);
  if (own.has(Field::data_samples)) out.clear(Field::data_tokens);
  if (own.has(Field::data_tokens)) out.clear(Field::data_samples);
  return stage_scenario(out, {experiment.name, own});
}

class Study {
 public:
  Study(const ExperimentStudy& study, const Catalog& catalog, std::string_view accelerator)
      : study_(study), catalog_(catalog), accelerator_(accelerator), estimator_(catalog) {}

  PlatformExperiments run() {
    out_.accelerator = accelerator_;
    const std::string usual = catalog_.accelerator(accelerator_).system;
    const bool own = study_.base.has(Field::hardware_system);
    const System& system = catalog_.system(own ? study_.base.text(Field::hardware_system)
                                               : std::string_view(usual));
    // A cluster of less than a node is rented as what it is.
    out_.node_gpus = std::max(1.0, std::min(system.gpus_per_node, most_gpus()));
    whole_ = final_run(study_.base, accelerator_, estimator_);
    out_.final_flops = whole_.flops;
    for (const Experiment& experiment : study_.experiments) add_named(experiment);
    if (study_.base.has(Field::hardware_gpus)) pack();
    for (ExperimentResult& each : out_.experiments) {
      each.idle_usd = times(each.run.cost.price_per_gpu_hour, each.idle_gpu_hours);
    }
    add_up();
    price_final_run();
    return std::move(out_);
  }

 private:
  [[nodiscard]] double most_gpus() const {
    return study_.base.number_or(Field::hardware_gpus, kMostGpus);
  }

  // The fewest accelerators that hold the run and finish it in time; else the fastest size.
  void size_run(Scenario scenario, ExperimentResult& result) {
    if (result.experiment->overrides.has(Field::hardware_gpus)) {
      estimator_.run_one(scenario, accelerator_, result.run);
      return;
    }
    std::optional<Estimate> fastest;
    std::optional<Error> first;
    for (double gpus = 1; gpus <= most_gpus(); gpus = next_size(gpus)) {
      scenario.set_number(Field::hardware_gpus, gpus);
      try {
        estimator_.run_one(scenario, accelerator_, result.run);
      } catch (const Error& error) {
        if (error.kind == ErrorKind::data) throw;
        if (!first) first = error;
        continue;
      }
      if (shortened(result) <= study_.run_seconds) return;
      if (!fastest || result.run.wall_clock_seconds < fastest->wall_clock_seconds) {
        fastest = result.run;
      }
    }
    if (!fastest) {
      throw Error(first ? *first : Error(ErrorKind::no_answer, "the cluster is too small"));
    }
    result.run = std::move(*fastest);
    result.in_time = false;
  }

  [[nodiscard]] double next_size(double gpus) const {
    const double node = out_.node_gpus;
    return gpus < node ? std::min(2 * gpus, node) : 2 * gpus;
  }

  static double shortened(const ExperimentResult& result) {
    return result.run.wall_clock_seconds * (1 - result.experiment->early_stopping);
  }

  // Accelerators of rented nodes that no attempt fills: attempts share a node while they fit.
  [[nodiscard]] double idle_gpus(double gpus, double attempts) const {
    const double node = out_.node_gpus;
    if (gpus >= node) return (std::ceil(gpus / node) * node - gpus) * attempts;
    const double per_node = std::floor(node / gpus);
    return std::ceil(attempts / per_node - 1e-9) * node - gpus * attempts;
  }

  void add(const Experiment& experiment) {
    ExperimentResult& result = out_.experiments.emplace_back();
    result.experiment = &experiment;
    size_run(run_scenario(study_.base, experiment, whole_), result);
    result.run_seconds = shortened(result);
    const double attempts = experiment.attempts();
    const double kept = (1 - experiment.early_stopping) * attempts;
    const double hours = result.run_seconds / kSecondsPerHour;
    result.gpu_hours = result.run.gpus * hours * attempts;
    result.idle_gpu_hours = idle_gpus(result.run.gpus, attempts) * hours;
    result.tokens = result.run.tokens.total * kept;
    result.flops = result.run.flops.model * kept;
    result.kwh = times(result.run.energy.kwh, kept);
    result.used_usd = times(result.run.cost.total, kept);
    out_.rule_share += result.run.flops.rule_6nd * kept / whole_.rule;
  }

  void add_named(const Experiment& experiment) {
    try {
      add(experiment);
    } catch (const Error& error) {
      if (study_.experiments.size() == 1) throw;
      throw Error(error.kind, fmt::format("experiment \"{}\": {}", experiment.name, error.message),
                  error.hint, error.location);
    }
  }

  // On a cluster the runs share the nodes: what stays idle is the schedule's, shared out as each
  // experiment would leave nodes unfilled by itself, or by its GPU-hours where none would.
  void share_idle(double gpu_hours) {
    double own = 0, used = 0;
    for (const ExperimentResult& each : out_.experiments) {
      own += each.idle_gpu_hours;
      used += each.gpu_hours;
    }
    for (ExperimentResult& each : out_.experiments) {
      const double share = own > 0 ? each.idle_gpu_hours / own : each.gpu_hours / used;
      each.idle_gpu_hours = share * gpu_hours;
    }
  }

  void add_up() {
    out_.kwh = out_.usd = out_.idle_usd = 0;
    for (const ExperimentResult& each : out_.experiments) {
      out_.runs += each.experiment->runs();
      out_.gpu_hours += each.gpu_hours;
      out_.idle_gpu_hours += each.idle_gpu_hours;
      out_.tokens += each.tokens;
      out_.flops += each.flops;
      out_.kwh = plus(out_.kwh, each.kwh);
      out_.idle_usd = plus(out_.idle_usd, each.idle_usd);
      out_.usd = plus(out_.usd, each.usd());
    }
    out_.usd_per_run = times(out_.usd, 1 / out_.runs);
    if (out_.kwh && *out_.kwh > 0) out_.tokens_per_mwh = out_.tokens / (*out_.kwh / 1000);
    std::optional<double> megawatt_seconds = 0;
    for (const ExperimentResult& each : out_.experiments) {
      const std::optional<double> rate = each.run.energy.tokens_per_second_per_megawatt;
      megawatt_seconds =
          plus(megawatt_seconds, rate ? std::optional(each.tokens / *rate) : std::nullopt);
    }
    if (megawatt_seconds) out_.tokens_per_second_per_megawatt = out_.tokens / *megawatt_seconds;
  }

  void pack() {
    ExperimentSchedule schedule;
    schedule.gpus = *study_.base.number(Field::hardware_gpus);
    std::vector<ScheduledJob> jobs;
    double busy = 0;
    for (const ExperimentResult& each : out_.experiments) {
      const double count = std::ceil(each.experiment->attempts() - 1e-9);
      if (each.run.gpus > schedule.gpus) {
        throw Error(ErrorKind::usage,
                    fmt::format("a run of \"{}\" takes {} GPUs, the cluster has {}",
                                each.experiment->name, format_exact(each.run.gpus),
                                format_exact(schedule.gpus)),
                    "raise --gpus, or give this experiment fewer");
      }
      jobs.push_back({each.run.gpus, each.run_seconds, count});
      busy += each.run.gpus * each.run_seconds * count;
    }
    const JobSchedule times_of = schedule_jobs(std::move(jobs), schedule.gpus, out_.node_gpus);
    schedule.seconds = times_of.seconds;
    share_idle(times_of.idle_gpu_seconds / kSecondsPerHour);
    schedule.busy_share = busy / (schedule.seconds * schedule.gpus);
    const std::optional<double> price = out_.experiments.front().run.cost.price_per_gpu_hour;
    schedule.usd = times(price, schedule.gpus * schedule.seconds / kSecondsPerHour);
    out_.schedule = schedule;
  }

  void price_final_run() {
    Scenario scenario = study_.base;
    scenario.clear(Field::hardware_gpus);
    try {
      Estimate estimate;
      estimator_.run_one(scenario, accelerator_, estimate);
      out_.final_usd = estimate.cost.total;
    } catch (const Error&) {
      // The final run is beside the question; its price then is not known.
      out_.final_usd.reset();
    }
  }

  const ExperimentStudy& study_;
  const Catalog& catalog_;
  std::string accelerator_;
  Estimator estimator_;
  FinalRun whole_;
  PlatformExperiments out_;
};

}  // namespace

double Experiment::attempts() const {
  constexpr double kNoise = 1e-12;  // 90 runs of which a tenth fail are 100 attempts
  const double mean = runs() / (1 - failure_share), whole = std::round(mean);
  return std::abs(mean - whole) < kNoise * mean ? whole : mean;
}

std::optional<double> ExperimentResult::usd() const { return plus(used_usd, idle_usd); }

std::optional<double> ExperimentResult::usd_per_run() const {
  return times(usd(), 1 / experiment->runs());
}

ExperimentReport run_experiments(const ExperimentStudy& study, const Catalog& catalog) {
  if (study.experiments.empty()) {
    throw Error(ErrorKind::usage, "no experiments",
                "give --runs N, or a study file with a list \"experiments\"");
  }
  if (!study.base.stages.empty()) {
    throw Error(ErrorKind::usage, "the final run of a study has one stage",
                "leave \"stages\" out, or study one stage at a time");
  }
  std::vector<std::string> names = study.base.names(Field::hardware_accelerator);
  if (names.empty()) names = default_accelerators();
  ExperimentReport out;
  std::optional<Error> last;
  for (const std::string& name : names) {
    try {
      out.platforms.push_back(Study(study, catalog, name).run());
    } catch (const Error& error) {
      if (names.size() == 1 || error.kind != ErrorKind::no_answer) throw;
      out.failures.push_back({name, error.message, error.hint});
      last = error;
    }
  }
  if (out.platforms.empty() && last) throw Error(*last);
  return out;
}

}  // namespace trcost
