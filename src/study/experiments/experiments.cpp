// SPDX-License-Identifier: Apache-2.0
#include "study/experiments/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/energy.h"
#include "cost/make_bill.h"
#include "estimate/answer/answer.h"
#include "estimate/answer/price_warnings.h"
#include "estimate/range/range.h"
#include "quantity/quantity.h"
#include "study/experiments/experiment_runs.h"
#include "trcost/bill.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr double kRounding = 1e-9;  // relative difference in cost that is ignored

std::optional<double> times(std::optional<double> value, double factor) {
  return value ? std::optional<double>(*value * factor) : std::nullopt;
}

std::optional<double> plus(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional<double>(*a + *b) : std::nullopt;
}

class PlatformStudy {
 public:
  PlatformStudy(const ExperimentStudy& study, const Catalog& catalog, std::string_view accelerator)
      : study_(study), catalog_(catalog), accelerator_(accelerator), estimator_(catalog) {}

  PlatformExperiments run() {
    out_.accelerator = catalog_.accelerator(accelerator_).name;
    const std::string usual = catalog_.accelerator(accelerator_).system;
    const bool own = study_.base.has(Field::hardware_system);
    const System& system =
        catalog_.system(own ? study_.base.text(Field::hardware_system) : std::string_view(usual));
    // A cluster smaller than a node is rented as it is.
    out_.node_gpus =
        std::max(1.0, std::min(system.gpus_per_node, cluster().value_or(system.gpus_per_node)));
    whole_ = final_run(study_.base, accelerator_, estimator_);
    out_.final_flops = whole_.flops;
    for (const Experiment& experiment : study_.experiments) add(experiment);
    choose_sizes();
    add_totals();
    add_range();
    price_final_run();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::optional<double> cluster() const {
    return study_.base.number(Field::hardware_gpus);
  }

  void add(const Experiment& experiment) {
    out_.experiments.emplace_back().experiment = &experiment;
    try {
      const Scenario attempt = attempt_scenario(study_.base, experiment, whole_);
      if (auto smaller = smaller_model(attempt, experiment, whole_)) {
        out_.assumptions.push_back(*std::move(smaller));
      }
      sizes_.push_back(run_sizes(attempt, experiment,
                                 {out_.node_gpus, cluster(), study_.run_seconds}, accelerator_,
                                 estimator_));
    } catch (const Error& error) {
      if (study_.experiments.size() == 1) throw;
      throw Error(error.kind, fmt::format("experiment \"{}\": {}", experiment.name, error.message),
                  error.hint, error.location);
    }
    chosen_.push_back(0);
    set_size(chosen_.size() - 1, 0);
  }

  // Runs experiment `i` on its size `k`.
  void set_size(std::size_t i, std::size_t k) {
    ExperimentResult& result = out_.experiments[i];
    const Experiment& experiment = *result.experiment;
    chosen_[i] = k;
    result.run = sizes_[i][k];
    result.run_seconds = shortened_seconds(result.run, experiment);
    result.in_time =
        experiment.overrides.has(Field::hardware_gpus) || result.run_seconds <= study_.run_seconds;
    const double attempts = experiment.attempts();
    const double kept = (1 - experiment.early_stopping) * attempts;
    const double hours = result.run_seconds / kSecondsPerHour;
    result.gpu_hours = result.run.gpus * hours * attempts;
    result.tokens = result.run.tokens.total * kept;
    result.flops = result.run.flops.model * kept;
    result.rule_flops = result.run.flops.rule_6nd * kept;
    result.kwh = times(result.run.energy.kwh, kept);
    result.used_usd = times(result.run.cost.total, kept);
  }

  // Gives each experiment in turn the size at which all of them cost least, until none changes.
  void choose_sizes() {
    double least = schedule_cost();
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        for (std::size_t k = 0; k < sizes_[i].size(); ++k) {
          const std::size_t before = chosen_[i];
          if (k == before) continue;
          set_size(i, k);
          const double now = schedule_cost();
          if (now < least * (1 - kRounding)) {
            least = now;
            changed = true;
          } else {
            set_size(i, before);
          }
        }
      }
    }
    schedule_cost();
  }

  // Packs the runs, and returns the dollars for all with their idle GPUs. Without a price it
  // returns GPU-hours, which are proportional.
  double schedule_cost() {
    pack();
    const double idle_over_mean = kIdleDraw / catalog_.accelerator(accelerator_).mean_draw;
    out_.price_per_gpu_hour = out_.experiments.front().run.cost.price_per_gpu_hour;
    std::optional<double> usd = 0;
    double hours = 0;
    for (ExperimentResult& each : out_.experiments) {
      each.idle_usd = times(each.run.cost.price_per_gpu_hour, each.idle_gpu_hours);
      each.idle_kwh = times(each.kwh, each.idle_gpu_hours / each.gpu_hours * idle_over_mean);
      usd = plus(usd, each.usd());
      hours += each.gpu_hours + each.idle_gpu_hours;
    }
    return usd.value_or(hours);
  }

  void add_range() {
    std::vector<RangeInputs> rounds;
    for (const ExperimentResult& each : out_.experiments) {
      RangeInputs& round = rounds.emplace_back();
      round.gpu_hours = each.gpu_hours;
      round.wall_clock_seconds = each.run_seconds;
      round.inputs = each.run.range.inputs;
      if (!each.usd() || *each.run.cost.total <= 0) continue;
      round.usd = included_dollars(each.run.cost);
      // From one attempt to all of them with their idle GPUs.
      round.usd->scale(*each.usd() / *each.run.cost.total);
    }
    out_.range = compute_range(std::move(rounds));
  }

  void add_totals() {
    out_.kwh = out_.idle_kwh = out_.used_usd = out_.idle_usd = 0;
    for (const ExperimentResult& each : out_.experiments) {
      out_.runs += each.experiment->runs();
      out_.gpu_hours += each.gpu_hours;
      out_.idle_gpu_hours += each.idle_gpu_hours;
      out_.tokens += each.tokens;
      out_.flops += each.flops;
      out_.kwh = plus(out_.kwh, each.kwh);
      out_.idle_kwh = plus(out_.idle_kwh, each.idle_kwh);
      out_.idle_usd = plus(out_.idle_usd, each.idle_usd);
      out_.used_usd = plus(out_.used_usd, each.used_usd);
      out_.rule_share += each.rule_flops / whole_.rule;
    }
    out_.usd = plus(out_.used_usd, out_.idle_usd);
    out_.usd_per_run = times(out_.usd, 1 / out_.runs);
    out_.tokens_per_mwh = tokens_per_mwh(out_.tokens, out_.kwh);
    std::optional<double> megawatt_seconds = 0;
    for (const ExperimentResult& each : out_.experiments) {
      const std::optional<double> rate = each.run.energy.tokens_per_second_per_megawatt;
      megawatt_seconds =
          plus(megawatt_seconds, rate ? std::optional(each.tokens / *rate) : std::nullopt);
    }
    out_.tokens_per_second_per_megawatt = tokens_per_megawatt_second(out_.tokens, megawatt_seconds);
  }

  // The attempts, and the experiment of each job. The mean number of attempts is not whole, so the
  // last job runs only for that part of its time that is paid.
  struct Jobs {
    std::vector<ScheduledJob> list;
    std::vector<std::size_t> of;
    double busy = 0;  // GPU-seconds
  };
  [[nodiscard]] Jobs jobs() const {
    Jobs out;
    for (std::size_t i = 0; i < out_.experiments.size(); ++i) {
      const ExperimentResult& each = out_.experiments[i];
      if (each.run.gpus > cluster().value_or(each.run.gpus)) {
        throw Error(
            ErrorKind::usage,
            fmt::format("a run of \"{}\" takes {} GPUs, the cluster has {}", each.experiment->name,
                        format_exact(each.run.gpus), format_exact(*cluster())),
            "raise --gpus, or set fewer for this experiment");
      }
      const double attempts = each.experiment->attempts(), whole = std::floor(attempts);
      const auto add = [&](double seconds, double count) {
        if (count <= 0 || seconds <= 0) return;
        out.list.push_back({each.run.gpus, seconds, count});
        out.of.push_back(i);
        out.busy += each.run.gpus * seconds * count;
      };
      add(each.run_seconds, whole);
      add(each.run_seconds * (attempts - whole), 1);
    }
    return out;
  }

  void pack() {
    const Jobs all = jobs();
    const std::optional<double> given = cluster();
    double at_once = 0;  // GPUs of all attempts
    for (const ScheduledJob& job : all.list) at_once += job.gpus * job.count;
    const double gpus = given.value_or(std::ceil(at_once / out_.node_gpus) * out_.node_gpus);
    const JobSchedule packed = schedule_jobs(all.list, gpus, out_.node_gpus);
    for (ExperimentResult& each : out_.experiments) each.idle_gpu_hours = 0;
    for (std::size_t j = 0; j < all.list.size(); ++j) {
      out_.experiments[all.of[j]].idle_gpu_hours += packed.idle_of_job[j] / kSecondsPerHour;
    }
    if (!given) return;
    add_idle_cluster(gpus * packed.seconds / kSecondsPerHour);
    ExperimentSchedule schedule;
    schedule.gpus = gpus;
    schedule.seconds = packed.seconds;
    schedule.busy_share = all.busy / (packed.seconds * gpus);
    const std::optional<double> price = out_.experiments.front().run.cost.price_per_gpu_hour;
    schedule.usd = times(price, gpus * packed.seconds / kSecondsPerHour);
    out_.schedule = schedule;
  }

  // A given cluster is paid for as a whole until the last run ends. What no run and no node of one
  // accounts for is shared by the GPU-hours of the experiments.
  void add_idle_cluster(double paid_gpu_hours) {
    double used = 0, idle = 0;
    for (const ExperimentResult& each : out_.experiments) {
      used += each.gpu_hours;
      idle += each.idle_gpu_hours;
    }
    constexpr double kRounding = 1e-9;
    double rest = paid_gpu_hours - used - idle;
    if (rest < kRounding * paid_gpu_hours) rest = 0;
    for (ExperimentResult& each : out_.experiments) {
      if (used > 0) each.idle_gpu_hours += rest * each.gpu_hours / used;
    }
  }

  void price_final_run() {
    Scenario scenario = study_.base;
    scenario.clear(Field::hardware_gpus);
    try {
      Estimate estimate;
      estimator_.run_one(scenario, accelerator_, estimate);
      out_.final_usd = estimate.cost.total;
    } catch (const Error&) {
      // The price of the final run is not part of the answer, and stays unknown.
      out_.final_usd.reset();
    }
  }

  const ExperimentStudy& study_;
  const Catalog& catalog_;
  std::string accelerator_;
  Estimator estimator_;
  FinalRun whole_;
  std::vector<std::vector<Estimate>> sizes_;  // of each experiment
  std::vector<std::size_t> chosen_;           // of its sizes
  PlatformExperiments out_;
};

