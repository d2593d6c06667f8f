// SPDX-License-Identifier: Apache-2.0
#include "report/about/solve/solve.h"

#include <algorithm>

#include "estimate/columns/estimate_columns.h"
#include "scenario/fields.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

using namespace column;
using column::json;
using column::text;
using SolutionRowRef = const SolutionRow&;
using SolveAnswerRef = const SolveAnswer&;
using Run = const ClusterRun&;
using Maybe = std::optional<double>;

const Columns<ComputeOptimal>& pair_columns() {
  static const Columns<ComputeOptimal> table = {
      number(
          "params", "parameters", NumberKind::count,
          [](const ComputeOptimal& pair) { return pair.params; }, "by the scaling law"),
      number(
          "tokens", "tokens", NumberKind::count,
          [](const ComputeOptimal& pair) { return pair.tokens; }, "by the scaling law")};
  return table;
}

const Columns<ClusterRun>& cluster_run_columns() {
  static const Columns<ClusterRun> table = [] {
    Columns<ClusterRun> t = {
        number(
            "gpus", "accelerators", NumberKind::count, [](Run r) { return r.gpus; }, "rented"),
        number(
            "seconds", "s", NumberKind::duration, [](Run r) { return r.seconds; },
            "for which it is rented"),
        number(
            "peak_flop_per_second", "FLOP/s", NumberKind::number,
            [](Run r) { return r.peak_flops; }, "of one accelerator"),
        number(
            "mfu", "", NumberKind::fraction, [](Run r) { return r.mfu; }, "of that peak"),
        number(
            "flops", "FLOP", NumberKind::count, [](Run r) { return r.flops; }, "nothing lost"),
        number(
            "realised_flops", "FLOP", NumberKind::count, [](Run r) { return r.realised_flops; },
            "with goodput and production overhead"),
        number(
            "gpu_hours", "GPU-hours", NumberKind::count, [](Run r) { return r.gpu_hours; },
            "paid for"),
        number(
            "price_per_gpu_hour", "USD/GPU-hour", NumberKind::money, [](Run r) { return r.price; },
            "price of the accelerator"),
        number(
            "cost_usd", "USD", NumberKind::money, [](Run r) { return r.usd; }, "GPU-hours x price"),
        plain(
            "goodput", [](Run r) { return r.goodput; }, "share not lost to failures"),
        plain(
            "production_overhead", [](Run r) { return r.production_overhead; },
            "share of the time that steps are what runs"),
        text(
            "reference.model", [](Run) { return kReferenceName; }, "for comparison"),
        number(
            "reference.flops", "FLOP", NumberKind::number, [](Run) { return kReferenceFlops; },
            "of its training"),
        plain(
            "reference.ratio", [](Run r) { return r.reference_ratio; }, "flops over those")};
    t.lift<[](Run r) { return &r.optimal; }, pair_columns>("compute_optimal");
    t.lift<[](Run r) { return &r.realised_optimal; }, pair_columns>("realised_compute_optimal");
    return t;
  }();
  return table;
}

using Unknown = std::pair<const FieldInfo*, double>;
const Columns<Unknown>& unknown_columns() {
  static const Columns<Unknown> table = {
      text(
          "path", [](const Unknown& u) { return u.first->path; }, "field", Rank::key),
      plain(
          "value", [](const Unknown& u) { return u.second; }, "that answers"),
      text(
          "unit", [](const Unknown& u) { return u.first->unit; }, "of the value")};
  return table;
}

const Columns<SolveTrial>& trial_columns() {
  static const Columns<SolveTrial> table = {
      plain(
          "value", [](const SolveTrial& t) { return t.value; }, "of the unknown"),
      plain(
          "achieved", [](const SolveTrial& t) { return t.achieved; }, "of the target's column")};
  return table;
}

const Columns<SolveChoice>& choice_columns() {
  using C = const SolveChoice&;
  static const Columns<SolveChoice> table = {
      text(
          "choice", [](C c) -> auto& { return c.what; }, "why one may want it", Rank::key),
      plain(
          "value", [](C c) { return c.value; }, "of the unknown"),
      number(
          "wall_clock_seconds", "s", NumberKind::duration, [](C c) { return c.wall_clock_seconds; },
          "from start to end"),
      number(
          "cost_usd", "USD", NumberKind::money, [](C c) { return c.total_usd; }, "total")};
  return table;
}

// Returns the unknown if there is one, which has columns outside of the list.
const Unknown* only_unknown(SolutionRowRef row) {
  return row.solution->values.size() == 1 ? &row.solution->values.front() : nullptr;
}

const Estimate* solution_estimate(SolutionRowRef row) {
  return row.solution->estimate ? &*row.solution->estimate : nullptr;
}

