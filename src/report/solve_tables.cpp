// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "report/provenance.h"
#include "report/solve_parts.h"
#include "report/wording.h"
#include "scenario/number_kind.h"
#include "trcost/report.h"

namespace trcost {
namespace {

// Whether an unknown's own column says the same.
bool is_unknown(const SolveReport& report, std::string_view path) {
  return std::ranges::any_of(report.solutions.front().values, [&](const auto& each) {
    return each.first->path == path ||
           (each.first->field == Field::hardware_gpus && path == "gpus");
  });
}

// The columns beside the unknown and the target, without those two.
std::vector<const EstimateColumn*> further_columns(const SolveReport& report) {
  std::vector<const EstimateColumn*> out;
  for (const std::string_view path : {"gpus", "wall_clock_seconds", "performance.mfu", "gpu_hours",
                                      "cost.price_per_gpu_hour", "cost.total"}) {
    if (path == report.target.column->path || is_unknown(report, path)) continue;
    out.push_back(find_column(path));
  }
  return out;
}

std::string_view short_title(std::string_view path) {
  if (path == "gpus") return "GPUs";
  if (path == "wall_clock_seconds") return "wall clock";
  if (path == "gpu_hours") return "GPU-hours";
  if (path == "cost.price_per_gpu_hour") return "$/GPU-hour";
  if (path == "cluster.cost_usd") return "rent";
  const std::size_t dot = path.rfind('.');
  return path == "performance.mfu" ? "MFU" : dot == path.npos ? path : path.substr(dot + 1);
}

// The short title of a target, unless another column of the table has it.
std::string_view target_title(std::string_view path) {
  const std::string_view title = short_title(path);
  return title == "total" && path != "cost.total" ? path : title;
}

// A column of the table of solutions: its title for people, its key for machines, its cells.
struct SolutionColumn {
  std::string_view title;
  std::string_view key;
  NumberKind kind = NumberKind::number;
  std::vector<std::optional<double>> values = {};
  Overflow overflow = Overflow::keep;
  bool strong = false;
};

// What a cluster computes in its time; people read it above the table.
struct ClusterColumn {
  std::string_view key;
  NumberKind kind;
  std::optional<double> (*value)(const ClusterRun&);
};
using Maybe = std::optional<double>;
constexpr ClusterColumn kClusterColumns[] = {
    {"cluster.gpus", NumberKind::count, [](const ClusterRun& run) { return Maybe(run.gpus); }},
    {"cluster.seconds", NumberKind::duration,
     [](const ClusterRun& run) { return Maybe(run.seconds); }},
    {"cluster.flops", NumberKind::count, [](const ClusterRun& run) { return Maybe(run.flops); }},
    {"cluster.realised_flops", NumberKind::count,
     [](const ClusterRun& run) { return Maybe(run.realised_flops); }},
    {"cluster.gpu_hours", NumberKind::count,
     [](const ClusterRun& run) { return Maybe(run.gpu_hours); }},
    {"cluster.price_per_gpu_hour", NumberKind::money,
     [](const ClusterRun& run) { return run.price; }},
    {"cluster.cost_usd", NumberKind::money, [](const ClusterRun& run) { return run.usd; }},
    {"cluster.compute_optimal.params", NumberKind::count,
     [](const ClusterRun& run) { return Maybe(run.optimal.params); }},
    {"cluster.compute_optimal.tokens", NumberKind::count,
     [](const ClusterRun& run) { return Maybe(run.optimal.tokens); }},
    {"cluster.realised_compute_optimal.params", NumberKind::count,
     [](const ClusterRun& run) { return Maybe(run.realised_optimal.params); }},
    {"cluster.realised_compute_optimal.tokens", NumberKind::count,
     [](const ClusterRun& run) { return Maybe(run.realised_optimal.tokens); }},
};

void add_cluster_columns(const SolveReport& report, std::vector<SolutionColumn>& columns) {
  for (const ClusterColumn& each : kClusterColumns) {
    if (each.key == report.target.column->path) continue;
    SolutionColumn& column = columns.emplace_back(SolutionColumn{each.key, each.key, each.kind});
    for (const ClusterRun& run : report.clusters) column.values.push_back(each.value(run));
  }
}

std::vector<SolutionColumn> number_columns(const SolveReport& report, bool for_machines) {
  std::vector<SolutionColumn> columns;
  const std::vector<Solution>& solutions = report.solutions;
  const auto& unknowns = solutions.front().values;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const FieldInfo& info = *unknowns[i].first;
    SolutionColumn& column =
        columns.emplace_back(SolutionColumn{info.path, info.path, number_kind(info.kind)});
    column.strong = true;
    for (const Solution& solution : solutions) {
      column.values.push_back(i < solution.values.size()
                                  ? std::optional<double>(solution.values[i].second)
                                  : std::nullopt);
    }
  }
  const EstimateColumn& target = *report.target.column;
  if (!is_unknown(report, target.path)) {
    SolutionColumn& column = columns.emplace_back(
        SolutionColumn{target_title(target.path), target.path, target.display});
    for (const Solution& solution : solutions) column.values.push_back(solution.achieved);
  }
  for (const EstimateColumn* further : further_columns(report)) {
    SolutionColumn& column = columns.emplace_back(
        SolutionColumn{short_title(further->path), further->path, further->display});
    column.overflow = Overflow::drop;
    for (const Solution& solution : solutions) {
      column.values.push_back(solution.estimate ? further->number(*solution.estimate)
                                                : std::nullopt);
    }
  }
  if (for_machines && !report.clusters.empty()) add_cluster_columns(report, columns);
  return columns;
}

// Choices that are the same answer share a row.
std::vector<SolveChoice> merged_choices(const Solution& solution) {
  std::vector<SolveChoice> out;
  for (const SolveChoice& choice : solution.choices) {
    const auto same = std::ranges::find(out, choice.value, &SolveChoice::value);
    if (same == out.end()) {
      out.push_back(choice);
    } else {
      same->what += ", " + choice.what;
    }
  }
  return out;
}

}  // namespace

