// SPDX-License-Identifier: Apache-2.0
#include "trcost/solve_report.h"

#include <fmt/format.h>

#include "report/document_head.h"
#include "report/markup.h"
#include "report/provenance.h"
#include "report/solve_parts.h"
#include "report/text_page.h"
#include "report/wording.h"

namespace trcost {
namespace {

constexpr int kTimeDigits = 6;  // 182.625 d

std::string page_of(const SolveReport& report, const Style& style) {
  TextPage page(style);
  page.heading("Solve", made_by(report.price_data_date));
  page.paragraph(report.unknown_words + " such that " + report.target_words);
  for (std::size_t i = 0; i < report.clusters.size(); ++i) {
    page.heading(fmt::format(
        "{}: {} GPUs for {}", report.solutions[i].accelerator, grouped(report.clusters[i].gpus, 0),
        brief_words(report.clusters[i].seconds, NumberKind::duration, kTimeDigits)));
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
  page.heading("Prices");
  page.facts(provenance_facts(solution_estimates(report), report.price_data_date));
  return page.take();
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
  out += "\n## Prices\n\n";
  for (const Fact& fact : provenance_facts(solution_estimates(report), report.price_data_date)) {
    out += fmt::format("- **{}**: {}\n", fact.label, markdown_escape(fact.text));
  }
  return out + "\n" + made_by(report.price_data_date) + "\n";
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
      return solve_json(report);
    case Format::md:
      return markdown_of(report);
    default:
      return to_format(solutions_table(report, true), format, style, "solutions");
  }
}

}  // namespace trcost