Column<SolutionRow> unknown_column(const FieldInfo& info) {
  Column<SolutionRow> column;
  column.unit = info.unit;
  column.display = number_kind(info.kind);
  column.help = "what was sought";
  column.rank = Rank::first;
  column.get = [](SolutionRowRef row, std::uint32_t which) -> Value {
    if (which >= row.solution->values.size()) return {};
    return {row.solution->values[which].second};
  };
  return column;
}

Column<SolutionRow> target_column(const EstimateColumn& target) {
  Column<SolutionRow> column;
  static_cast<ColumnInfo&>(column) = target;
  column.rank = Rank::first;
  column.get = [](SolutionRowRef row, std::uint32_t) -> Value { return {row.solution->achieved}; };
  return column;
}

Columns<SolutionRow> columns_for(const SolveReport& report) {
  Columns<SolutionRow> t = {
      text(
          "accelerator", [](SolutionRowRef r) -> auto& { return r.solution->accelerator; },
          "catalog name", Rank::key),
      boolean(
          "solved", [](SolutionRowRef r) { return r.solution->solved; },
          "whether the target is met")};
  std::uint32_t which = 0;
  for (const auto& [info, value] : report.solutions.front().values) {
    t.add_named(unknown_column(*info), info->path, which++);
  }
  // The rent is among the columns of the cluster.
  const EstimateColumn& target = *report.target.column;
  if (!is_unknown(report, target.path) && target.role != ColumnRole::rent) {
    t.add_named(target_column(target), target.path, 0);
  }
  t.pick<solution_estimate, columns>(
      [&](const ColumnInfo& each) { return is_further(report, each); });
  t.pick<solution_estimate, columns>({ColumnRole::price_origin});
  t.add({text(
             "problem", [](SolutionRowRef r) -> auto& { return r.solution->problem; },
             "why there is no answer; the rest is then the nearest that exists"),
         text(
             "path",
             [](SolutionRowRef r) {
               const Unknown* only = only_unknown(r);
               return only != nullptr ? only->first->path : std::string_view();
             },
             "the field sought, where it is one"),
         plain(
             "value",
             [](SolutionRowRef r) {
               const Unknown* only = only_unknown(r);
               return only != nullptr ? Maybe(only->second) : std::nullopt;
             },
             "of that field"),
         text(
             "unit",
             [](SolutionRowRef r) {
               const Unknown* only = only_unknown(r);
               return only != nullptr ? only->first->unit : std::string_view();
             },
             "of that value"),
         plain(
             "achieved", [](SolutionRowRef r) { return r.solution->achieved; },
             "of the target's column"),
         plain(
             "one_unit_further.value", [](SolutionRowRef r) { return r.solution->beyond; },
             "where the target is missed"),
         plain(
             "one_unit_further.achieved",
             [](SolutionRowRef r) { return r.solution->beyond_achieved; }, "there")});
  t.make_optional("one_unit_further");
  t.lift<[](SolutionRowRef r) { return r.cluster; }, cluster_run_columns>("cluster", true);
  t.add({list<unknown_columns>(
             "unknowns", [](SolutionRowRef r) -> auto& { return r.solution->values; },
             "what was sought"),
         list<choice_columns>(
             "choices", [](SolutionRowRef r) -> auto& { return r.solution->choices; },
             "what else would reach the target"),
         list<trial_columns>(
             "searched", [](SolutionRowRef r) -> auto& { return r.solution->searched; },
             "what was tried on the way, by value"),
         json(
             "result", [](SolutionRowRef r) -> auto& { return r.result(); },
             "the whole estimate at the answer")});
  t.gather();
  return t;
}

Columns<SolveAnswer> document_columns(const Columns<SolutionRow>& rows) {
  Columns<SolveAnswer> t;
  t.add(versions<SolveAnswer>());
  Column<SolveAnswer> solutions;
  solutions.path = "solutions";
  solutions.kind = ColumnKind::list;
  solutions.help = "one per platform";
  solutions.own_items = &rows;
  solutions.list = [](SolveAnswerRef answer, std::uint32_t, RowSink& sink) {
    for (const SolutionRow& row : answer.rows()) sink.row(record_of(answer.row_columns(), row));
  };
  t.add({price_date([](SolveAnswerRef a) -> auto& { return a.report().price_data_date; }),
         json(
             "scenario", [](SolveAnswerRef a) -> auto& { return a.report().scenario; },
             "what was asked beside the unknown and the target, replayable with --scenario"),
         text(
             "target.column", [](SolveAnswerRef a) { return a.report().target.column->path; },
             "what is to be reached"),
         plain(
             "target.value", [](SolveAnswerRef a) { return a.report().target.value; }, "there"),
         text(
             "target.unit", [](SolveAnswerRef a) { return a.report().target.column->unit; },
             "of that value"),
         text(
             "target.comparison",
             [](SolveAnswerRef a) -> std::string_view {
               return a.report().target.at_least ? "at least" : "at most";
             },
             "how it is reached"),
         solutions});
  return t;
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
