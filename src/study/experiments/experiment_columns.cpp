// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/plan_columns.h"
#include "study/experiments/experiments.h"

namespace trcost::study {
namespace {

using namespace column;

constexpr auto kwh(std::string_view path, auto get, std::string_view help) {
  return number(path, "kWh", NumberKind::number, get, help);
}

const Columns<ExperimentResult>& run_columns() {
  using R = ExperimentResult;
  static const Columns<ExperimentResult> table = {
      string("name", member<&R::experiment, &Experiment::name>, "of the experiment", Rank::key),
      plain("runs", member<&R::experiment, &Experiment::runs>, "wanted: repeats x seeds"),
      plain("attempts", member<&R::experiment, &Experiment::attempts>, "to get them"),
      pick<columns, &R::run>(ColumnRole::params),
      token_count("tokens_per_run", member<&R::run, &Estimate::tokens, &TokenTotals::total>,
                  "of one attempt"),
      accelerators("gpus", member<&R::run, &Estimate::gpus>, "of one attempt"),
      pick<columns, &R::run>(ColumnRole::mfu),
      seconds("run_seconds", member<&R::run_seconds>, "of an attempt, early stopping included"),
      boolean("in_time", member<&R::in_time>, "within the time of a run"),
      gpu_hours("gpu_hours", member<&R::gpu_hours>, "GPUs x time x attempts"),
      gpu_hours("idle_gpu_hours", member<&R::idle_gpu_hours>,
                "of rented nodes that its runs do not fill"),
      token_count("tokens", member<&R::tokens>, "of all attempts"),
      flop("flops", member<&R::flops>, "of all attempts"),
      kwh("energy.kwh", member<&R::kwh>, "of the accelerators in use"),
      kwh("energy.idle_kwh", member<&R::idle_kwh>, "of those that stand idle in rented nodes"),
      usd("used_usd", member<&R::used_usd>, "for the hours in use"),
      usd("idle_usd", member<&R::idle_usd>,
          "for the idle hours of rented nodes, which are paid too"),
      usd("total_usd", member<&R::usd>, "what is paid: used and idle", Rank::first),
      usd("usd_per_run", member<&R::usd_per_run>, "wanted", Rank::first)};
  return table;
}

const Columns<ExperimentSchedule>& schedule_columns() {
  using S = ExperimentSchedule;
  static const Columns<ExperimentSchedule> table = {
      accelerators("gpus", member<&S::gpus>, "of the cluster that was given"),
      seconds("wall_clock_seconds", member<&S::seconds>, "from the first start to the last end"),
      share("busy_share", member<&S::busy_share>, "of the cluster's GPU-hours"),
      usd("total_usd", member<&S::usd>, "the whole cluster for that time")};
  return table;
}

const Columns<PlatformExperiments>& platform_columns() {
  using P = PlatformExperiments;
  static const Columns<PlatformExperiments> table = {
      string("accelerator", member<&P::accelerator>, "catalog name", Rank::key),
      accelerators("gpus_per_node", member<&P::node_gpus>, "rented whole"),
      usd_per_hour("cost.price_per_gpu_hour", member<&P::price_per_gpu_hour>,
                   "price of the accelerator"),
      // All runs of a platform pay the same price.
      pick<columns, &P::experiments, at<0>, &ExperimentResult::run>(ColumnRole::price_origin),
      plain("total.runs", member<&P::runs>, "of all experiments"),
      gpu_hours("total.gpu_hours", member<&P::gpu_hours>, "in use"),
      gpu_hours("total.idle_gpu_hours", member<&P::idle_gpu_hours>, "idle"),
      token_count("total.tokens", member<&P::tokens>, "of all attempts"),
      flop("total.flops", member<&P::flops>, "of all attempts"),
      kwh("total.kwh", member<&P::kwh>, "in use"),
      kwh("total.idle_kwh", member<&P::idle_kwh>, "idle, beside it"),
      usd("total.used_usd", member<&P::used_usd>, "for the hours in use"),
      usd("total.idle_usd", member<&P::idle_usd>,
          "for the idle hours of rented nodes, which are paid too"),
      usd("total.total_usd", member<&P::usd>, "what is paid for all experiments: used and idle",
          Rank::first),
      usd("total.usd_per_run", member<&P::usd_per_run>, "wanted", Rank::first),
      number("total.tokens_per_mwh", "tokens/MWh", NumberKind::count, member<&P::tokens_per_mwh>,
             "over the mix of runs"),
      number("total.tokens_per_second_per_megawatt", "tokens/s/MW", NumberKind::count,
             member<&P::tokens_per_second_per_megawatt>, "over the mix of runs"),
      part<quantile_columns<QuantilesOf::gpu_hours>, &P::range, &RangeResult::gpu_hours>(
          "range.gpu_hours"),
      part<quantile_columns<QuantilesOf::usd>, &P::range, &RangeResult::total_usd>(
          "range.total_usd"),
      flop("final_run.flops", member<&P::final_flops>, "of the final run"),
      usd("final_run.total_usd", member<&P::final_usd>, "of the final run"),
      plain("final_run.rule_6nd_share_of_experiments", member<&P::rule_share>,
            "6 N D of the experiments over that of the final run"),
      optional_part<schedule_columns, &P::schedule>("cluster"),
      list<run_columns>("experiments", member<&P::experiments>, "one per experiment")};
  return table;
}

}  // namespace

const Columns<ExperimentReport>& experiment_columns() {
  using R = ExperimentReport;
  static const Columns<ExperimentReport> table = {
      versions<R>(),
      price_date(member<&R::price_data_date>),
      raw_json("scenario", member<&R::scenario>,
               "what was asked beside the experiments, replayable with --scenario"),
      list<platform_columns>("platforms", member<&R::platforms>, "one per platform"),
      list<failure_columns>("failures", member<&R::failures>, "platforms without an answer"),
      list<text_columns>("warnings", member<&R::warnings>, "about the answer")};
  return table;
}

}  // namespace trcost::study
