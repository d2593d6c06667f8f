// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "report/about/solve/solve.h"
#include "report/page/wording.h"
#include "scenario/fields.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

// Returns the short title of the target, or its path if another column has that title.
std::string target_title(const SolveReport& report) {
  const EstimateColumn& target = *report.target.column;
  const bool taken = std::ranges::any_of(columns(), [&](const EstimateColumn& each) {
    return is_further(report, each) && each.heading() == target.heading();
  });
  return taken ? std::string(target.path) : target_name(target);
}

// A column of the table of solutions.
struct SolutionColumn {
  std::string title;
  NumberKind kind = NumberKind::number;
  std::vector<std::optional<double>> values = {};
  Overflow overflow = Overflow::keep;
  bool strong = false;
  bool priced = false;
};

// Returns the cells of a column, with `~` for solutions at an imputed price.
std::vector<Cell> column_cells(const SolutionColumn& column, const SolveReport& report) {
  // Only what was sought is shown to the digit that tells its values apart.
  std::vector<Cell> cells;
  if (column.strong) {
    cells = distinct_cells(column.values, column.kind);
  } else {
    for (const std::optional<double>& value : column.values) {
      if (!value) {
        cells.push_back(Cell::unknown());
      } else if (column.kind == NumberKind::integer) {
        cells.push_back(Cell::number(*value, grouped(*value, 0)));
      } else {
        cells.push_back(Cell::number(*value, column.kind));
      }
    }
  }
  for (std::size_t i = 0; column.priced && i < cells.size(); ++i) {
    const std::optional<Estimate>& estimate = report.solutions[i].estimate;
    if (!column.values[i] || !estimate || !is_imputed(*estimate)) continue;
    cells[i] = Cell::number(*column.values[i], mark_imputed(cells[i].text(), true));
  }
  return cells;
}

std::vector<SolutionColumn> solution_columns(const SolveReport& report) {
  std::vector<SolutionColumn> shown;
  const std::vector<Solution>& solutions = report.solutions;
  const auto& unknowns = solutions.front().values;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const FieldInfo& info = *unknowns[i].first;
    SolutionColumn& column =
        shown.emplace_back(SolutionColumn{field_title(info), number_kind(info.kind)});
    column.strong = true;
    for (const Solution& solution : solutions) {
      column.values.push_back(i < solution.values.size()
                                  ? std::optional<double>(solution.values[i].second)
                                  : std::nullopt);
    }
  }
  const EstimateColumn& target = *report.target.column;
  if (!is_unknown(report, target.path)) {
    SolutionColumn& column = shown.emplace_back(SolutionColumn{
        keeps_budget(report.target) ? std::string("median cost") : target_title(report),
        target.display});
    column.priced = target.priced;
    for (const Solution& solution : solutions) {
      column.values.push_back(target_figure(report.target, solution));
    }
  }
  for (const EstimateColumn& further : columns()) {
    if (!is_further(report, further)) continue;
    SolutionColumn& column =
        shown.emplace_back(SolutionColumn{std::string(further.heading()), further.display});
    const bool main = further.role == ColumnRole::wall_clock || further.role == ColumnRole::total;
    column.overflow = main ? Overflow::keep : Overflow::drop;
    column.priced = further.priced;
    for (const Solution& solution : solutions) {
      column.values.push_back(solution.estimate ? further.number(*solution.estimate)
                                                : std::nullopt);
    }
  }
  return shown;
}

bool has_range(const Solution& solution) {
  return solution.estimate && solution.estimate->range.total_usd;
}

std::string solution_range_words(const Solution& solution) {
  if (!has_range(solution)) return "n/a";
  const Quantiles& usd = *solution.estimate->range.total_usd;
  return fmt::format("{}-{}", mark_imputed(brief_money(usd.p10), solution.estimate->cost),
                     brief_money(usd.p90));
}

// `cheapest of those tried` for the choice `least cost tried`.
std::string choice_words(std::string_view choice) {
  struct Words {
    std::string_view choice, plain;
  };
  constexpr Words kWords[] = {{"as --deadline", "default for this time"},
                              {"least cost", "cheapest"},
                              {"least time", "fastest"},
                              {"fewest whole nodes", "smallest in whole nodes"},
                              {"fewest", "smallest"}};
  for (const auto& [start, plain] : kWords) {
    if (!choice.starts_with(start)) continue;
    const bool tried = choice.ends_with(" tried");
    return std::string(plain) + (tried ? " found" : "");
  }
  return std::string(choice);
}

// Merges choices of the same value.
std::vector<SolveChoice> merged_choices(const Solution& solution) {
  std::vector<SolveChoice> out;
  for (const SolveChoice& choice : solution.choices) {
    const auto same = std::ranges::find(out, choice.value, &SolveChoice::value);
    const std::string words = choice_words(choice.what);
    if (same == out.end()) {
      out.push_back(choice);
      out.back().what = words;
    } else {
      same->what += ", " + words;
    }
  }
  return out;
}

}  // namespace

bool keeps_budget(const SolveTarget& target) {
  return target.column->role == ColumnRole::total && target.confidence != SolveTarget::kMedian;
}

std::optional<double> target_figure(const SolveTarget& target, const Solution& solution) {
  return keeps_budget(target) && solution.estimate ? solution.estimate->cost.total
                                                   : solution.achieved;
}

Table solutions_table(const SolveReport& report) {
  const bool with_solved = !std::ranges::all_of(report.solutions, &Solution::solved);
  std::vector<TableColumn> heads = {{"platform"}};
  if (with_solved) heads.push_back({"solved"});
  std::vector<std::vector<Cell>> cells;
  for (const SolutionColumn& column : solution_columns(report)) {
    heads.push_back(number_column(column.title, {}, column.overflow, column.strong));
    cells.push_back(column_cells(column, report));
  }
  // A cluster for a given time has its rent, whatever it trains.
  const bool ranged = report.clusters.empty() && std::ranges::any_of(report.solutions, has_range);
  if (ranged) heads.push_back(number_column("80% range"));
  Table table(std::move(heads));
  for (const Solution* each : sort_solutions(report)) {
    const Solution& solution = *each;
    const auto i = static_cast<std::size_t>(each - report.solutions.data());
    std::vector<Cell> row = {platform_title(solution)};
    if (with_solved) row.push_back(Cell::boolean(solution.solved));
    for (const std::vector<Cell>& column : cells) row.push_back(column[i]);
    if (ranged) row.push_back(solution_range_words(solution));
    table.add_row(std::move(row));
  }
  return table;
}

Table choices_table(const Solution& solution) {
  Table table({{.title = "cluster", .overflow = Overflow::wrap},
               number_column(field_title(*solution.values.front().first)),
               number_column("time"),
               number_column("total")});
  const std::vector<SolveChoice> choices = merged_choices(solution);
  std::vector<std::optional<double>> seconds;
  std::vector<std::optional<double>> dollars;
  for (const SolveChoice& choice : choices) {
    seconds.emplace_back(choice.wall_clock_seconds);
    dollars.push_back(choice.total_usd);
  }
  const std::vector<Cell> times = distinct_cells(seconds, NumberKind::duration);
  const bool imputed = solution.estimate && is_imputed(*solution.estimate);
  const std::vector<Cell> totals = distinct_cells(dollars, NumberKind::money);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    table.add_row({choices[i].what, Cell::number(choices[i].value, grouped(choices[i].value, 0)),
                   times[i],
                   dollars[i] ? Cell::number(*dollars[i], mark_imputed(totals[i].text(), imputed))
                              : totals[i]});
  }
  return table;
}

}  // namespace trcost::report
