// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "report/about/solve_columns.h"
#include "report/about/solve_parts.h"
#include "report/budget.h"
#include "report/document_head.h"
#include "report/documents.h"
#include "report/provenance.h"
#include "report/wording.h"

namespace trcost {
namespace {

constexpr int kTimeDigits = 6;  // 182.625 d

// What the answers cost, on one scale.
Ranges totals(const SolveReport& report) {
  Ranges ranges{"Range of the total at the answer",
                {},
                Table({{"platform"},
                       {"P10", "", Align::right},
                       {"P50", "", Align::right},
                       {"P90", "", Align::right}}),
                false};
  for (const Solution& solution : report.solutions) {
    if (!solution.estimate || !solution.estimate->range.total_usd) continue;
    const Quantiles& q = *solution.estimate->range.total_usd;
    ranges.rows.push_back({solution.accelerator,
                           {q.p10, q.p50, q.p90},
                           {rough_money(q.p10), rough_money(q.p50), rough_money(q.p90)}});
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
  if (curve.series[0].points.size() < kFewest) curve.series.clear();
  return curve;
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
  page.add(Heading{"Answer"}).add(Grid{solutions_table(report)}).add(totals(report));
  for (const Solution& solution : report.solutions) {
    if (solution.values.empty()) continue;
    page.add(Paragraph{(solution.solved ? "" : "not solved, the nearest is ") +
                           exact_line(solution, report.target),
                       solution.solved ? Ink::plain : Ink::warn, 2, true});
  }
  page.add(Notes{solution_warnings(report), true});
  for (const Solution& solution : report.solutions) {
    if (solution.choices.empty()) continue;
    page.add(Heading{solution.accelerator + ": choices"}).add(Grid{choices_table(solution)});
    page.add(choices_curve(solution));
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

}  // namespace trcost
