// SPDX-License-Identifier: Apache-2.0
// An ablation study: many small runs before a final one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost::study {

/// One experiment: runs of equal cost. In JSON an entry of the list
/// `experiments` beside the scenario's own groups:
///   { "name": "learning rate", "params_fraction": 0.1, "tokens_fraction": 0.1, "repeats": 5,
///     "seeds": 2, "failure_share": 0.1, "early_stopping": 0.25, "train": { "precision": "fp8" } }
/// Only the name is required. Groups of scenario fields override those of the study.
struct Experiment {
  std::string name;
  /// Fraction of the final run's parameters, above 0 and at most 1. A fraction of a mixture of
  /// experts is a dense model with that fraction of its active parameters.
  double params_fraction = 1;
  double tokens_fraction = 1;  ///< of the final run's tokens or samples, above 0 and at most 1000
  double repeats = 1;          ///< settings that are tried
  double seeds = 1;            ///< of each setting
  double failure_share = 0;    ///< of the attempts that fail and are run again in full, below 1
  double early_stopping = 0;   ///< share of the compute that stopping hopeless runs saves, below 1
  Scenario overrides;

  /// Runs that are wanted: repeats x seeds.
  [[nodiscard]] double runs() const { return repeats * seeds; }
  /// Attempts to get them: runs / (1 - failure_share), the mean of a geometric distribution.
  [[nodiscard]] double attempts() const;
};

/// A number of an experiment and its range. Its default is that of Experiment.
struct ExperimentNumber {
  std::string_view key;  ///< in a file
  double Experiment::*in;
  NumberKind kind;
  double lowest, highest;
};
inline constexpr double kSmallestShare = 1e-9;
inline constexpr double kMostRuns = 1e6;
inline constexpr double kLargestLoss = 0.999;  ///< share that is lost or saved
inline constexpr ExperimentNumber kExperimentNumbers[] = {
    {"params_fraction", &Experiment::params_fraction, NumberKind::fraction, kSmallestShare, 1},
    {"tokens_fraction", &Experiment::tokens_fraction, NumberKind::fraction, kSmallestShare, 1000},
    {"repeats", &Experiment::repeats, NumberKind::integer, 1, kMostRuns},
    {"seeds", &Experiment::seeds, NumberKind::integer, 1, kMostRuns},
    {"failure_share", &Experiment::failure_share, NumberKind::fraction, 0, kLargestLoss},
    {"early_stopping", &Experiment::early_stopping, NumberKind::fraction, 0, kLargestLoss},
};

/// Upper bound of the experiments in a file.
inline constexpr std::size_t kMostExperiments = 1000;

/// A final run and what is tried before it.
struct ExperimentStudy {
  Scenario base;  ///< the final run, with the cluster for all runs in hardware.gpus
  std::vector<Experiment> experiments;
  /// A run is given the fewest GPUs that finish it in this time, and more of a node where less is
  /// paid so. Three days is an assumption: what is waited for over a weekend.
  double run_seconds = 3 * 86400.0;
};

/// Takes the list `experiments` out of a scenario in JSON and gives the rest. Throws Error (data)
/// naming file and JSON pointer, with a did-you-mean for unknown keys.
std::string extract_experiments(std::string_view json, std::string_view origin,
                                std::vector<Experiment>& out);

/// One experiment on one platform. All figures are of all its attempts together. What is paid is
/// what they use, GPU-hours times the price on any cluster, and their share of what idles: of nodes
/// that are rented whole, or of the cluster that is given.
struct ExperimentResult {
  const Experiment* experiment = nullptr;
  Estimate run;               ///< one attempt from start to end
  double run_seconds = 0;     ///< of an attempt, early stopping included
  double gpu_hours = 0;       ///< GPUs x run_seconds x attempts
  double idle_gpu_hours = 0;  ///< its share of what idles in nodes, or in the given cluster
  double tokens = 0;
  double flops = 0;
  double rule_flops = 0;           ///< 6 N D
  std::optional<double> kwh;       ///< of the accelerators in use
  std::optional<double> idle_kwh;  ///< of those that stand idle in rented nodes
  std::optional<double> used_usd;
  std::optional<double> idle_usd;
  /// Dollars paid, used and idle.
  [[nodiscard]] std::optional<double> usd() const;
  [[nodiscard]] std::optional<double> usd_per_run() const;
  bool in_time = true;  ///< within ExperimentStudy::run_seconds
};

