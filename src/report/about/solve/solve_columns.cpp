// SPDX-License-Identifier: Apache-2.0
#include "report/about/solve/solve.h"

#include <algorithm>

#include "estimate/columns/estimate_columns.h"
#include "scenario/fields.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

using namespace column;

const Columns<ComputeOptimal>& pair_columns() {
  using O = ComputeOptimal;
  static const Columns<ComputeOptimal> table = {
      parameters("params", member<&O::params>, "by the scaling law"),
      token_count("tokens", member<&O::tokens>, "by the scaling law")};
  return table;
}

const Columns<ClusterRun>& cluster_run_columns() {
  using R = ClusterRun;
  static const Columns<ClusterRun> table = {
      number("gpus", "accelerators", NumberKind::count, member<&R::gpus>, "rented"),
      seconds("seconds", member<&R::seconds>, "for which it is rented"),
      number("peak_flop_per_second", "FLOP/s", NumberKind::number, member<&R::peak_flops>,
             "of one accelerator"),
      share("mfu", member<&R::mfu>, "of that peak"),
      number("flops", "FLOP", NumberKind::count, member<&R::flops>, "nothing lost"),
      number("realised_flops", "FLOP", NumberKind::count, member<&R::realised_flops>,
             "with goodput and production overhead"),
      gpu_hours("gpu_hours", member<&R::gpu_hours>, "paid for"),
      usd_per_hour("price_per_gpu_hour", member<&R::price>, "price of the accelerator"),
      usd("cost_usd", member<&R::usd>, "GPU-hours x price"),
      plain("goodput", member<&R::goodput>, "share not lost to failures"),
      plain("production_overhead", member<&R::production_overhead>,
            "share of the wall-clock time that training steps take"),
      string(
          "reference.model", [](const R&) { return kReferenceName; }, "for comparison"),
      flop(
          "reference.flops", [](const R&) { return kReferenceFlops; }, "of its training"),
      plain("reference.ratio", member<&R::reference_ratio>, "flops over those"),
      part<pair_columns, &R::optimal>("compute_optimal"),
      part<pair_columns, &R::realised_optimal>("realised_compute_optimal")};
  return table;
}

using Unknown = std::pair<const FieldInfo*, double>;
std::string_view unknown_path(const Unknown& unknown) {
  return unknown.first->path;
}
std::string_view unknown_unit(const Unknown& unknown) {
  return unknown.first->unit;
}

const Columns<Unknown>& unknown_columns() {
  static const Columns<Unknown> table = {string("path", member<unknown_path>, "field", Rank::key),
                                         plain("value", member<&Unknown::second>, "that answers"),
                                         string("unit", member<unknown_unit>, "of the value")};
  return table;
}

const Columns<SolveTrial>& trial_columns() {
  using T = SolveTrial;
  static const Columns<SolveTrial> table = {
      plain("value", member<&T::value>, "of the unknown"),
      plain("achieved", member<&T::achieved>, "of the target's column")};
  return table;
}

const Columns<SolveChoice>& choice_columns() {
  using C = SolveChoice;
  static const Columns<SolveChoice> table = {
      string("choice", member<&C::what>, "why one may want it", Rank::key),
      plain("value", member<&C::value>, "of the unknown"),
      seconds("wall_clock_seconds", member<&C::wall_clock_seconds>, "from start to end"),
      usd("cost_usd", member<&C::total_usd>, "total")};
  return table;
}

// One unknown is the usual case and reads without the list.
const Unknown* only_unknown(const SolutionRow& row) {
  return row.solution->values.size() == 1 ? &row.solution->values.front() : nullptr;
}

const Estimate* solution_estimate(const SolutionRow& row) {
  return row.solution->estimate ? &*row.solution->estimate : nullptr;
}

Column<SolutionRow> unknown_column(const FieldInfo& info) {
  Column<SolutionRow> column;
  column.unit = info.unit;
  column.display = number_kind(info.kind);
  column.help = "what was sought";
  column.rank = Rank::first;
  column.get = [](const SolutionRow& row, std::uint32_t which) -> Value {
    if (which >= row.solution->values.size()) return {};
    return {row.solution->values[which].second};
  };
  return column;
}

Column<SolutionRow> target_column(const EstimateColumn& target) {
  Column<SolutionRow> column;
  static_cast<ColumnInfo&>(column) = target;
  column.rank = Rank::first;
  column.get = [](const SolutionRow& row, std::uint32_t) -> Value {
    return {target_figure(row.report->target, *row.solution)};
  };
  return column;
}

