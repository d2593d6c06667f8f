// SPDX-License-Identifier: Apache-2.0
#include "report/about/solve/solve.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "cost/distribution.h"
#include "estimate/columns/estimate_columns.h"
#include "quantity/portable_math.h"
#include "report/about/documents.h"
#include "report/page/comparison.h"
#include "report/page/estimate_tables.h"
#include "report/page/money_facts.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "report/workbook/budget.h"
#include "scenario/fields.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

// Names the solution as the source of a price that is an unknown.
void name_price_source(const FieldInfo& info, Estimate& estimate) {
  if (info.field != Field::cost_price_per_gpu_hour && info.field != Field::cost_purchase_price) {
    return;
  }
  for (LineItem& item : estimate.cost.items) {
    if (item.part == Part::compute || item.part == Part::servers) item.source = "the price sought";
  }
}

// Returns the rent at P10 and P90 of a price that is a distribution.
std::string rent_range_words(const ClusterRun& run, const Scenario& scenario) {
  const Distribution* price = scenario.distribution(Field::cost_price_per_gpu_hour);
  if (price == nullptr) return {};
  constexpr double kLow = 0.1, kHigh = 0.9;
  const auto rent = [&](double share) {
    const double usd = portable_exp(log_quantile(*price, share)) * run.gpu_hours;
    return short_money(usd);
  };
  return fmt::format("; {} to {} (P10 to P90 of the price)", rent(kLow), rent(kHigh));
}

// Returns the nearest value of the unknown and the result that it gives.
std::string nearest_words(const Solution& solution, const SolveTarget& target) {
  std::string out = platform_title(solution) + ":";
  for (const auto& [info, value] : solution.values) {
    out += fmt::format("{} {} {}", out.back() == ':' ? "" : ",", field_title(*info),
                       format_number(value, number_kind(info->kind)));
  }
  if (!solution.achieved) return out + ".";
  return out + fmt::format(" gives {} of {}.", target_name(*target.column),
                           brief_words(*solution.achieved, target.column->display, 3));
}

// Returns the estimates at the answers.
std::vector<Estimate> solution_estimates(const SolveReport& report) {
  std::vector<Estimate> estimates;
  for (const Solution& solution : report.solutions) {
    if (!solution.estimate) continue;
    estimates.push_back(*solution.estimate);
    for (const auto& [info, value] : solution.values) name_price_source(*info, estimates.back());
  }
  return estimates;
}

// Adds the warnings of the estimates at the answers, each once. A screen of text has those of the
// best platform.
void add_solution_warnings(const SolveReport& report, Page& page) {
  const std::vector<Estimate> estimates = solution_estimates(report);
  Report whole;
  whole.estimates = estimates;
  std::vector<std::string> all = warning_lines(whole);
  const Solution* best = best_solution(report);
  std::vector<std::string> shown =
      best == nullptr ? all : warnings_about(*best->estimate, estimates, all);
  const Scenario scenario = scenario_from_json(report.scenario, "scenario");
  std::string legend =
      price_legend(estimates, report.price_data_date, scenario.text(Field::cost_as_of));
  if (const std::size_t hidden = all.size() - shown.size(); hidden > 0) {
    legend += " " + hidden_warning_words(hidden, !shown.empty());
  }
  std::erase_if(
      all, [&](const std::string& line) { return std::ranges::find(shown, line) != shown.end(); });
  page.add(Warnings{std::move(shown), true});
  page.add(Paragraph{std::move(legend), Ink::dim});
  if (all.empty()) return;
  page.add(Heading{.text = "Warnings about the other platforms", .detail = true});
  page.add(Warnings{std::move(all), true});
}

// Returns the FLOP of a rented cluster, their cost and the model that they train.
std::vector<Fact> cluster_facts(const ClusterRun& run, const Solution& solution) {
  const auto percent = [](double share) { return format_number(share, NumberKind::fraction); };
  std::vector<Fact> facts;
  facts.push_back(
      {"Compute", fmt::format("{} = {} GPUs x {:.3g} FLOP/s x {} MFU x {} s", flop_words(run.flops),
                              grouped(run.gpus, 0), run.peak_flops, percent(run.mfu),
                              grouped(run.seconds, 0))});
  facts.push_back({"Cost", run.usd
                               ? fmt::format("{} = {} GPU-hours x {}{}", short_money(*run.usd),
                                             gpu_hour_words(run.gpu_hours), unit_money(*run.price),
                                             rent_range_words(run, solution.scenario))
                               : "unknown: no price is known. Set --price"});
  facts.push_back(
      {"Effective", fmt::format("{}, after a goodput of {} and {} of the time for overheads",
                                flop_words(run.realised_flops), percent(run.goodput),
                                percent(1 - run.production_overhead))});
  const double compared = run.reference_ratio * run.realised_flops / run.flops;
  facts.push_back(
      {"Compared",
       compared < 1
           ? fmt::format("{} of the compute of {} (4e25 FLOP)", percent(compared), kReferenceName)
           : fmt::format("{:.3g} times the compute of {} (4e25 FLOP)", compared, kReferenceName)});
  return facts;
}

// Ranges of the total at the answers on one scale.
Ranges solve_totals(const SolveReport& report) {
  Ranges ranges = platform_ranges("Range of the total at the answer");
  if (!report.clusters.empty()) return ranges;  // GPUs and time are set, and so is the rent
  for (const Solution* each : sort_solutions(report)) {
    const Solution& solution = *each;
    if (!solution.estimate || !solution.estimate->range.total_usd) continue;
    const Estimate& e = *solution.estimate;
    add_range_row(
        ranges, platform_title(solution), *e.range.total_usd,
        [&](double usd) { return mark_imputed(short_money(usd), e.cost); },
        [](double usd) { return Cell::number(usd, NumberKind::money); });
  }
  return ranges;
}

