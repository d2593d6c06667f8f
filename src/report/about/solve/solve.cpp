// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "report/about/documents.h"
#include "report/about/solve/solve.h"
#include "report/about/solve/solve_parts.h"
#include "report/page/document_head.h"
#include "report/page/estimate_tables.h"
#include "report/page/provenance.h"
#include "report/page/wording.h"
#include "report/workbook/budget.h"
#include "scenario/fields.h"

namespace trcost::report {

namespace {

constexpr int kTimeDigits = 6;  // 182.625 d

// What the answers cost, on one scale.
Ranges solve_totals(const SolveReport& report) {
  Ranges ranges = platform_ranges("Range of the total at the answer");
  for (const Solution& solution : report.solutions) {
    if (!solution.estimate || !solution.estimate->range.total_usd) continue;
    const Quantiles& q = *solution.estimate->range.total_usd;
    const auto money = [&](double usd) {
      return with_kind(short_money(usd), solution.estimate->cost);
    };
    ranges.rows.push_back(
        {solution.accelerator, {q.p10, q.p50, q.p90}, {money(q.p10), money(q.p50), money(q.p90)}});
    ranges.numbers.add_row({solution.accelerator, Cell::number(q.p10, NumberKind::money),
                            Cell::number(q.p50, NumberKind::money),
                            Cell::number(q.p90, NumberKind::money)});
  }
  return ranges;
}

// Cost against days of the choices, the answer among them.
Curve choices_curve(const Solution& solution) {
  Curve curve{.title = solution.accelerator + ": cost against time of the choices",
              .x = {"wall clock", NumberKind::duration},
              .y = {"total", NumberKind::money},
              .series = {{solution.accelerator, {}, false}},
              .numbers = choices_table(solution),
              .numbers_apart = true};
  for (const SolveChoice& choice : solution.choices) {
    if (!choice.total_usd) continue;
    curve.series[0].points.push_back({choice.wall_clock_seconds, *choice.total_usd,
                                      choice.what + ": " + format_exact(choice.value),
                                      choice.value == solution.values.front().second});
  }
  constexpr std::size_t kFewest = 3;  // two points are a table
  std::set<double> times;
  for (const Curve::Point& point : curve.series[0].points) times.insert(point.x);
  if (times.size() < kFewest) curve.series.clear();
  return curve;
}

// The target's column over the unknown, as the search found it.
Curve searched_curve(const SolveReport& report) {
  const SolveTarget& target = report.target;
  const FieldInfo& unknown = *report.solutions.front().values.back().first;
  const NumberKind x_kind = number_kind(unknown.kind);
  const NumberKind y_kind = target.column->display;
  Curve curve{
      .title = fmt::format("{} over {}, as the search found it", target.column->path, unknown.path),
      .x = {std::string(unknown.path), x_kind, true},
      .y = {std::string(target.column->path), y_kind, true},
      .series = {},
      .numbers = Table({{"platform"},
                        {std::string(unknown.path), "", Align::right},
                        {std::string(target.column->path), "", Align::right}}),
      .numbers_apart = true};
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Solution& solution : report.solutions) {
    constexpr double kNear = 1000;  // times; what is farther stands in the JSON alone
    Curve::Series series{solution.accelerator, {}, true};
    if (solution.values.empty()) continue;
    const double found = solution.values.back().second;
    for (const SolveTrial& trial : solution.searched) {
      if (found > 0 && (trial.value > kNear * found || trial.value * kNear < found)) continue;
      const bool answer = trial.value == found;
      least = std::min(least, trial.value);
      most = std::max(most, trial.value);
      curve.y.logarithmic &= trial.achieved > 0;
      series.points.push_back({trial.value, trial.achieved,
                               fmt::format("{}: {}", format_number(trial.value, x_kind, 4),
                                           format_number(trial.achieved, y_kind, 4)),
                               answer && solution.solved});
      curve.numbers.add_row({solution.accelerator, Cell::number(trial.value, x_kind, 6),
                             Cell::number(trial.achieved, y_kind, 6)});
    }
    if (series.points.size() > 2) curve.series.push_back(std::move(series));
  }
  if (curve.series.empty()) return curve;
  curve.x.logarithmic = least > 0;
  curve.series.push_back({"target", {{least, target.value}, {most, target.value}}, true, true});
  return curve;
}

bool has_one_unknown(const SolveReport& report) {
  return !report.solutions.empty() && !report.solutions.front().values.empty();
}

Page page_of(const SolveReport& report) {
  Page page{"Solve", made_by(report.price_data_date)};
  page.add(Paragraph{report.unknown_words + " such that " + report.target_words});
  for (std::size_t i = 0; i < report.clusters.size(); ++i) {
    page.add(Heading{fmt::format(
        "{}: {} GPUs for {}", report.solutions[i].accelerator, grouped(report.clusters[i].gpus, 0),
        brief_words(report.clusters[i].seconds, NumberKind::duration, kTimeDigits))});
    page.add(Facts{cluster_facts(report.clusters[i], report.solutions[i])});
  }
  page.add(Heading{"Answer"}).add(Grid{solutions_table(report)}).add(solve_totals(report));
  for (const Solution& solution : report.solutions) {
    if (solution.values.empty()) continue;
    page.add(Paragraph{(solution.solved ? "" : "not solved, the nearest is ") +
                           exact_line(solution, report.target),
                       solution.solved ? Ink::plain : Ink::warn, 2, true});
  }
  page.add(Warnings{solution_warnings(report), true});
  if (has_one_unknown(report)) page.add(searched_curve(report));
  for (const Solution& solution : report.solutions) {
    if (solution.choices.empty()) continue;
    page.add(Heading{solution.accelerator + ": choices"}).add(Grid{choices_table(solution)});
    page.add(choices_curve(solution));
  }
  const auto answered = std::ranges::find_if(
      report.solutions, [](const Solution& s) { return s.estimate.has_value(); });
  if (answered != report.solutions.end()) {
    add_assumed(page, answered->estimate->assumptions, answered->accelerator);
  }
  page.add(Heading{"Prices"});
  return page.add(Facts{provenance_facts(solution_estimates(report), report.price_data_date)});
}

}  // namespace

std::string target_words(const SolveTarget& target) {
  return fmt::format("{} is {} {}", target.column->path, target.at_least ? "at least" : "at most",
                     brief_words(target.value, target.column->display));
}

Document solve_document(const SolveReport& report) {
  const auto answer = std::make_shared<SolveAnswer>(report);
  Document document{answer->record(), "solutions", [answer] { return page_of(answer->report()); }};
  document.budget = [answer] {
    std::vector<BudgetCase> cases;
    for (const Solution& solution : answer->report().solutions) {
      if (solution.estimate) cases.push_back({solution.accelerator, &*solution.estimate});
    }
    return budget_of(cases);
  };
  if (report.solutions.size() == 1) {
    document.scenario = scenario_to_json(report.solutions.front().scenario);
  }
  return document;
}

}  // namespace trcost::report
