// SPDX-License-Identifier: Apache-2.0
// The answer of `estimate`: the question, the platforms side by side, the cheapest in detail.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "estimate/document_columns.h"
#include "estimate/plan_columns.h"
#include "report/about/estimate_pages.h"
#include "report/budget.h"
#include "report/document_head.h"
#include "report/documents.h"
#include "report/sections.h"
#include "report/wording.h"
#include "trcost/bill.h"

namespace trcost {
namespace {

// --- for machines -------------------------------------------------------------------------------

// A report with its scenario as text, which a column can point into.
struct Answer {
  const Report* report = nullptr;
  std::string scenario;
};

const Columns<Answer>& answer_columns() {
  using namespace column;
  using A = const Answer&;
  static const Columns<Answer> table = [] {
    Columns<Answer> t;
    t.add(versions<Answer>());
    t.add({text(
               "price_data_date", [](A a) -> auto& { return a.report->price_data_date; },
               "of the price book"),
           json(
               "scenario", [](A a) -> auto& { return a.scenario; },
               "what was asked, replayable with --scenario"),
           list<estimate_columns>(
               "estimates", [](A a) { return a.report->estimates; }, "one per platform"),
           list<alternative_columns>(
               "alternatives", [](A a) { return a.report->alternatives; },
               "the same with the tokens of published models"),
           list<failure_columns>(
               "failures", [](A a) { return a.report->failures; }, "platforms without an answer")});
    return t;
  }();
  return table;
}

// --- for people ---------------------------------------------------------------------------------

std::string percent(double share) {
  constexpr double kSmallest = 0.0005;  // 0.1% at least is left of what is shown
  if (share > 0 && share < kSmallest) return format_number(share, NumberKind::fraction, 2);
  return fmt::format("{:.1f}%", share * 100);
}

void add_waterfall(Page& page, const Estimate& e) {
  const std::vector<WaterfallStep> steps = waterfall_steps(e);
  if (steps.empty()) return;
  page.add(
      Heading{"Where the peak goes", "share that each step keeps, and what is left of dense peak"});
  constexpr int kValueWidth = 16;
  Bars bars{.title = "What is left of dense peak after each step",
            .bars = {{"dense peak", 1, percent(1)}},
            .numbers = waterfall_table(e),
            .value_width = kValueWidth};
  for (const WaterfallStep& step : steps) {
    bars.bars.push_back({term_words(step.term), step.left,
                         fmt::format("{:>7} {:>8}", percent(step.share), percent(step.left)),
                         step.left / step.share});
  }
  page.add(std::move(bars));
}

void add_memory(Page& page, const Estimate& e) {
  const double capacity = e.memory.capacity;
  page.add(Heading{"Memory of the fullest GPU",
                   fmt::format("{} of {}{}", format_number(e.memory.total, NumberKind::bytes),
                               format_number(capacity, NumberKind::bytes),
                               !e.memory.fits   ? ": DOES NOT FIT"
                               : e.memory.tight ? ": tight"
                                                : "")});
  constexpr int kLabelWidth = 11;
  constexpr int kValueWidth = 8;
  Bars bars{.title = "Memory of the fullest GPU by component",
            .bars = {},
            .numbers = memory_table(e),
            .label_width = kLabelWidth,
            .value_width = kValueWidth};
  for (const MemoryPart& part : memory_parts(e.memory)) {
    if (part.bytes <= 0) continue;
    bars.bars.push_back({std::string(part.name), capacity > 0 ? part.bytes / capacity : 0,
                         format_number(part.bytes, NumberKind::bytes)});
  }
  page.add(std::move(bars));
}

void add_bill(Page& page, const Estimate& e) {
  if (e.cost.items.empty()) return;
  page.add(Heading{"Bill", bill_subtitle(e)}).add(Grid{items_table(e)});
  page.add(Paragraph{std::string(kStaffNote), Ink::dim});
  if (std::string even = break_even_words(e.cost); !even.empty())
    page.add(Paragraph{std::move(even)});
}

// One line per platform on a common scale, then what makes the range of the one in detail.
void add_range(Page& page, const Report& report, const Estimate& detailed) {
  Ranges ranges{"Range of the total by platform", {}, range_table(report.estimates)};
  for (const Estimate& e : report.estimates) {
    if (!e.range.total_usd) continue;
    const Quantiles& q = *e.range.total_usd;
    ranges.rows.push_back({e.accelerator,
                           {q.p10, q.p50, q.p90},
                           {short_money(q.p10), short_money(q.p50), short_money(q.p90)}});
  }
  const RangeResult& range = detailed.range;
  if (range.method.empty() && ranges.rows.empty()) return;
  page.add(
      Heading{"Range of the total", "P10 to P90, four chances in five; the dot is the median"});
  page.add(std::move(ranges));
  if (range.method.empty()) return;
  page.add(Paragraph{
      fmt::format("{}: {} to {} GPU-hours, {} to {} wall-clock", detailed.accelerator,
                  gpu_hour_words(range.gpu_hours.p10), gpu_hour_words(range.gpu_hours.p90),
                  format_number(range.wall_clock_seconds.p10, NumberKind::duration),
                  format_number(range.wall_clock_seconds.p90, NumberKind::duration))});
  const std::string drivers = contribution_words(range);
  if (!drivers.empty()) page.add(Paragraph{"Driven by: " + drivers, Ink::plain, 2});
  page.add(Paragraph{"By " + range.method, Ink::dim, 2});
}

void add_assumptions(Page& page, const Estimate& e) {
  if (e.assumptions.empty()) return;
  Heading heading{"Assumed", "what the question left open"};
  heading.text_note = "what the question left open; --explain adds the sources";
  page.add(std::move(heading));
  Grid grid{assumptions_table(e)};
  int number = 0;
  const int digits = e.assumptions.size() < 10 ? 1 : 2;
  for (const Assumption& assumption : e.assumptions) {
    grid.in_text.push_back(
        {fmt::format("{:>{}}. {}", ++number, digits, assumption_words(assumption)), Ink::plain,
         digits + 2});
  }
  page.add(std::move(grid));
}

Page page_of(const Report& report) {
  if (report.estimates.empty()) return without_answer(report);
  const Estimate& e = report.estimates[cheapest_index(report.estimates)];
  const bool several = report.estimates.size() > 1;
  Page page{"Training cost", made_by(report.price_data_date)};
  page.titled = false;
  page.add(Heading{"The question"}).add(Facts{question_facts(report)});
  page.add(Heading{std::string(answer_heading(report))});
  page.add(Paragraph{answer_sentence(report), Ink::good});
  page.add(
      Heading{.text = several ? "Platforms side by side" : "The platform", .in_text = several});
  page.add(Grid{.table = comparison_table(report.estimates), .splits = true});
  page.add(Heading{several ? e.accelerator + " in detail" : std::string("How it runs")});
  page.add(Facts{run_facts(e)});
  add_bill(page, e);
  add_range(page, report, e);
  add_waterfall(page, e);
  add_memory(page, e);
  if (!e.stages.empty()) page.add(Heading{"Stages"}).add(Grid{stages_table(e)});
  add_phases(page, e);
  const std::vector<Fact> pipeline = pipeline_facts(e);
  if (!pipeline.empty()) page.add(Heading{"Data pipeline"}).add(Facts{pipeline});
  add_assumptions(page, e);
  page.add(Heading{"Prices"}).add(Facts{price_facts(report)});
  return page.add(Notes{warning_lines(report)});
}

// What text shows of it.
Page text_page_of(const Report& report) {
  switch (report.detail) {
    case Detail::brief:
      return estimate_brief(report);
    case Detail::screen:
      return estimate_screen(report);
    case Detail::full:
      break;
  }
  return page_of(report);
}

}  // namespace

Page without_answer(const Report& report) {
  Page page{"Training cost", made_by(report.price_data_date)};
  page.titled = false;
  page.add(Heading{"No platform has an answer"});
  for (const std::string& line : warning_lines(report)) page.add(Paragraph{line, Ink::warn, 2});
  return page;
}

Document estimate_document(const Report& report) {
  const auto answer = std::make_shared<Answer>();
  answer->report = &report;
  answer->scenario = report.scenario != nullptr ? scenario_to_json(*report.scenario) : "{}";
  Document document{record_of(answer_columns(), *answer), "estimates",
                    [answer] { return page_of(*answer->report); }};
  document.text_page = [answer] { return text_page_of(*answer->report); };
  if (!report.estimates.empty()) {
    document.budget = [answer] { return budget_of(answer->report->estimates); };
  }
  document.scenario = answer->scenario;
  document.command = report.command;
  return document;
}

std::string render(const Report& report, Format format, const Style& style) {
  return render(estimate_document(report), format, style);
}

std::string render_json(const Report& report) {
  return render(report, Format::json, {});
}

}  // namespace trcost
