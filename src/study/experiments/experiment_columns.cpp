// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/plan_columns.h"
#include "study/experiments/experiments.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;
using ExperimentRun = const ExperimentResult&;
using PlatformRuns = const PlatformExperiments&;
using Schedule = const ExperimentSchedule&;
using ExperimentAnswer = const ExperimentReport&;

constexpr auto plain(std::string_view path, auto get, std::string_view help,
                     Rank rank = Rank::rest) {
  return number(path, "", NumberKind::number, get, help, rank);
}
constexpr auto hours(std::string_view path, auto get, std::string_view help,
                     Rank rank = Rank::rest) {
  return number(path, "GPU-hours", NumberKind::count, get, help, rank);
}
constexpr auto usd(std::string_view path, auto get, std::string_view help, Rank rank = Rank::rest) {
  return number(path, "USD", NumberKind::money, get, help, rank);
}
constexpr auto kwh(std::string_view path, auto get, std::string_view help) {
  return number(path, "kWh", NumberKind::number, get, help);
}
constexpr auto gpus(std::string_view path, auto get, std::string_view help) {
  return number(path, "accelerators", NumberKind::integer, get, help);
}
constexpr auto flop(std::string_view path, auto get, std::string_view help) {
  return number(path, "FLOP", NumberKind::number, get, help);
}
constexpr auto tokens(std::string_view path, auto get, std::string_view help) {
  return number(path, "tokens", NumberKind::count, get, help);
}

const Columns<ExperimentResult>& run_columns() {
  static const Columns<ExperimentResult> table = [] {
    Columns<ExperimentResult> t = {
        text(
            "name", [](ExperimentRun r) -> auto& { return r.experiment->name; },
            "of the experiment", Rank::key),
        plain(
            "runs", [](ExperimentRun r) { return r.experiment->runs(); },
            "wanted: repeats x seeds"),
        plain(
            "attempts", [](ExperimentRun r) { return r.experiment->attempts(); }, "to get them")};
    t.pick<[](ExperimentRun r) { return &r.run; }, columns>({ColumnRole::params});
    t.add({tokens(
               "tokens_per_run", [](ExperimentRun r) { return r.run.tokens.total; },
               "of one attempt"),
           gpus(
               "gpus", [](ExperimentRun r) { return r.run.gpus; }, "of one attempt")});
    t.pick<[](ExperimentRun r) { return &r.run; }, columns>({ColumnRole::mfu});
    t.add({number(
               "run_seconds", "s", NumberKind::duration,
               [](ExperimentRun r) { return r.run_seconds; },
               "of an attempt, early stopping included"),
           boolean(
               "in_time", [](ExperimentRun r) { return r.in_time; }, "within the time of a run"),
           hours(
               "gpu_hours", [](ExperimentRun r) { return r.gpu_hours; }, "GPUs x time x attempts"),
           hours(
               "idle_gpu_hours", [](ExperimentRun r) { return r.idle_gpu_hours; },
               "of rented nodes that its runs do not fill"),
           tokens(
               "tokens", [](ExperimentRun r) { return r.tokens; }, "of all attempts"),
           flop(
               "flops", [](ExperimentRun r) { return r.flops; }, "of all attempts"),
           kwh(
               "energy.kwh", [](ExperimentRun r) { return r.kwh; }, "of the accelerators in use"),
           kwh(
               "energy.idle_kwh", [](ExperimentRun r) { return r.idle_kwh; },
               "of those that stand idle in rented nodes"),
           usd(
               "used_usd", [](ExperimentRun r) { return r.used_usd; }, "for the hours in use"),
           usd(
               "idle_usd", [](ExperimentRun r) { return r.idle_usd; },
               "for the idle hours of rented nodes, which are paid too"),
           usd(
               "total_usd", [](ExperimentRun r) { return r.usd(); }, "what is paid: used and idle",
               Rank::first),
           usd(
               "usd_per_run", [](ExperimentRun r) { return r.usd_per_run(); }, "wanted",
               Rank::first)});
    return t;
  }();
  return table;
}

const Columns<ExperimentSchedule>& schedule_columns() {
  static const Columns<ExperimentSchedule> table = {
      gpus(
          "gpus", [](Schedule s) { return s.gpus; }, "of the cluster that was given"),
      number(
          "wall_clock_seconds", "s", NumberKind::duration, [](Schedule s) { return s.seconds; },
          "from the first start to the last end"),
      number(
          "busy_share", "", NumberKind::fraction, [](Schedule s) { return s.busy_share; },
          "of the cluster's GPU-hours"),
      usd(
          "total_usd", [](Schedule s) { return s.usd; }, "the whole cluster for that time")};
  return table;
}

