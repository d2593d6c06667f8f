// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/document_head.h"
#include "report/markup.h"
#include "report/sections.h"
#include "report/wording.h"
#include "trcost/bill.h"

namespace trcost {
namespace {

void append_heading(std::string& out, std::string_view title) {
  out += "\n## " + markdown_escape(title) + "\n\n";
}

void append_facts(std::string& out, const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    out += "- **" + markdown_escape(fact.label) + "**: " + markdown_escape(fact.text) + "\n";
  }
}

void append_section(std::string& out, std::string_view title, const Table& table) {
  if (table.rows().empty()) return;
  append_heading(out, title);
  out += to_markdown(table);
}

}  // namespace

std::string render_markdown(const Report& report) {
  std::string out = "# Training cost\n\n";
  if (report.estimates.empty()) out += "No platform has an answer.\n";
  if (!report.estimates.empty()) {
    const std::size_t best = cheapest_index(report.estimates);
    const Estimate& e = report.estimates[best];
    const bool several = report.estimates.size() > 1;
    out += "**" + markdown_escape(answer_sentence(report)) + "**\n\n";
    append_facts(out, question_facts(report));
    append_section(out, several ? "Platforms side by side" : "The platform",
                   comparison_table(report.estimates, 0, report.estimates.size()));
    append_heading(out, e.accelerator + " in detail");
    append_facts(out, run_facts(e));
    append_section(out, "Bill", items_table(e));
    out += "\n" + markdown_escape(kStaffNote) + "\n";
    const std::string even = break_even_words(e.cost);
    if (!even.empty()) out += "\n" + markdown_escape(even) + "\n";
    append_section(out, "Range", range_table(report.estimates));
    const std::string drivers = contribution_words(e.range);
    if (!drivers.empty()) out += "\nDriven by: " + markdown_escape(drivers) + "\n";
    append_section(out, "Where the peak goes", waterfall_table(e));
    append_section(out, "Memory", memory_table(e));
    append_section(out, "Stages", stages_table(e));
    if (!pipeline_facts(e).empty()) append_heading(out, "Data pipeline");
    append_facts(out, pipeline_facts(e));
    append_section(out, "Assumptions", assumptions_table(e));
    append_heading(out, "Prices");
    append_facts(out, price_facts(report));
  }
  const std::vector<std::string> warnings = warning_lines(report);
  if (!warnings.empty()) append_heading(out, "Warnings");
  for (const std::string& warning : warnings) out += "- " + markdown_escape(warning) + "\n";
  out += "\n" + made_by(report.price_data_date) + "\n";
  return out;
}

}  // namespace trcost
