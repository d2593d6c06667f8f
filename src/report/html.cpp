// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/document_head.h"
#include "report/markup.h"
#include "report/sections.h"
#include "report/wording.h"
#include "trcost/bill.h"

namespace trcost {
namespace {

std::string heading(std::string_view title) {
  return "<h2>" + html_escape(title) + "</h2>\n";
}

std::string paragraph(std::string_view text) {
  return "<p class=\"note\">" + html_escape(text) + "</p>\n";
}

std::string fact_list(const std::vector<Fact>& facts) {
  if (facts.empty()) return {};
  std::string out = "<table><tbody>\n";
  for (const Fact& fact : facts) {
    out += "<tr><th>" + html_escape(fact.label) + "</th><td>" + html_escape(fact.text) +
           "</td></tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string section(std::string_view title, const Table& table) {
  return table.rows().empty() ? std::string() : heading(title) + html_table(table);
}

constexpr int kChartLabel = 180;  // pixels
constexpr int kChartBars = 500;
constexpr int kChartValue = 230;
constexpr int kRowHeight = 24;

std::string svg_open(std::size_t rows, std::string_view title) {
  const int width = kChartLabel + kChartBars + kChartValue;
  const int height = static_cast<int>(rows) * kRowHeight;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" "
      "viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n",
      html_escape(title), width, height, width, height);
}

std::string svg_text(int x, int row, std::string_view text) {
  constexpr int kBaseline = 16;
  return fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, row * kRowHeight + kBaseline,
                     html_escape(text));
}

// One horizontal bar per row, from `from` to `to` of the full width (0..1).
std::string svg_bar(int row, double from, double to, std::string_view fill) {
  const double x = kChartLabel + std::clamp(from, 0.0, 1.0) * kChartBars;
  const double width = std::max((std::clamp(to, 0.0, 1.0) - std::clamp(from, 0.0, 1.0)), 0.0);
  return fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n",
                     x, row * kRowHeight + 5, width * kChartBars, kRowHeight - 10, fill);
}

std::string range_chart(const Report& report) {
  double most = 0;
  std::size_t rows = 0;
  for (const Estimate& e : report.estimates) {
    if (!e.range.total_usd) continue;
    most = std::max(most, e.range.total_usd->p90);
    ++rows;
  }
  if (!(most > 0)) return {};
  std::string out = heading("Range of the total: P10, median, P90");
  out += svg_open(rows, "Range of the total by platform");
  int row = 0;
  for (const Estimate& e : report.estimates) {
    if (!e.range.total_usd) continue;
    const Quantiles& q = *e.range.total_usd;
    constexpr double kMark = 0.003;  // half the width of the median's mark
    out += svg_text(0, row, e.accelerator);
    out += svg_bar(row, q.p10 / most, q.p90 / most, "#9ec5fe");
    out += svg_bar(row, q.p50 / most - kMark, q.p50 / most + kMark, "#0a3069");
    out += svg_text(
        kChartLabel + kChartBars + 10, row,
        fmt::format("{}, {}, {}", short_money(q.p10), short_money(q.p50), short_money(q.p90)));
    ++row;
  }
  return out + "</svg>\n";
}

std::string waterfall_chart(const Estimate& e) {
  const std::vector<WaterfallStep> steps = waterfall_steps(e);
  if (steps.empty()) return {};
  std::string out = heading("Where the peak goes: what is left of dense peak after each step");
  out += svg_open(steps.size() + 1, "What is left of dense peak after each step");
  out += svg_text(0, 0, "dense peak") + svg_bar(0, 0, 1, "#57606a");
  int row = 1;
  for (const WaterfallStep& step : steps) {
    out += svg_text(0, row, term_words(step.term));
    out += svg_bar(row, 0, step.left, "#54aeff");
    out += svg_bar(row, step.left, step.left / step.share, "#ffd8b5");
    out += svg_text(kChartLabel + kChartBars + 10, row,
                    fmt::format("keeps {:.1f}%, {:.1f}% left", step.share * 100, step.left * 100));
    ++row;
  }
  return out + "</svg>\n";
}

std::string memory_chart(const Estimate& e) {
  const std::vector<MemoryPart> parts = memory_parts(e.memory);
  std::string out = heading(fmt::format(
      "Memory of the fullest GPU: {} of {}{}", format_number(e.memory.total, NumberKind::bytes),
      format_number(e.memory.capacity, NumberKind::bytes), !e.memory.fits ? ", does not fit" : e.memory.tight ? ", tight" : ""));
  out += svg_open(parts.size(), "Memory by component");
  const double full = std::max(e.memory.capacity, e.memory.total);
  int row = 0;
  for (const MemoryPart& part : parts) {
    out += svg_text(0, row, part.name);
    out += svg_bar(row, 0, full > 0 ? part.bytes / full : 0, "#54aeff");
    out +=
        svg_text(kChartLabel + kChartBars + 10, row, format_number(part.bytes, NumberKind::bytes));
    ++row;
  }
  return out + "</svg>\n";
}

std::string estimate_sections(const Report& report) {
  const std::size_t best = cheapest_index(report.estimates);
  const Estimate& e = report.estimates[best];
  const bool several = report.estimates.size() > 1;
  std::string out = "<p class=\"answer\">" + html_escape(answer_sentence(report)) + "</p>\n";
  out += heading("The question") + fact_list(question_facts(report));
  out += section(several ? "Platforms side by side" : "The platform",
                 comparison_table(report.estimates, 0, report.estimates.size()));
  out += range_chart(report);
  out += heading(e.accelerator + " in detail") + fact_list(run_facts(e));
  out += section("Bill, US dollars", items_table(e)) + paragraph(kStaffNote);
  const std::string even = break_even_words(e.cost);
  if (!even.empty()) out += paragraph(even);
  const std::string drivers = contribution_words(e.range);
  if (!drivers.empty()) out += paragraph("The range is driven by: " + drivers);
  if (!e.range.method.empty()) out += paragraph("The range is by " + e.range.method);
  out += waterfall_chart(e) + memory_chart(e) + section("Stages", stages_table(e));
  if (!pipeline_facts(e).empty()) out += heading("Data pipeline") + fact_list(pipeline_facts(e));
  out += section("Assumptions", assumptions_table(e));
  return out + heading("Prices") + fact_list(price_facts(report));
}

}  // namespace

std::string render_html(const Report& report) {
  std::string body = "<h1>Training cost</h1>\n";
  body += report.estimates.empty() ? paragraph("No platform has an answer.")
                                   : estimate_sections(report);
  const std::vector<std::string> warnings = warning_lines(report);
  if (!warnings.empty()) {
    body += heading("Warnings") + "<ul class=\"warnings\">\n";
    for (const std::string& warning : warnings) body += "<li>" + html_escape(warning) + "</li>\n";
    body += "</ul>\n";
  }
  body += fmt::format("<footer>{}</footer>\n", html_escape(made_by(report.price_data_date)));
  return html_page("Training cost", body);
}

}  // namespace trcost
