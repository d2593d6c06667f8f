// SPDX-License-Identifier: Apache-2.0
#include "trcost/solve_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/document_head.h"
#include "report/json_writer.h"
#include "report/markup.h"
#include "report/text_page.h"
#include "report/wording.h"
#include "scenario/number_kind.h"
#include "trcost/error.h"
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
std::vector<const Column*> further_columns(const SolveReport& report) {
  std::vector<const Column*> out;
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
  const std::size_t dot = path.rfind('.');
  return path == "performance.mfu" ? "MFU" : dot == path.npos ? path : path.substr(dot + 1);
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

std::vector<SolutionColumn> number_columns(const SolveReport& report) {
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
  const Column& target = *report.target.column;
  if (!is_unknown(report, target.path)) {
    SolutionColumn& column = columns.emplace_back(
        SolutionColumn{short_title(target.path), target.path, target.display});
    for (const Solution& solution : solutions) column.values.push_back(solution.achieved);
  }
  for (const Column* further : further_columns(report)) {
    SolutionColumn& column = columns.emplace_back(
        SolutionColumn{short_title(further->path), further->path, further->display});
    column.overflow = Overflow::drop;
    for (const Solution& solution : solutions) {
      column.values.push_back(solution.estimate ? further->number(*solution.estimate)
                                                : std::nullopt);
    }
  }
  return columns;
}

// Machines get the note; people read it on stderr.
Table solutions_table(const SolveReport& report, bool for_machines) {
  const bool with_solved =
      for_machines || !std::ranges::all_of(report.solutions, &Solution::solved);
  std::vector<TableColumn> heads = {{"platform", "accelerator"}};
  if (with_solved) heads.push_back({"solved", "solved"});
  std::vector<std::vector<Cell>> cells;
  for (const SolutionColumn& column : number_columns(report)) {
    heads.push_back({std::string(column.title), std::string(column.key), Align::right,
                     column.overflow, column.strong});
    cells.push_back(distinct_cells(column.values, column.kind));
  }
  if (for_machines) heads.push_back({"note"});
  Table table(std::move(heads));
  for (std::size_t i = 0; i < report.solutions.size(); ++i) {
    const Solution& solution = report.solutions[i];
    std::vector<Cell> row = {solution.accelerator};
    if (with_solved) row.push_back(Cell::boolean(solution.solved));
    for (const std::vector<Cell>& column : cells) row.push_back(column[i]);
    if (for_machines) row.emplace_back(solution.problem);
    table.add_row(std::move(row));
  }
  return table;
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
    table.add_row({choices[i].what,
                   Cell::number(choices[i].value, format_exact(choices[i].value)), times[i],
                   totals[i]});
  }
  return table;
}

// The unknown exactly, as it may be given back, and what comes of it.
std::string exact_line(const Solution& solution, const SolveTarget& target) {
  constexpr int kDigits = 6;
  std::string out = solution.accelerator + ":";
  for (const auto& [info, value] : solution.values) {
    out += fmt::format("{} {} = {}{}{}", out.back() == ':' ? "" : ",", info->path,
                       format_exact(value), info->unit.empty() ? "" : " ", info->unit);
  }
  if (!solution.achieved) return out;
  const std::string reached = brief_words(*solution.achieved, target.column->display, kDigits);
  out += fmt::format(" gives {} = {}", target.column->path, reached);
  if (!solution.beyond || !solution.beyond_achieved) return out;
  const std::string missed =
      brief_words(*solution.beyond_achieved, target.column->display, kDigits);
  out += reached == missed
             ? fmt::format("; {} misses the target", format_exact(*solution.beyond))
             : fmt::format("; {} would give {}", format_exact(*solution.beyond), missed);
  return out;
}

// What the estimates at the answers warn of, each once, with the platform where not all have it.
std::vector<std::string> solution_warnings(const SolveReport& report) {
  std::vector<Estimate> estimates;
  for (const Solution& solution : report.solutions) {
    if (solution.estimate) estimates.push_back(*solution.estimate);
  }
  Report whole;
  whole.estimates = estimates;
  return warning_lines(whole);
}

std::string pair_words(const ComputeOptimal& pair) {
  return fmt::format("{} parameters on {} tokens", format_number(pair.params, NumberKind::count),
                     format_number(pair.tokens, NumberKind::count));
}

