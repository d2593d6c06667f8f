// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/text_page.h"
#include "trcost/bill.h"

namespace trcost {
namespace {

void show_derivation(TextPage& page, int number, const Derivation& step) {
  page.line(
      paint(fmt::format("{}. {}", number, without_controls(step.name)), Ink::bold, page.style()));
  std::vector<Fact> facts;
  if (!step.formula.empty()) facts.push_back({"   formula", step.formula});
  if (!step.numbers.empty()) facts.push_back({"   numbers", step.numbers});
  if (!step.result.empty()) facts.push_back({"   result", step.result});
  if (!step.source.empty()) facts.push_back({"   source", step.source});
  page.facts(facts);
}

void show_assumption(TextPage& page, int number, const Assumption& assumption) {
  page.paragraph(fmt::format("{}. {}", number, assumption_words(assumption)), 3);
  if (!assumption.source.empty()) page.paragraph("   source: " + assumption.source, 3, Ink::dim);
}

void show_estimate(TextPage& page, const Estimate& e) {
  page.heading(fmt::format("{} x {}, formula by formula", grouped(e.gpus, 0), e.accelerator));
  int number = 0;
  for (const Derivation& step : e.derivations) show_derivation(page, ++number, step);
  if (e.derivations.empty()) page.line("no derivation was recorded for this estimate");
  page.heading("Assumptions and their sources");
  number = 0;
  for (const Assumption& assumption : e.assumptions) show_assumption(page, ++number, assumption);
  if (e.assumptions.empty()) page.line("none: everything was given");
  page.heading("Prices and their sources");
  for (const LineItem& item : e.cost.items) {
    std::string text = item.unit_price
                           ? fmt::format("{} per {}", exact_money(*item.unit_price), item.unit)
                           : "price of one " + item.unit + " not known";
    text = fmt::format("{}: {}", item.item, text);
    if (!item.included) text += ", not in the total";
    if (!item.source.empty()) text += "; " + item.source;
    if (!item.date.empty()) text += " (" + item.date + ")";
    page.paragraph(text, 2);
  }
  page.paragraph(kStaffNote, 0, Ink::dim);
  if (!e.performance.method.empty()) {
    page.heading("How good this is");
    page.paragraph(e.performance.method);
    if (!e.range.method.empty()) page.paragraph("Range by " + e.range.method);
  }
}

}  // namespace

std::string render_explain(const Report& report, const Style& style) {
  TextPage page(style);
  page.heading("The question");
  page.facts(question_facts(report));
  for (const Estimate& estimate : report.estimates) show_estimate(page, estimate);
  const std::vector<std::string> warnings = warning_lines(report);
  if (!warnings.empty()) page.heading("Warnings");
  for (const std::string& warning : warnings) page.paragraph("! " + warning, 2, Ink::warn);
  return page.take();
}

}  // namespace trcost