Table solutions_table(const SolveReport& report, bool for_machines) {
  const bool with_solved =
      for_machines || !std::ranges::all_of(report.solutions, &Solution::solved);
  std::vector<TableColumn> heads = {{"platform", "accelerator"}};
  if (with_solved) heads.push_back({"solved", "solved"});
  std::vector<std::vector<Cell>> cells;
  for (const SolutionColumn& column : number_columns(report, for_machines)) {
    heads.push_back({std::string(column.title), std::string(column.key), Align::right,
                     column.overflow, column.strong});
    cells.push_back(distinct_cells(column.values, column.kind));
  }
  if (for_machines) {
    for (const EstimateColumn* column : provenance_columns()) heads.push_back({std::string(column->path)});
    heads.push_back({"note"});
  }
  Table table(std::move(heads));
  for (std::size_t i = 0; i < report.solutions.size(); ++i) {
    const Solution& solution = report.solutions[i];
    std::vector<Cell> row = {solution.accelerator};
    if (with_solved) row.push_back(Cell::boolean(solution.solved));
    for (const std::vector<Cell>& column : cells) row.push_back(column[i]);
    if (for_machines) {
      for (const EstimateColumn* column : provenance_columns()) {
        row.push_back(solution.estimate ? column_cell(*column, *solution.estimate)
                                        : Cell::unknown());
      }
      row.emplace_back(solution.problem);
    }
    table.add_row(std::move(row));
  }
  return table;
}

Table choices_table(const Solution& solution) {
  Table table({{"choice"},
               {std::string(solution.values.front().first->path), "", Align::right},
               {"wall clock", "", Align::right},
               {"total", "", Align::right}});
  const std::vector<SolveChoice> choices = merged_choices(solution);
  std::vector<std::optional<double>> seconds;
  std::vector<std::optional<double>> dollars;
  for (const SolveChoice& choice : choices) {
    seconds.emplace_back(choice.wall_clock_seconds);
    dollars.push_back(choice.total_usd);
  }
  const std::vector<Cell> times = distinct_cells(seconds, NumberKind::duration);
  const std::vector<Cell> totals = distinct_cells(dollars, NumberKind::money);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    table.add_row({choices[i].what, Cell::number(choices[i].value, format_exact(choices[i].value)),
                   times[i], totals[i]});
  }
  return table;
}

}  // namespace trcost
