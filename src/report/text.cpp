// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/document_head.h"
#include "report/sections.h"
#include "report/text_page.h"
#include "trcost/bill.h"

namespace trcost {
namespace {

void show_question(TextPage& page, const Report& report) {
  page.heading("The question", made_by(report.price_data_date));
  page.facts(question_facts(report));
}

void show_platforms(TextPage& page, const Report& report) {
  page.heading("Platforms side by side");
  for (const auto& [first, count] : comparison_groups(report.estimates, page.inner_width())) {
    if (first > 0) page.blank();
    page.table(comparison_table(report.estimates, first, count));
  }
}

void show_waterfall(TextPage& page, const Estimate& e) {
  const std::vector<WaterfallStep> steps = waterfall_steps(e);
  if (steps.empty()) return;
  page.heading("Where the peak goes", "share that each step keeps, and what is left of dense peak");
  int label_width = display_width("dense peak");
  for (const WaterfallStep& step : steps) {
    label_width = std::max(label_width, display_width(term_words(step.term)));
  }
  constexpr int kValueWidth = 16;
  const auto percent = [](double share) {
    constexpr double kSmallest = 0.0005;  // 0.1% at least is left of what is shown
    if (share > 0 && share < kSmallest) return format_number(share, NumberKind::fraction, 2);
    return fmt::format("{:.1f}%", share * 100);
  };
  page.bar("dense peak", label_width, 1, percent(1), kValueWidth);
  for (const WaterfallStep& step : steps) {
    page.bar(term_words(step.term), label_width, step.left,
             fmt::format("{:>7} {:>8}", percent(step.share), percent(step.left)), kValueWidth);
  }
}

void show_bill(TextPage& page, const Estimate& e) {
  if (e.cost.items.empty()) return;
  page.heading("Bill", bill_subtitle(e));
  page.table(items_table(e));
  page.paragraph(kStaffNote, 0, Ink::dim);
  if (const std::string even = break_even_words(e.cost); !even.empty()) page.paragraph(even);
}

void show_memory(TextPage& page, const Estimate& e) {
  const double capacity = e.memory.capacity;
  page.heading("Memory of the fullest GPU",
               fmt::format("{} of {}{}", format_number(e.memory.total, NumberKind::bytes),
                           format_number(capacity, NumberKind::bytes),
                           !e.memory.fits ? ": DOES NOT FIT" : e.memory.tight ? ": tight" : ""));
  constexpr int kLabelWidth = 11;
  constexpr int kValueWidth = 8;
  for (const MemoryPart& part : memory_parts(e.memory)) {
    if (part.bytes <= 0) continue;
    page.bar(part.name, kLabelWidth, capacity > 0 ? part.bytes / capacity : 0,
             format_number(part.bytes, NumberKind::bytes), kValueWidth);
  }
}

// One line per platform on a common scale.
void show_range(TextPage& page, const Report& report, const Estimate& detailed) {
  double most = 0;
  int name_width = 0;
  int amount_width = 0;
  for (const Estimate& e : report.estimates) {
    if (!e.range.total_usd) continue;
    const Quantiles& q = *e.range.total_usd;
    most = std::max(most, q.p90);
    name_width = std::max(name_width, display_width(e.accelerator));
    for (const double usd : {q.p10, q.p50, q.p90}) {
      amount_width = std::max(amount_width, display_width(short_money(usd)));
    }
  }
  if (!detailed.range.method.empty() || most > 0) {
    page.heading("Range of the total", "P10 to P90, four chances in five; the dot is the median");
  }
  const int value_width = 3 * amount_width + 2;
  constexpr int kMargins = 4;
  for (const Estimate& e : report.estimates) {
    if (!e.range.total_usd) continue;
    const Quantiles& q = *e.range.total_usd;
    const int width = page.inner_width() - name_width - value_width - kMargins;
    const std::string bar =
        range_bar(q.p10, q.p50, q.p90, most, std::max(width, 10), page.style().unicode);
    page.line(pad_right(e.accelerator, name_width) + "  " +
              pad_right(paint(bar, Ink::accent, page.style()), std::max(width, 10)) + "  " +
              fmt::format("{0:>{3}} {1:>{3}} {2:>{3}}", short_money(q.p10), short_money(q.p50),
                          short_money(q.p90), amount_width));
  }
  const RangeResult& range = detailed.range;
  if (range.method.empty()) return;
  page.paragraph(fmt::format("{}: {} to {} GPU-hours, {} to {} wall-clock", detailed.accelerator,
                             gpu_hour_words(range.gpu_hours.p10),
                             gpu_hour_words(range.gpu_hours.p90),
                             format_number(range.wall_clock_seconds.p10, NumberKind::duration),
                             format_number(range.wall_clock_seconds.p90, NumberKind::duration)));
  const std::string drivers = contribution_words(range);
  if (!drivers.empty()) page.paragraph("Driven by: " + drivers, 2);
  page.paragraph("By " + range.method, 2, Ink::dim);
}

void show_assumptions(TextPage& page, const Estimate& e) {
  if (e.assumptions.empty()) return;
  page.heading("Assumed", "what the question left open; --explain adds the sources");
  int number = 0;
  const int digits = e.assumptions.size() < 10 ? 1 : 2;
  for (const Assumption& assumption : e.assumptions) {
    page.paragraph(fmt::format("{:>{}}. {}", ++number, digits, assumption_words(assumption)),
                   digits + 2);
  }
}

}  // namespace

std::string render_table(const Report& report, const Style& style) {
  TextPage page(style);
  if (report.estimates.empty()) {
    page.heading("No platform has an answer", made_by(report.price_data_date));
    for (const std::string& line : warning_lines(report)) page.paragraph(line, 2, Ink::warn);
    return page.take();
  }
  const std::size_t best = cheapest_index(report.estimates);
  const Estimate& e = report.estimates[best];
  const bool several = report.estimates.size() > 1;
  show_question(page, report);
  page.heading(answer_heading(report));
  page.paragraph(answer_sentence(report), 0, Ink::good);
  if (several) show_platforms(page, report);
  page.heading(several ? e.accelerator + " in detail" : std::string("How it runs"));
  page.facts(run_facts(e));
  show_bill(page, e);
  show_range(page, report, e);
  show_waterfall(page, e);
  show_memory(page, e);
  if (!e.stages.empty()) {
    page.heading("Stages");
    page.table(stages_table(e));
  }
  if (!pipeline_facts(e).empty()) {
    page.heading("Data pipeline");
    page.facts(pipeline_facts(e));
  }
  show_assumptions(page, e);
  page.heading("Prices");
  page.facts(price_facts(report));
  return page.take();
}

}  // namespace trcost