// Cost and time of the choices, including the answer.
Curve choices_curve(const Solution& solution) {
  Curve curve{.title = platform_title(solution) + ": cost against time of the choices",
              .x = {"wall clock", NumberKind::duration},
              .y = {"total", NumberKind::money},
              .series = {{platform_title(solution), {}, false}},
              .numbers = choices_table(solution),
              .numbers_only_behind = true};
  for (const SolveChoice& choice : solution.choices) {
    if (!choice.total_usd) continue;
    curve.series[0].points.push_back({choice.wall_clock_seconds, *choice.total_usd,
                                      choice.what + ": " + format_exact(choice.value),
                                      choice.value == solution.values.front().second});
  }
  constexpr std::size_t kFewest = 3;  // two points need no figure
  std::set<double> times;
  for (const Curve::Point& point : curve.series[0].points) times.insert(point.x);
  if (times.size() < kFewest) curve.series.clear();
  return curve;
}

// The column of the target over the unknown at the values that the search tried.
Curve searched_curve(const SolveReport& report) {
  const SolveTarget& target = report.target;
  const FieldInfo& unknown = *report.solutions.front().values.back().first;
  const std::string x_title = title_words(unknown.path, unknown.path);
  const std::string y_title = title_words(target.column->path, target.column->heading());
  const NumberKind x_kind = number_kind(unknown.kind);
  const NumberKind y_kind = target.column->display;
  Curve curve{.title = fmt::format("{} by {}", y_title, x_title),
              .x = {x_title, x_kind, true},
              .y = {y_title, y_kind, true},
              .series = {},
              .numbers = Table({{"platform"}, number_column(x_title), number_column(y_title)}),
              .numbers_only_behind = true};
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Solution& solution : report.solutions) {
    constexpr double kNear = 10;  // ratio to the answer: JSON alone has values farther away
    Curve::Series series{platform_title(solution), {}, true};
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
      curve.numbers.add_row({platform_title(solution), Cell::number(trial.value, x_kind, 6),
                             Cell::number(trial.achieved, y_kind, 6)});
    }
    if (series.points.size() > 2) curve.series.push_back(std::move(series));
  }
  if (curve.series.empty()) return curve;
  curve.x.logarithmic = least > 0;
  curve.series.push_back({"target", {{least, target.value}, {most, target.value}}, true, true});
  return curve;
}

Page solve_page(const SolveReport& report) {
  Page page{"Solve", made_by(report.price_data_date)};
  page.titled = false;
  for (std::string& sentence : solve_sentences(report)) {
    page.add(Paragraph{std::move(sentence), Ink::good});
  }
  for (std::size_t i = 0; i < report.clusters.size(); ++i) {
    page.add(Heading{fmt::format("{}: {} GPUs for {}", platform_title(report.solutions[i]),
                                 grouped(report.clusters[i].gpus, 0),
                                 time_words(report.clusters[i].seconds))});
    page.add(Facts{cluster_facts(report.clusters[i], report.solutions[i])});
  }
  page.add(Heading{"Platforms"}).add(Grid{solutions_table(report)}).add(solve_totals(report));
  for (const Solution& solution : report.solutions) {
    if (solution.values.empty() || solution.solved) continue;
    page.add(Paragraph{"Not solved, the nearest is " + nearest_words(solution, report.target),
                       Ink::warn, 2, true});
  }
  add_solution_warnings(report, page);
  if (!report.solutions.empty() && !report.solutions.front().values.empty()) {
    page.add(Heading{.text = "What the search tried", .in_text = false});
    page.add(searched_curve(report));
  }
  for (const Solution& solution : report.solutions) {
    const bool several = std::ranges::any_of(solution.choices, [&](const SolveChoice& choice) {
      return choice.value != solution.choices.front().value;
    });
    if (!several) continue;
    page.add(Heading{.text = platform_title(solution) + ": other clusters that meet the target",
                     .detail = true})
        .add(Grid{choices_table(solution)});
    page.add(choices_curve(solution));
  }
  const std::vector<const Solution*> sorted = sort_solutions(report);
  const auto answered =
      std::ranges::find_if(sorted, [](const Solution* s) { return s->estimate.has_value(); });
  if (answered != sorted.end()) {
    add_assumption_table(page, (*answered)->estimate->assumptions, (*answered)->accelerator);
  }
  page.add(Heading{.text = "Prices", .in_text = false});
  return page.add(Facts{price_facts(solution_estimates(report), report.price_data_date)});
}

}  // namespace

std::string platform_title(const Solution& solution) {
  const bool titled = solution.estimate && !solution.estimate->accelerator_title.empty();
  return titled ? solution.estimate->accelerator_title : solution.accelerator;
}

std::string target_words(const SolveTarget& target) {
  return fmt::format("{} is {} {}", title_words(target.column->path, target.column->heading()),
                     target.at_least ? "at least" : "at most",
                     brief_words(target.value, target.column->display));
}

Document solve_document(const SolveReport& report) {
  const auto answer = std::make_shared<SolveAnswer>(report);
  Document document{answer->record(), "solutions",
                    [answer] { return solve_page(answer->report()); }};
  document.budget = [answer] {
    std::vector<BudgetCase> cases;
    for (const Solution& solution : answer->report().solutions) {
      if (solution.estimate) cases.push_back({platform_title(solution), &*solution.estimate});
    }
    return budget_of(cases);
  };
  if (report.solutions.size() == 1) {
    document.scenario = scenario_to_json(report.solutions.front().scenario);
  }
  return document;
}

}  // namespace trcost::report