void warn_about_short_runs(ExperimentReport& report) {
  for (const PlatformExperiments& platform : report.platforms) {
    for (const ExperimentResult& each : platform.experiments) {
      if (each.run.wall_clock_seconds >= kSecondsPerHour) continue;
      report.warnings.push_back(
          fmt::format("a run takes {} on {}. {}",
                      format_number(each.run.wall_clock_seconds, NumberKind::duration, 2),
                      platform.accelerator, estimation::start_up_words(each.run.cost.own)));
      return;
    }
  }
}

}  // namespace

double Experiment::attempts() const {
  constexpr double kNoise = 1e-12;  // 90 runs of which a tenth fail are 100 attempts
  const double mean = runs() / (1 - failure_share), whole = std::round(mean);
  return std::abs(mean - whole) < kNoise * mean ? whole : mean;
}

std::optional<double> ExperimentResult::usd() const {
  return plus(used_usd, idle_usd);
}

std::optional<double> ExperimentResult::usd_per_run() const {
  return times(usd(), 1 / experiment->runs());
}

ExperimentReport run_experiments(const ExperimentStudy& study, const Catalog& catalog) {
  if (study.experiments.empty()) {
    throw Error(ErrorKind::usage, "no experiments",
                "set --runs N, or a study file with a list \"experiments\"");
  }
  if (!study.base.stages.empty()) {
    throw Error(ErrorKind::usage, "the final run of a study has one stage",
                "leave \"stages\" out, or study one stage at a time");
  }
  const std::vector<std::string> names = platforms_of(study.base, catalog);
  ExperimentReport out;
  std::optional<Error> last;
  for (const std::string& name : names) {
    try {
      out.platforms.push_back(PlatformStudy(study, catalog, name).run());
    } catch (const Error& error) {
      if (names.size() == 1 || error.kind != ErrorKind::no_answer) throw;
      out.failures.push_back({name, error.message, error.hint});
      last = error;
    }
  }
  if (out.platforms.empty() && last) throw Error(*last);
  PriceWarnings prices;
  for (const PlatformExperiments& platform : out.platforms) {
    prices.add(price_warnings(study.base, platform.accelerator, catalog));
  }
  out.warnings = std::move(prices.lines);
  warn_about_short_runs(out);
  return out;
}

}  // namespace trcost::study
