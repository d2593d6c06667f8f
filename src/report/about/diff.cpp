// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "quantity/suggest.h"
#include "report/about/documents.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "scenario/fields.h"
#include "study/diff/diff.h"

namespace trcost::report {
namespace {

// Labels of figures whose column has a title for machines.
constexpr std::pair<std::string_view, std::string_view> kLabels[] = {
    {"model.params_total", "parameters"},
    {"model.params_active", "active parameters"},
    {"model.params_vision", "vision parameters"},
    {"model.params_trainable", "trained parameters"},
    {"tokens.total", "tokens"},
    {"tokens.vision", "vision tokens"},
    {"flops.model", "model FLOPs"},
    {"flops.hardware", "FLOPs with recomputation"},
    {"performance.step_seconds", "time of a step"},
    {"performance.goodput", "time without failures"},
    {"performance.production_overhead", "useful time"},
    {"wall_clock_seconds", "time"},
    {"cost.total", "cost"},
    {"range.total_usd.p10", "low (P10)"},
    {"range.total_usd.p90", "high (P90)"},
    {"range.total.p10", "low (P10)"},
    {"range.total.p90", "high (P90)"},
    {"per_gpu_hour", "$ per hour in use"},
    {"price_per_gpu_hour", "$ per GPU-hour"},
    {"dollars_per_gb", "$ per GB of memory"},
    {"first_month", "first month"},
    {"break_even_utilization", "use at break-even"},
};

// `MFU`, `cost total`, `wall clock`: the title of a column, or words of its path without the unit.
std::string label_of(std::string_view path) {
  for (const auto& [of, words] : kLabels) {
    if (of == path) return std::string(words);
  }
  if (const EstimateColumn* column = find_column(path)) {
    const std::string title = title_words(path, column->heading());
    const bool plain = title == "total" || title == "model";  // of tokens and FLOPs too
    if (!plain || path.starts_with("cost.")) return title;
  }
  constexpr std::string_view kUnits[] = {"_seconds", "_bytes", "_usd"};
  std::string out(path);
  for (const std::string_view unit : kUnits) {
    if (const std::size_t at = out.find(unit); at != std::string::npos) out.erase(at, unit.size());
  }
  std::ranges::replace(out, '.', ' ');
  std::ranges::replace(out, '_', ' ');
  return out;
}

// The flag of a scenario field, else words.
std::string input_label(std::string_view path) {
  if (path == "trcost_version") return "trcost";
  if (path == "price_data_date") return "newest price";
  const FieldInfo* field = find_field(path);
  return field == nullptr ? label_of(path) : std::string(field->flag);
}

std::string value_words(const DiffRow& row, const DiffValue& value) {
  if (!value.known) return "n/a";
  const bool cents =
      row.display == NumberKind::money && value.number && std::abs(*value.number) < 1;
  std::string text = cents          ? short_money(*value.number)
                     : value.number ? format_number(*value.number, row.display, 4)
                                    : value.text;
  if (row.display == NumberKind::count && row.unit == "GPU-hour") text += " GPU-hours";
  if (row.unit == "kWh") text += " kWh";
  if (value.is_default) text += " (default)";
  return mark_imputed(std::move(text), value.is_estimated);
}

constexpr std::string_view kSame = "same";

std::string change_words(const DiffRow& row) {
  constexpr double kMostPercent = 1e6;  // beyond, digits say nothing
  constexpr double kLeast = 0.0005;
  const std::optional<double> change = row.change();
  if (!change) return "";
  if (std::abs(*change) < kLeast) return std::string(kSame);
  if (row.display == NumberKind::fraction) {
    return fmt::format("{:+.1f} points", 100 * (*row.after.number - *row.before.number));
  }
  if (std::abs(*change) > kMostPercent / 100) return *change > 0 ? ">1e6%" : "<-1e6%";
  return fmt::format("{:+.1f}%", 100 * *change);
}

std::string platform_name(const DiffPlatform& platform) {
  if (platform.before.empty()) return platform.after + " (only after)";
  if (platform.after.empty()) return platform.before + " (only before)";
  if (platform.before == platform.after) return platform.before;
  return platform.before + " to " + platform.after;
}

// Settings without a known value are left to their defaults.
Table inputs_table(const std::vector<DiffRow>& rows) {
  Table table({{""}, number_column("before"), number_column("after"), number_column("change")});
  const auto words = [](const DiffRow& row, const DiffValue& value) {
    return value.known ? value_words(row, value) : std::string("default");
  };
  for (const DiffRow& row : rows) {
    table.add_row(
        {input_label(row.path), words(row, row.before), words(row, row.after), change_words(row)});
  }
  return table;
}

Table diff_table(const std::vector<DiffRow>& rows, bool everything,
                 const std::function<std::string(std::string_view)>& label) {
  Table table({{""}, number_column("before"), number_column("after"), number_column("change")});
  for (const DiffRow& row : rows) {
    if (!everything && (!row.main || change_words(row) == kSame)) continue;
    table.add_row({label(row.path), value_words(row, row.before), value_words(row, row.after),
                   change_words(row)});
  }
  return table;
}

std::string amount_words(const DiffRow& total, double value, bool estimated = false) {
  return mark_imputed(format_number(value, total.display, 4), estimated);
}

// A row per platform.
Table totals_table(const DiffResult& result) {
  Table table({{""},
               number_column("before"),
               number_column("after"),
               number_column("difference"),
               number_column("change")});
  for (const DiffPlatform& platform : result.platforms) {
    const DiffRow& total = platform.total;
    const bool both = total.before.number && total.after.number;
    const double change = both ? *total.after.number - *total.before.number : 0;
    table.add_row(
        {platform_name(platform), value_words(total, total.before), value_words(total, total.after),
         both && change != 0 ? (change < 0 ? "-" : "+") + amount_words(total, std::abs(change))
                             : std::string(),
         change_words(total)});
  }
  return table;
}

// The cheapest row of a result, or null if no total is known.
const DiffPlatform* cheapest(const DiffResult& result,
                             std::optional<RowRank> DiffPlatform::*which) {
  const DiffPlatform* best = nullptr;
  for (const DiffPlatform& platform : result.platforms) {
    const std::optional<RowRank>& rank = platform.*which;
    if (rank && (best == nullptr || *rank < *(best->*which))) best = &platform;
  }
  return best;
}

// `Training cost rises by $12k (+8.0%) on h100-sxm, from $150k to $162k.` Of several rows, the
// cheapest of each result.
std::string change_sentence(const DiffResult& result) {
  const DiffPlatform* first = cheapest(result, &DiffPlatform::before_rank);
  const DiffPlatform* last = cheapest(result, &DiffPlatform::after_rank);
  if (first == nullptr || last == nullptr) {
    return fmt::format("{} cannot be compared: a total is not known.", result.subject);
  }
  const double before = *first->total.before.number, after = *last->total.after.number;
  const std::string from = amount_words(first->total, before, first->total.before.is_estimated);
  const std::string to = amount_words(last->total, after, last->total.after.is_estimated);
  const std::string of = result.platforms.size() > 1 ? " of the cheapest platform" : "";
  if (before == after && first->before == last->after) {
    return fmt::format("{}{} stays at {} on {}.", result.subject, of, to, last->after);
  }
  DiffRow row = last->total;
  row.before = first->total.before;
  const std::string share = row.change() ? fmt::format(" ({})", change_words(row)) : "";
  const std::string verb = before == after ? "stays" : after > before ? "rises" : "falls";
  const std::string by =
      before == after ? "" : " by " + amount_words(row, std::abs(after - before)) + share;
  if (first->before == last->after) {
    return fmt::format("{}{} {}{} on {}, from {} to {}.", result.subject, of, verb, by, last->after,
                       from, to);
  }
  std::string text = fmt::format("{}{} {}{}, from {} on {} to {} on {}.", result.subject, of, verb,
                                 by, from, first->before, to, last->after);
  if (first->before == first->after && first->total.after.number) {
    text += fmt::format(
        " On {} alone it becomes {} ({}).", first->after,
        amount_words(first->total, *first->total.after.number, first->total.after.is_estimated),
        change_words(first->total));
  }
  return text;
}

// Names the rows of the second result that are cheaper than its cheapest, at less certain prices.
std::string less_certain_sentence(const DiffResult& result) {
  const DiffPlatform* best = cheapest(result, &DiffPlatform::after_rank);
  if (best == nullptr) return {};
  std::string cheaper;
  for (const DiffPlatform& each : result.platforms) {
    const std::optional<RowRank>& rank = each.after_rank;
    if (!rank || rank->unfit || rank->total >= best->after_rank->total) continue;
    quantity::append_item(
        cheaper, fmt::format("{} {} ({})", each.after,
                             amount_words(each.total, rank->total, each.total.after.is_estimated),
                             evidence_words(rank->evidence)));
  }
  return cheaper.empty() ? cheaper : " Cheaper at less certain prices: " + cheaper + ".";
}

// Explains the mark of estimated prices, and names the rate of another currency.
std::string diff_legend(const DiffResult& result) {
  const bool estimated = std::ranges::any_of(result.platforms, [](const DiffPlatform& each) {
    return each.total.before.is_estimated || each.total.after.is_estimated;
  });
  std::string text = estimated ? fmt::format("{} ", kImputedLegend) : std::string();
  text += currency_words();
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// Figures and line items of a row that both results have. Text shows those of the cheapest.
void add_details(const DiffReport& report, const DiffPlatform& platform, Page& page, bool in_text) {
  if (platform.figures.empty()) return;
  Heading heading{"Figures: " + platform_name(platform)};
  heading.folded = true;
  heading.detail = !in_text;
  page.add(heading).add(Grid{diff_table(platform.figures, report.everything, label_of)});
  const auto hidden = std::ranges::count(platform.figures, false, &DiffRow::main);
  if (hidden > 0 && !report.everything) {
    page.add(Paragraph{fmt::format("{} more figures differ (--all)", hidden), Ink::dim});
  }
  if (platform.items.empty()) return;
  heading.text = "Line items: " + platform_name(platform);
  page.add(heading).add(Grid{
      diff_table(platform.items, true, [](std::string_view path) { return std::string(path); })});
}

Page diff_page(const DiffReport& report) {
  constexpr std::size_t kMostDetailed = 12;
  const DiffResult& result = report.result;
  const bool same = result.same();
  const std::string sentence = same ? std::string("Nothing differs.")
                                    : change_sentence(result) + less_certain_sentence(result);
  Page page{sentence, fmt::format("before: {}, after: {}", report.a, report.b), {}};
  page.titled = false;
  Paragraph answer{sentence, Ink::good};
  answer.only_text = true;
  page.add(std::move(answer));
  Paragraph files{fmt::format("Before: {}. After: {}.", report.a, report.b), Ink::dim};
  files.only_text = true;
  page.add(std::move(files));
  if (same) return page;
  page.add(Grid{totals_table(result)});
  if (const std::string legend = diff_legend(result); !legend.empty()) {
    page.add(Paragraph{legend, Ink::dim});
  }
  if (!result.inputs.empty()) {
    page.add(Heading{"Settings that differ"}).add(Grid{inputs_table(result.inputs)});
  }
  if (result.platforms.size() > 1 && !report.everything) {
    Paragraph more{"--all prints the figures of every platform", Ink::dim};
    more.only_text = true;
    page.add(std::move(more));
  }
  const DiffPlatform* best = cheapest(result, &DiffPlatform::after_rank);
  const bool all = report.everything || best == nullptr;
  if (result.platforms.size() > kMostDetailed) return page;
  for (const DiffPlatform& platform : result.platforms) {
    add_details(report, platform, page, all || &platform == best);
  }
  return page;
}

}  // namespace

Document diff_document(const DiffReport& report) {
  return document_of(kDiff, report, [&report] { return diff_page(report); });
}

}  // namespace trcost::report
