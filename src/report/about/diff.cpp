// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/about/documents.h"
#include "study/diff/diff.h"

namespace trcost::report {

namespace {

std::string shown(const DiffRow& row, const DiffValue& value) {
  if (!value.known) return "n/a";
  return value.number ? format_number(*value.number, row.display, 4) : value.text;
}

std::string change_words(const DiffRow& row) {
  const std::optional<double> change = row.change();
  return change ? fmt::format("{:+.1f}%", 100 * *change) : "";
}

std::string platform_name(const DiffPlatform& platform) {
  if (platform.before.empty()) return platform.after + " (only in the second)";
  if (platform.after.empty()) return platform.before + " (only in the first)";
  if (platform.before == platform.after) return platform.before;
  return platform.before + " -> " + platform.after;
}

Table rows_table(const std::vector<DiffRow>& rows, bool everything) {
  Table table({{"what"},
               {"before", "", Align::right},
               {"after", "", Align::right},
               {"change", "", Align::right}});
  for (const DiffRow& row : rows) {
    if (!row.main && !everything) continue;
    table.add_row({row.path, shown(row, row.before), shown(row, row.after), change_words(row)});
  }
  return table;
}

std::size_t hidden_rows(const std::vector<DiffRow>& rows, bool everything) {
  std::size_t hidden = 0;
  for (const DiffRow& row : rows) hidden += row.main || everything ? 0 : 1;
  return hidden;
}

std::string total_sentence(const DiffPlatform& platform) {
  const DiffRow& total = platform.total;
  std::string out =
      fmt::format("total {} -> {}", shown(total, total.before), shown(total, total.after));
  if (const auto change = total.change()) out += fmt::format(" ({:+.1f}%)", 100 * *change);
  return out;
}

Page page_of(const DiffReport& report) {
  Page page{"Difference", fmt::format("{} -> {}", report.a, report.b), {}};
  if (report.result.same()) page.add(Paragraph{"nothing differs"});
  if (!report.result.inputs.empty()) {
    page.add(Heading{"Inputs"}).add(Grid{rows_table(report.result.inputs, true)});
  }
  for (const DiffPlatform& platform : report.result.platforms) {
    page.add(Heading{platform_name(platform), total_sentence(platform)});
    page.add(Grid{rows_table(platform.figures, report.everything)});
    if (const std::size_t hidden = hidden_rows(platform.figures, report.everything)) {
      page.add(
          Paragraph{fmt::format("{} more figures differ: --all shows them", hidden), Ink::dim});
    }
    if (platform.items.empty()) continue;
    page.add(Heading{"Line items"}).add(Grid{rows_table(platform.items, true)});
  }
  return page;
}

}  // namespace

Document diff_document(const DiffReport& report) {
  return document_of(kDiff, report, [&report] { return page_of(report); });
}

}  // namespace trcost::report
