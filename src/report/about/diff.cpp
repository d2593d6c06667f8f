// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/about/documents.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "study/diff/diff.h"
#include "study/transfer/transfer.h"

namespace trcost::report {
namespace {

std::string value_words(const DiffRow& row, const DiffValue& value) {
  if (!value.known) return "n/a";
  return value.number ? format_number(*value.number, row.display, 4) : value.text;
}

std::string change_words(const DiffRow& row) {
  constexpr double kMostPercent = 1e6;  // beyond, digits say nothing
  const std::optional<double> change = row.change();
  if (!change) return "";
  if (std::abs(*change) > kMostPercent / 100) return *change > 0 ? ">1e6%" : "<-1e6%";
  return fmt::format("{:+.1f}%", 100 * *change);
}

std::string platform_name(const DiffPlatform& platform) {
  if (platform.before.empty()) return platform.after + " (only after)";
  if (platform.after.empty()) return platform.before + " (only before)";
  if (platform.before == platform.after) return platform.before;
  return platform.before + " -> " + platform.after;
}

Table diff_table(const std::vector<DiffRow>& rows, bool everything) {
  Table table(
      {{"field"}, number_column("before"), number_column("after"), number_column("change")});
  for (const DiffRow& row : rows) {
    if (!row.main && !everything) continue;
    table.add_row(
        {row.path, value_words(row, row.before), value_words(row, row.after), change_words(row)});
  }
  return table;
}

std::string total_sentence(const DiffPlatform& platform) {
  const DiffRow& total = platform.total;
  std::string out = fmt::format("total {} -> {}", value_words(total, total.before),
                                value_words(total, total.after));
  if (total.change()) out += fmt::format(" ({})", change_words(total));
  return out;
}

// `The cost on h100-sxm rises by $12k (+8.0%).`
std::string change_sentence(const DiffPlatform& platform) {
  const DiffRow& total = platform.total;
  if (!total.before.number || !total.after.number) return {};
  const double change = *total.after.number - *total.before.number;
  const std::string where = platform.before == platform.after
                                ? " on " + platform.after
                                : fmt::format(" from {} to {}", platform.before, platform.after);
  if (change == 0)
    return fmt::format("The cost{} stays at {}.", where, brief_money(*total.after.number));
  return fmt::format("The cost{} {} by {}{}.", where, change > 0 ? "rises" : "falls",
                     brief_money(std::abs(change)),
                     total.change() ? fmt::format(" ({})", change_words(total)) : std::string());
}

Page diff_page(const DiffReport& report) {
  Page page{"Difference", fmt::format("{} -> {}", report.a, report.b), {}};
  page.titled = false;
  page.add(Paragraph{fmt::format("{} -> {}", report.a, report.b), Ink::dim});
  if (report.result.same()) page.add(Paragraph{"Nothing differs.", Ink::good});
  for (const DiffPlatform& platform : report.result.platforms) {
    if (std::string sentence = change_sentence(platform); !sentence.empty()) {
      page.add(Paragraph{std::move(sentence), Ink::good});
    }
  }
  if (!report.result.inputs.empty()) {
    page.add(Heading{"Inputs"}).add(Grid{diff_table(report.result.inputs, true)});
  }
  for (const DiffPlatform& platform : report.result.platforms) {
    page.add(Heading{platform_name(platform), total_sentence(platform)});
    page.add(Grid{diff_table(platform.figures, report.everything)});
    const auto hidden = std::ranges::count(platform.figures, false, &DiffRow::main);
    if (hidden > 0 && !report.everything) {
      page.add(Paragraph{fmt::format("{} more figures differ (--all)", hidden), Ink::dim});
    }
    if (platform.items.empty()) continue;
    page.add(Heading{"Line items"}).add(Grid{diff_table(platform.items, true)});
  }
  return page;
}

}  // namespace

Document diff_document(const DiffReport& report) {
  return document_of(kDiff, report, [&report] { return diff_page(report); });
}

}  // namespace trcost::report