std::vector<Fact> cluster_facts(const ClusterRun& run, const Solution& solution) {
  const auto percent = [](double share) {
    return format_number(share, NumberKind::fraction);
  };
  std::vector<Fact> facts;
  facts.push_back({"FLOP", fmt::format("{:.4g} = {} GPUs x {:.4g} FLOP/s x {} MFU x {} s",
                                       run.flops, grouped(run.gpus, 0), run.peak_flops,
                                       percent(run.mfu), grouped(run.seconds, 0))});
  facts.push_back(
      {"cost", run.usd ? fmt::format("{} = {} GPU-hours x {}",
                                     format_number(*run.usd, NumberKind::money, 4),
                                     gpu_hour_words(run.gpu_hours), unit_money(*run.price))
                       : "n/a: no price is known; give --price"});
  facts.push_back({"against", fmt::format("{:.3g} times the 4e25 FLOP of {}", run.reference_ratio,
                                          kReferenceName)});
  facts.push_back({"trains", fmt::format("compute-optimal: {}", pair_words(run.optimal))});
  facts.push_back({"realised",
                   fmt::format("{:.4g} FLOP: goodput {} and production overhead {} of that",
                               run.realised_flops, percent(run.goodput),
                               percent(run.production_overhead))});
  facts.push_back(
      {"then trains", fmt::format("compute-optimal: {}", pair_words(run.realised_optimal))});
  if (solution.estimate) {
    facts.push_back(
        {"as estimated",
         fmt::format("{} parameters on {} tokens: {:.4g} FLOP in {}, {}",
                     format_number(solution.estimate->model.params_total, NumberKind::count),
                     format_number(solution.estimate->tokens.total, NumberKind::count),
                     solution.estimate->flops.model,
                     format_number(solution.estimate->wall_clock_seconds, NumberKind::duration),
                     words(solution.estimate->cost.total, NumberKind::money))});
  }
  return facts;
}

std::string page_of(const SolveReport& report, const Style& style) {
  TextPage page(style);
  page.heading("Solve", made_by(report.price_data_date));
  page.paragraph(report.unknown_words + " such that " + report.target_words);
  for (std::size_t i = 0; i < report.clusters.size(); ++i) {
    page.heading(fmt::format("{}: {} GPUs for {}", report.solutions[i].accelerator,
                             grouped(report.clusters[i].gpus, 0),
                             brief_words(report.clusters[i].seconds, NumberKind::duration)));
    page.facts(cluster_facts(report.clusters[i], report.solutions[i]));
  }
  page.heading("Answer");
  page.table(solutions_table(report, false));
  page.blank();
  for (const Solution& solution : report.solutions) {
    if (solution.values.empty()) continue;
    page.paragraph((solution.solved ? "" : "not solved, the nearest is ") +
                       exact_line(solution, report.target),
                   2, solution.solved ? Ink::plain : Ink::warn);
  }
  for (const std::string& warning : solution_warnings(report)) {
    page.paragraph("! " + warning, 2, Ink::warn);
  }
  for (const Solution& solution : report.solutions) {
    if (solution.choices.empty()) continue;
    page.heading(solution.accelerator + ": choices");
    page.table(choices_table(solution));
  }
  return page.take();
}

void write_pair(JsonWriter& writer, std::string_view key, const ComputeOptimal& pair) {
  writer.begin_object(key);
  writer.member("params", pair.params);
  writer.member("tokens", pair.tokens);
  writer.end_object();
}

void write_cluster(JsonWriter& writer, const ClusterRun& run) {
  writer.begin_object("cluster");
  writer.member("gpus", run.gpus);
  writer.member("seconds", run.seconds);
  writer.member("peak_flop_per_second", run.peak_flops);
  writer.member("mfu", run.mfu);
  writer.member("flops", run.flops);
  writer.member("gpu_hours", run.gpu_hours);
  writer.member("price_per_gpu_hour", run.price);
  writer.member("cost_usd", run.usd);
  write_pair(writer, "compute_optimal", run.optimal);
  writer.member("goodput", run.goodput);
  writer.member("production_overhead", run.production_overhead);
  writer.member("realised_flops", run.realised_flops);
  write_pair(writer, "realised_compute_optimal", run.realised_optimal);
  writer.begin_object("reference");
  writer.member("model", kReferenceName);
  writer.member("flops", kReferenceFlops);
  writer.member("ratio", run.reference_ratio);
  writer.end_object();
  writer.end_object();
}