Columns<SolutionRow> columns_for(const SolveReport& report) {
  using R = SolutionRow;
  using S = Solution;
  Columns<SolutionRow> t = {
      string("accelerator", member<&R::solution, &S::accelerator>, "catalog name", Rank::key),
      boolean("solved", member<&R::solution, &S::solved>, "whether the target is met")};
  std::uint32_t which = 0;
  for (const auto& [info, value] : report.solutions.front().values) {
    t.add_named(unknown_column(*info), info->path, which++);
  }
  // The rent is among the columns of the cluster.
  const EstimateColumn& target = *report.target.column;
  if (!is_unknown(report, target.path) && target.role != ColumnRole::rent) {
    t.add_named(target_column(target), target.path, 0);
  }
  t.pick<columns, solution_estimate>(
      [&](const ColumnInfo& each) { return is_further(report, each); });
  t.add({pick<columns, solution_estimate>(ColumnRole::price_origin),
         string("problem", member<&R::solution, &S::problem>,
                "why there is no answer; the rest is then the nearest that exists"),
         string("path", member<only_unknown, unknown_path>, "the field sought, where it is one"),
         plain("value", member<only_unknown, &Unknown::second>, "of that field"),
         string("unit", member<only_unknown, unknown_unit>, "of that value"),
         plain("achieved", member<&R::solution, &S::achieved>, "of the target's column"),
         plain("one_unit_further.value", member<&R::solution, &S::beyond>,
               "where the target is missed"),
         plain("one_unit_further.achieved", member<&R::solution, &S::beyond_achieved>, "there"),
         optional_part<cluster_run_columns, &R::cluster>("cluster"),
         list<unknown_columns>("unknowns", member<&R::solution, &S::values>, "what was sought"),
         list<choice_columns>("choices", member<&R::solution, &S::choices>,
                              "what else would reach the target"),
         list<trial_columns>("searched", member<&R::solution, &S::searched>,
                             "what was tried on the way, by value"),
         raw_json("result", member<&R::result>, "the whole estimate at the answer")});
  t.make_optional("one_unit_further");
  t.gather();
  return t;
}

std::string_view comparison_word(const SolveTarget& target) {
  return target.at_least ? "at least" : "at most";
}

Columns<SolveAnswer> document_columns(const Columns<SolutionRow>& rows) {
  using A = SolveAnswer;
  using R = SolveReport;
  using T = SolveTarget;
  Column<SolveAnswer> solutions;
  solutions.path = "solutions";
  solutions.kind = ColumnKind::list;
  solutions.help = "one per platform";
  solutions.own_items = &rows;
  solutions.list = [](const SolveAnswer& answer, std::uint32_t, RowSink& sink) {
    for (const SolutionRow& row : answer.rows()) sink.row(record_of(answer.row_columns(), row));
  };
  return {versions<A>(),
          price_date(member<&A::report, &R::price_data_date>),
          raw_json("scenario", member<&A::report, &R::scenario>,
                   "what was asked beside the unknown and the target, replayable with --scenario"),
          string("target.column", member<&A::report, &R::target, &T::column, &ColumnInfo::path>,
                 "what is to be reached"),
          plain("target.value", member<&A::report, &R::target, &T::value>, "there"),
          string("target.unit", member<&A::report, &R::target, &T::column, &ColumnInfo::unit>,
                 "of that value"),
          string("target.comparison", member<&A::report, &R::target, comparison_word>,
                 "how it is reached"),
          solutions};
}

}  // namespace

const std::string& SolutionRow::result() const {
  if (!result_.empty() || !solution->estimate) return result_;
  Report whole;
  whole.scenario = &solution->scenario;
  whole.estimates = {&*solution->estimate, 1};
  whole.price_data_date = report->price_data_date;
  result_ = render_json(whole);
  return result_;
}

SolveAnswer::SolveAnswer(const SolveReport& report)
    : report_(&report),
      row_columns_(columns_for(report)),
      columns_(document_columns(row_columns_)) {
  for (std::size_t i = 0; i < report.solutions.size(); ++i) {
    SolutionRow& row = rows_.emplace_back();
    row.report = &report;
    row.solution = &report.solutions[i];
    if (i < report.clusters.size()) row.cluster = &report.clusters[i];
  }
}

bool is_unknown(const SolveReport& report, std::string_view path) {
  return std::ranges::any_of(report.solutions.front().values, [&](const auto& each) {
    return each.first->path == path || field_meaning(each.first->field).answer == path;
  });
}

bool is_further(const SolveReport& report, const ColumnInfo& column) {
  return column.rank == Rank::first && column.kind == ColumnKind::number &&
         &column != report.target.column && !is_unknown(report, column.path);
}

}  // namespace trcost::report
