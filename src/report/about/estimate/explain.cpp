// SPDX-License-Identifier: Apache-2.0
// An estimate formula by formula, with its assumptions and prices.
#include <fmt/core.h>

#include <algorithm>

#include "report/page/text_page.h"
#include "report/page/wording.h"
#include "text/unicode.h"
#include "trcost/bill.h"

namespace trcost::report {
namespace {

void write_derivation(TextPage& page, int number, const Derivation& step) {
  page.line(
      paint(fmt::format("{}. {}", number, printable_line(step.name)), Ink::bold, page.style()));
  std::vector<Fact> facts;
  if (!step.formula.empty()) facts.push_back({"   formula", step.formula});
  if (!step.numbers.empty()) facts.push_back({"   numbers", step.numbers});
  if (!step.result.empty()) facts.push_back({"   result", step.result});
  if (!step.source.empty()) facts.push_back({"   source", step.source});
  page.facts(facts);
}

void write_assumption(TextPage& page, int number, const Assumption& assumption) {
  page.paragraph(fmt::format("{}. {}", number, assumption_words(assumption)), 3);
  if (!assumption.source.empty()) page.paragraph("   source: " + assumption.source, 3, Ink::dim);
}

bool is_same(const Derivation& a, const Derivation& b) {
  return a.name == b.name && a.formula == b.formula && a.numbers == b.numbers &&
         a.result == b.result && a.source == b.source;
}

bool is_same(const Assumption& a, const Assumption& b) {
  return a.path == b.path && a.value == b.value && a.why == b.why && a.source == b.source;
}

// Returns the parts of a platform that the first platform does not repeat word for word.
template <class Part>
std::vector<const Part*> new_parts(const std::vector<Part>& parts, const std::vector<Part>& shown) {
  std::vector<const Part*> out;
  for (const Part& part : parts) {
    const bool repeated =
        &parts != &shown && std::any_of(shown.begin(), shown.end(),
                                        [&](const Part& other) { return is_same(part, other); });
    if (!repeated) out.push_back(&part);
  }
  return out;
}

void write_prices(TextPage& page, const Estimate& e) {
  page.heading("Prices and their sources", e.accelerator);
  for (const LineItem& item : e.cost.items) {
    std::string text =
        item.unit_price
            ? fmt::format("{} per {}", exact_unit_money(*item.unit_price), unit_name(item.unit))
            : fmt::format("price of one {} not known", unit_name(item.unit));
    text = fmt::format("{}: {}", item_name(item), text);
    if (!item.included) text += ", not in the total";
    const std::string source = source_words(item);
    page.paragraph(source.empty() ? text : text + ", " + source, 2);
  }
}

void explain_estimate(TextPage& page, const Estimate& e, const Estimate& first) {
  const std::string_view repeated =
      &e == &first ? "" : "what is the same as for the first platform is left out";
  page.heading(fmt::format("{} x {}, formula by formula", grouped(e.gpus, 0), e.accelerator),
               repeated);
  int number = 0;
  for (const Derivation* step : new_parts(e.derivations, first.derivations)) {
    write_derivation(page, ++number, *step);
  }
  if (e.derivations.empty()) page.line("no derivation was recorded for this estimate");
  const auto assumptions = new_parts(e.assumptions, first.assumptions);
  if (!assumptions.empty()) page.heading("Assumptions and their sources", e.accelerator);
  number = 0;
  for (const Assumption* assumption : assumptions) write_assumption(page, ++number, *assumption);
  write_prices(page, e);
  if (!e.performance.method.empty()) {
    page.heading("How good this is", e.accelerator);
    page.paragraph(e.performance.method);
    if (!e.range.method.empty()) page.paragraph("Range by " + e.range.method);
  }
}

}  // namespace

}  // namespace trcost::report

namespace trcost {

std::string render_explain(const Report& report, const Style& style) {
  TextPage page(style);
  for (const Estimate& estimate : report.estimates) {
    explain_estimate(page, estimate, report.estimates.front());
  }
  page.heading("Not part of any total");
  page.paragraph(kStaffNote);
  return page.take();
}

}  // namespace trcost