void write_values(JsonWriter& writer, const Solution& solution) {
  writer.begin_array("unknowns");
  for (const auto& [info, value] : solution.values) {
    writer.begin_object();
    writer.member("path", info->path);
    writer.member("value", value);
    writer.member("unit", info->unit);
    writer.end_object();
  }
  writer.end_array();
  // One unknown is the usual case and reads without the list.
  if (solution.values.size() != 1) return;
  writer.member("path", solution.values.front().first->path);
  writer.member("value", solution.values.front().second);
  writer.member("unit", solution.values.front().first->unit);
}

void write_solution(JsonWriter& writer, const SolveReport& report, std::size_t index) {
  const Solution& solution = report.solutions[index];
  writer.begin_object();
  writer.member("accelerator", solution.accelerator);
  writer.boolean("solved", solution.solved);
  writer.text_or_null("problem", solution.problem);
  write_values(writer, solution);
  writer.member("achieved", solution.achieved);
  if (solution.beyond) {
    writer.begin_object("one_unit_further");
    writer.member("value", solution.beyond);
    writer.member("achieved", solution.beyond_achieved);
    writer.end_object();
  }
  writer.begin_array("choices");
  for (const SolveChoice& choice : solution.choices) {
    writer.begin_object();
    writer.member("choice", choice.what);
    writer.member("value", choice.value);
    writer.member("wall_clock_seconds", choice.wall_clock_seconds);
    writer.member("cost_usd", choice.total_usd);
    writer.end_object();
  }
  writer.end_array();
  if (index < report.clusters.size()) write_cluster(writer, report.clusters[index]);
  if (solution.estimate) {
    Report result;
    result.scenario = &solution.scenario;
    result.estimates = {&*solution.estimate, 1};
    result.price_data_date = report.price_data_date;
    std::string document = render_json(result);
    while (document.ends_with('\n')) document.pop_back();
    writer.raw("result", document);
  } else {
    writer.null("result");
  }
  writer.end_object();
}

std::string json_of(const SolveReport& report) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  write_versions(writer, report.price_data_date);
  writer.begin_object("target");
  writer.member("column", report.target.column->path);
  writer.member("value", report.target.value);
  writer.member("unit", report.target.column->unit);
  writer.member("comparison", report.target.at_least ? "at least" : "at most");
  writer.end_object();
  writer.begin_array("solutions");
  for (std::size_t i = 0; i < report.solutions.size(); ++i) write_solution(writer, report, i);
  writer.end_array();
  writer.end_object();
  out += '\n';
  return out;
}

std::string markdown_of(const SolveReport& report) {
  std::string out =
      fmt::format("# Solve\n\n{} such that {}\n\n", report.unknown_words, report.target_words);
  for (std::size_t i = 0; i < report.clusters.size(); ++i) {
    out += fmt::format("## {}\n\n", report.solutions[i].accelerator);
    for (const Fact& fact : cluster_facts(report.clusters[i], report.solutions[i])) {
      out += fmt::format("- **{}**: {}\n", fact.label, fact.text);
    }
    out += "\n";
  }
  out += to_markdown(solutions_table(report, false));
  out += "\n";
  for (const Solution& solution : report.solutions) {
    if (solution.values.empty()) continue;
    out += solution.solved ? "- " : fmt::format("- not solved: {}; nearest: ", solution.problem);
    out += exact_line(solution, report.target) + "\n";
  }
  for (const std::string& warning : solution_warnings(report)) {
    out += "- " + markdown_escape(warning) + "\n";
  }
  for (const Solution& solution : report.solutions) {
    if (solution.choices.empty()) continue;
    out += fmt::format("\n## {}: choices\n\n", solution.accelerator);
    out += to_markdown(choices_table(solution));
  }
  return out;
}

}  // namespace

std::string target_words(const SolveTarget& target) {
  return fmt::format("{} is {} {}", target.column->path, target.at_least ? "at least" : "at most",
                     brief_words(target.value, target.column->display));
}

std::string render_solve(const SolveReport& report, Format format, const Style& style) {
  switch (format) {
    case Format::table:
      return page_of(report, style);
    case Format::json:
      return json_of(report);
    case Format::md:
      return markdown_of(report);
    default:
      return to_format(solutions_table(report, true), format, style, "solutions");
  }
}

}  // namespace trcost