const Columns<PlatformExperiments>& platform_columns() {
  static const Columns<PlatformExperiments> table = [] {
    Columns<PlatformExperiments> t = {
        text(
            "accelerator", [](PlatformRuns p) -> auto& { return p.accelerator; }, "catalog name",
            Rank::key),
        gpus(
            "gpus_per_node", [](PlatformRuns p) { return p.node_gpus; }, "rented whole"),
        number(
            "cost.price_per_gpu_hour", "USD/GPU-hour", NumberKind::money,
            [](PlatformRuns p) { return p.price_per_gpu_hour; }, "price of the accelerator")};
    // All runs of a platform pay the same price.
    t.pick<[](PlatformRuns p) { return &p.experiments.front().run; }, columns>(
        {ColumnRole::price_origin});
    t.add({plain(
               "total.runs", [](PlatformRuns p) { return p.runs; }, "of all experiments"),
           hours(
               "total.gpu_hours", [](PlatformRuns p) { return p.gpu_hours; }, "in use"),
           hours(
               "total.idle_gpu_hours", [](PlatformRuns p) { return p.idle_gpu_hours; }, "idle"),
           tokens(
               "total.tokens", [](PlatformRuns p) { return p.tokens; }, "of all attempts"),
           flop(
               "total.flops", [](PlatformRuns p) { return p.flops; }, "of all attempts"),
           kwh(
               "total.kwh", [](PlatformRuns p) { return p.kwh; }, "in use"),
           kwh(
               "total.idle_kwh", [](PlatformRuns p) { return p.idle_kwh; }, "idle, beside it"),
           usd(
               "total.used_usd", [](PlatformRuns p) { return p.used_usd; }, "for the hours in use"),
           usd(
               "total.idle_usd", [](PlatformRuns p) { return p.idle_usd; },
               "for the idle hours of rented nodes, which are paid too"),
           usd(
               "total.total_usd", [](PlatformRuns p) { return p.usd; },
               "what is paid for all experiments: used and idle", Rank::first),
           usd(
               "total.usd_per_run", [](PlatformRuns p) { return p.usd_per_run; }, "wanted",
               Rank::first),
           number(
               "total.tokens_per_mwh", "tokens/MWh", NumberKind::count,
               [](PlatformRuns p) { return p.tokens_per_mwh; }, "over the mix of runs"),
           number(
               "total.tokens_per_second_per_megawatt", "tokens/s/MW", NumberKind::count,
               [](PlatformRuns p) { return p.tokens_per_second_per_megawatt; },
               "over the mix of runs")});
    t.lift<[](PlatformRuns p) { return &p.range.gpu_hours; },
           quantile_columns<QuantilesOf::gpu_hours>>("range.gpu_hours");
    t.lift < [](PlatformRuns p) -> auto& {
      return p.range.total_usd;
    }
    , quantile_columns < QuantilesOf::usd >> ("range.total_usd");
    t.add(
        {flop(
             "final_run.flops", [](PlatformRuns p) { return p.final_flops; }, "of the final run"),
         usd(
             "final_run.total_usd", [](PlatformRuns p) { return p.final_usd; }, "of the final run"),
         plain(
             "final_run.rule_6nd_share_of_experiments", [](PlatformRuns p) { return p.rule_share; },
             "6 N D of the experiments over that of the final run")});
    t.lift < [](PlatformRuns p) -> auto& {
      return p.schedule;
    }
    , schedule_columns > ("cluster", true);
    t.add({list<run_columns>(
        "experiments", [](PlatformRuns p) -> auto& { return p.experiments; },
        "one per experiment")});
    return t;
  }();
  return table;
}

}  // namespace

const Columns<ExperimentReport>& experiment_columns() {
  static const Columns<ExperimentReport> table = [] {
    Columns<ExperimentReport> t;
    t.add(versions<ExperimentReport>());
    t.add({price_date([](ExperimentAnswer r) -> auto& { return r.price_data_date; }),
           json(
               "scenario", [](ExperimentAnswer r) -> auto& { return r.scenario; },
               "what was asked beside the experiments, replayable with --scenario"),
           list<platform_columns>(
               "platforms", [](ExperimentAnswer r) -> auto& { return r.platforms; },
               "one per platform"),
           list<failure_columns>(
               "failures", [](ExperimentAnswer r) -> auto& { return r.failures; },
               "platforms without an answer")});
    return t;
  }();
  return table;
}

}  // namespace trcost::study