/// All runs packed onto the given cluster.
struct ExperimentSchedule {
  double gpus = 0;
  double seconds = 0;         ///< from the first start to the last end
  double busy_share = 0;      ///< of the cluster's GPU-hours
  std::optional<double> usd;  ///< the whole cluster for that time
};

struct PlatformExperiments {
  std::string accelerator;
  double node_gpus = 1;
  std::optional<double> price_per_gpu_hour;
  std::vector<ExperimentResult> experiments;
  std::vector<Assumption> assumptions;  ///< of the study, beside those of its runs
  double runs = 0;
  double gpu_hours = 0;
  double idle_gpu_hours = 0;
  double tokens = 0;
  double flops = 0;
  std::optional<double> kwh;       ///< in use
  std::optional<double> idle_kwh;  ///< beside it
  std::optional<double> used_usd;
  std::optional<double> idle_usd;
  std::optional<double> usd;  ///< paid, used and idle. Platforms are ranked by it
  RangeResult range;          ///< of used GPU-hours and of dollars: one draw over all runs
  std::optional<double> usd_per_run;
  std::optional<double> tokens_per_mwh;
  /// Mean over the mix of runs: tokens / sum of (tokens / throughput).
  std::optional<double> tokens_per_second_per_megawatt;
  double final_flops = 0;           ///< of the final run
  double rule_share = 0;            ///< 6 N D of what is computed, as `flops`, over the final run's
  std::optional<double> final_usd;  ///< of the final run on this platform, where it has an answer
  std::optional<ExperimentSchedule> schedule;
};

struct ExperimentReport {
  std::vector<PlatformExperiments> platforms;
  std::vector<Estimator::Failure> failures;
  std::vector<std::string> warnings;  ///< about prices and short runs
  std::string price_data_date;
  std::string scenario = "{}";  ///< JSON: what was asked beside the experiments
};

/// Sizes every run (powers of two within a node, then the whole nodes that a deadline of the same
/// time gets, at most the cluster) and packs all attempts by list scheduling: most GPUs first, then
/// longest, each as soon as it fits. Without a cluster all attempts run at once. A fraction of an
/// attempt runs for that fraction of its time. Runs of all experiments share nodes. A node is
/// rented while a run needs it, and its idle GPUs are paid by runs that do not fill their nodes.
/// The runs of an experiment take more of a node than they need if that costs less.
ExperimentReport run_experiments(const ExperimentStudy& study, const Catalog& catalog);

/// A job of the schedule: `count` times the same, a whole number.
struct ScheduledJob {
  double gpus = 1;
  double seconds = 0;
  double count = 1;
};
/// Time of a schedule and GPUs idle in it. Nodes are rented whole while a job runs on them.
struct JobSchedule {
  double seconds = 0;           ///< until the last job ends
  double idle_gpu_seconds = 0;  ///< of nodes in use, not filled
  /// Idle GPU-seconds by job, shared among jobs that fill part of a node by their GPUs in such
  /// nodes. Jobs of whole nodes have none.
  std::vector<double> idle_of_job;
};
/// An accelerator that idles in a rented node draws this share of its part of the system's power.
/// Assumption: boards idle at a tenth of theirs (H200: 74 of 700 W by nvidia-smi,
/// conservemode.com/case-studies.html), while fans, network and processors of the node keep
/// running.
inline constexpr double kIdleDraw = 0.3;

/// List scheduling on `gpus` accelerators (Graham 1969, doi:10.1137/0117039): whenever accelerators
/// are free, the first job of the list that fits starts. The list is ordered by GPUs, then time,
/// both falling.
JobSchedule schedule_jobs(const std::vector<ScheduledJob>& jobs, double gpus, double node);

const Columns<ExperimentReport>& experiment_columns();
inline constexpr Subject<ExperimentReport> kExperiments = {"experiments", experiment_columns,
                                                           "platforms/experiments"};

}  // namespace trcost::study
