// SPDX-License-Identifier: Apache-2.0
#include "study/tco/tco.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cost/ownership.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "report/about/documents.h"
#include "report/page/estimate_tables.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "report/workbook/calculation.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

std::string pricing_title(std::string_view pricing) {
  if (pricing == "own") return "bought";
  if (pricing == "reserved-1y") return "1-year terms";
  return pricing == "reserved-3y" ? "3-year terms" : "on demand";
}

std::string pricing_phrase(std::string_view pricing) {
  if (pricing == "own") return "if you buy them";
  if (pricing == "reserved-1y") return "in 1-year terms";
  return pricing == "reserved-3y" ? "in 3-year terms" : "on demand";
}

std::string years_words(double years) {
  return fmt::format("{:.3g} year{}", years, years == 1 ? "" : "s");
}

std::string money_range(const Quantiles& q) {
  return fmt::format("{}-{}", rough_money(q.p10), rough_money(q.p90));
}

// The cheapest row with a total, of all rows or of one accelerator. Null if there is none.
const TcoRow* cheapest_row(const TcoReport& report, std::string_view accelerator = {}) {
  const bool served = accelerator.empty() && !report.request.serve.empty();
  const auto cost = [&](const TcoRow& row) { return served ? row.per_million_tokens : row.total; };
  const TcoRow* best = nullptr;
  for (const TcoRow& row : report.rows) {
    if (!accelerator.empty() && row.accelerator != accelerator) continue;
    if (cost(row) && (best == nullptr || *cost(row) < *cost(*best))) best = &row;
  }
  return best;
}

const TcoRow* find_tco_row(const TcoReport& report, std::string_view accelerator,
                           std::string_view pricing) {
  const auto at = std::ranges::find_if(report.rows, [&](const TcoRow& row) {
    return row.accelerator == accelerator && row.pricing == pricing && row.total;
  });
  return at == report.rows.end() ? nullptr : &*at;
}

std::vector<std::string> tco_accelerators(const TcoReport& report) {
  std::vector<std::string> out;
  for (const TcoRow& row : report.rows) {
    if (out.empty() || out.back() != row.accelerator) out.push_back(row.accelerator);
  }
  return out;
}

std::string against_on_demand(const TcoReport& report, const TcoRow& best) {
  const TcoRow* rent = find_tco_row(report, best.accelerator, "on-demand");
  if (rent == nullptr || rent == &best) return {};
  return fmt::format(" That is {:.0f}% less than on demand.",
                     100 * (1 - *best.total / *rent->total));
}

// The answer in a sentence or two.
std::string tco_answer(const TcoReport& report) {
  const std::vector<std::string> names = tco_accelerators(report);
  const TcoRow& best = *cheapest_row(report);
  const std::string fleet =
      fmt::format("{} GPUs for {}", grouped(report.gpus, 0), years_words(best.years));
  if (!report.request.serve.empty() && best.per_million_tokens) {
    return fmt::format(
        "Serving {} with {} costs least on {} {}: about {} per million tokens in and out, {} in "
        "all.",
        report.request.serve, fleet, best.title, pricing_phrase(best.pricing),
        short_money(*best.per_million_tokens), rough_money(*best.total));
  }
  if (names.size() == 1) {
    return fmt::format(
        "{} {} for {} cost least {}: about {}. The cost is 80% likely to be between "
        "{} and {}.{}",
        grouped(report.gpus, 0), best.title, years_words(best.years), pricing_phrase(best.pricing),
        mark_imputed(rough_money(*best.total), best.price_imputed), rough_money(best.range->p10),
        rough_money(best.range->p90), against_on_demand(report, best));
  }
  std::map<std::string_view, int> wins;
  for (const std::string& name : names) {
    if (const TcoRow* row = cheapest_row(report, name)) ++wins[row->pricing];
  }
  const auto most =
      std::ranges::max_element(wins, {}, [](const auto& each) { return each.second; });
  const std::string chips = static_cast<std::size_t>(most->second) == names.size()
                                ? fmt::format("each of the {}", names.size())
                                : fmt::format("{} of {}", most->second, names.size());
  return fmt::format(
      "{} cost least {}, on {} chips. The lowest total is {} for {} {}. Chips differ in speed: "
      "--serve MODEL or `trcost estimate` compares them for the same work.",
      fleet, pricing_phrase(most->first), chips,
      mark_imputed(rough_money(*best.total), best.price_imputed), best.title,
      pricing_phrase(best.pricing));
}

// The volume from which a row costs less than the API.
Cell api_cell(const TcoRow& row) {
  if (!row.per_million_tokens) return Cell::unknown();
  if (!row.break_even_tokens_per_day) return Cell("never");
  const double volume = *row.break_even_tokens_per_day;
  if (volume == 0) return Cell("any volume");
  return Cell::number(volume, format_number(volume, NumberKind::count) + "/day");
}

// All rows. Money per million tokens appears if a model is served.
Table tco_table(const TcoReport& report) {
  const bool served = !report.request.serve.empty();
  std::vector<TableColumn> columns = {{"platform"},
                                      {"pricing"},
                                      number_column("total", "", Overflow::keep, true),
                                      number_column("80% range"),
                                      number_column("$/used h", "", Overflow::drop),
                                      number_column("first month", "", Overflow::drop),
                                      number_column("break-even", "", Overflow::drop)};
  if (served) columns.push_back(number_column("$/M in+out"));
  if (report.request.api_usd_per_million) columns.push_back(number_column("beats API from"));
  Table table(columns);
  std::string_view before;
  for (const TcoRow& row : report.rows) {
    if (!before.empty() && before != row.accelerator) table.add_rule();
    const bool first = before != row.accelerator;
    before = row.accelerator;
    const TcoRow* best = cheapest_row(report, row.accelerator);
    const Cell total = money_cell(row.total, row.price_imputed);
    std::vector<Cell> cells = {
        first ? Cell(row.title) : Cell(""),
        pricing_title(row.pricing),
        best == &row ? total.strong() : total,
        row.range ? Cell(money_range(*row.range)) : Cell::unknown(),
        money_cell(row.per_gpu_hour, row.price_imputed),
        money_cell(row.cash, row.price_imputed),
        row.break_even_utilization && *row.break_even_utilization > 1
            ? Cell("never")
            : Cell::number(row.break_even_utilization, NumberKind::fraction, 2)};
    if (row.pricing == "on-demand") cells.back() = Cell("");
    if (served) cells.push_back(money_cell(row.per_million_tokens, row.price_imputed));
    if (report.request.api_usd_per_million) {
      cells.push_back(api_cell(row));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

// The parts of owning, one row per accelerator.
Table owning_table(const TcoReport& report) {
  std::vector<TableColumn> columns = {{"platform"}};
  // Parts that cost nothing anywhere, such as support that was not asked for, have no column.
  std::vector<std::string> names;
  for (const TcoRow& row : report.rows) {
    if (row.pricing != "own" || !row.total) continue;
    for (const auto& part : row.items) {
      const std::string name(part.name);
      if (part.usd == 0 || std::ranges::find(names, name) != names.end()) continue;
      names.push_back(name);
      columns.push_back(number_column(name));
    }
  }
  columns.push_back(number_column("total", "", Overflow::keep, true));
  Table table(columns);
  for (const TcoRow& row : report.rows) {
    if (row.pricing != "own" || !row.total) continue;
    std::vector<Cell> cells = {row.title};
    for (const std::string& name : names) {
      const auto part = std::ranges::find(row.items, name, &cost::LifetimePart::name);
      const double usd = part == row.items.end() ? 0 : part->usd;
      cells.push_back(Cell::number(usd, (usd < 0 ? "-" : "") + rough_money(std::abs(usd))));
    }
    cells.push_back(money_cell(row.total).strong());
    table.add_row(std::move(cells));
  }
  return table;
}

std::vector<Fact> tco_defaults(const TcoReport& report) {
  const Scenario& s = report.request.scenario;
  std::vector<Fact> facts;
  const auto add = [&](Field field, std::string text) {
    facts.push_back({std::string(field_info(field).flag), std::move(text)});
  };
  if (!s.has(Field::cost_utilization)) {
    add(Field::cost_utilization, fmt::format("{:.0f}% of the hours are used. Bought and reserved "
                                             "machines are paid for when idle, too",
                                             100 * report.utilization));
  }
  if (!report.request.serve.empty()) {
    facts.push_back({"--serve",
                     "requests of 1,024 tokens in and 1,024 out, at the largest batch that gives "
                     "each user 5 tokens/s. `trcost serve` has other speeds and lengths"});
  }
  if (report.request.price_growth == 0) {
    facts.push_back(
        {"--price-growth",
         "none. Rents of H100, A100 and B200 rose by a third to a half in the last year"});
  }
  if (const double years = report.request.years; years != 3 * std::ceil(years / 3)) {
    facts.push_back({"--years", "terms are paid in whole, also beyond these years"});
  }
  if (!s.has(Field::cost_purchase_price) && !s.has(Field::cost_node_price)) {
    add(Field::cost_node_price,
        "the newest quote of a whole machine, plus a network of 23% of its price");
  }
  if (!s.has(Field::cost_depreciation)) {
    const double left = portable_exp(-cost::kDepreciationPerYear * report.request.years);
    add(Field::cost_depreciation,
        fmt::format("28% a year: after {} a machine sells for {:.0f}% of its price",
                    years_words(report.request.years), 100 * left));
  }
  if (s.has(Field::cost_price_per_gpu_hour) || s.has(Field::cost_prices)) {
    add(Field::cost_price_per_gpu_hour,
        "the price on demand alone. Terms keep the prices of the book");
  }
  if (!s.has(Field::cost_capital_rate)) {
    add(Field::cost_capital_rate, fmt::format("{:.0f}% a year on the value of the machines",
                                              100 * default_number(Field::cost_capital_rate)));
  }
  if (!s.has(Field::cost_colocation)) {
    add(Field::cost_colocation, fmt::format("{} per kW and month for space and cooling",
                                            rough_money(default_number(Field::cost_colocation))));
  }
  return facts;
}

std::vector<std::string> tco_warnings(const TcoReport& report) {
  std::vector<std::string> lines = report.warnings;
  for (const TcoRow& row : report.rows) {
    if (!row.problem.empty()) {
      lines.push_back(fmt::format("{} {}: {}", row.title, pricing_title(row.pricing), row.problem));
    }
  }
  for (const auto& failure : report.failures) lines.push_back(failure_line(failure));
  return lines;
}

Page tco_page(const TcoReport& report) {
  Page page{"Rent or buy", made_by(report.price_data_date), {}};
  page.titled = false;
  page.add(Paragraph{tco_answer(report), Ink::good});
  page.add(Heading{
      fmt::format("{} GPUs for {}", grouped(report.gpus, 0), years_words(report.request.years)),
      "break-even: utilization above which it beats on demand"});
  page.add(Grid{tco_table(report)});
  page.add(Heading{"Defaults that matter most"});
  page.add(Facts{tco_defaults(report)});
  page.add(Paragraph{
      fmt::format("Prices of {}. {}More: --details.", report.price_data_date, currency_words()),
      Ink::dim});
  page.add(Warnings{tco_warnings(report), true});
  if (const Table owning = owning_table(report); !owning.rows().empty()) {
    page.add(Heading{.text = "Cost of owning, by part",
                     .note = "the resale value is subtracted",
                     .detail = true});
    page.add(Grid{owning, true});
  }
  return page;
}

// A column per row of the answer: rent = GPUs x paid hours x price x growth, or the parts of
// owning.
Calculation tco_calculation(const TcoReport& report) {
  using Place = Calculation::Place;
  Calculation sheet;
  sheet.name = "Total";
  sheet.notes = {"Change a marked cell: rents, parts of owning and totals follow."};
  std::vector<const TcoRow*> rows;
  for (const TcoRow& row : report.rows) {
    if (!row.total) continue;
    rows.push_back(&row);
    sheet.columns.push_back(fmt::format("{}, {}", row.title, pricing_title(row.pricing)));
  }
  const std::size_t gpus = sheet.add("GPUs", "", NumberKind::integer);
  const std::size_t price = sheet.add("price of the rent", "USD/GPU-hour", NumberKind::money);
  const std::size_t hours = sheet.add("paid hours of a GPU, with growth of the price", "h");
  std::vector<std::size_t> parts, amounts;
  std::vector<std::string_view> names = {"servers", "network", "resale", "capital",
                                         "space",   "energy",  "support"};
  for (const std::string_view name : names) {
    parts.push_back(sheet.add(fmt::format("{} of a GPU", name), "USD", NumberKind::money));
  }
  const std::size_t rent = sheet.add("rent", "USD", NumberKind::money);
  for (const std::string_view name : names) {
    amounts.push_back(sheet.add(std::string(name), "USD", NumberKind::money));
  }
  const std::size_t total = sheet.add("total", "USD", NumberKind::money);
  sheet.lines[total].strong = true;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const TcoRow& row = *rows[c];
    sheet.set({gpus, c}, Calculation::Given{row.gpus, true});
    Calculation::Sum sum;
    if (row.pricing != "own") {
      const double paid = *row.total / row.gpus / *row.price_per_gpu_hour;
      sheet.set({price, c}, Calculation::Given{row.price_per_gpu_hour, true});
      sheet.set({hours, c}, Calculation::Given{paid, true});
      sheet.set({rent, c}, Calculation::Product{1, {{{gpus, c}}, {{price, c}}, {{hours, c}}}});
      sum.parts.push_back({rent, c});
    } else {
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto item = std::ranges::find(row.items, names[i], &cost::LifetimePart::name);
        sheet.set({parts[i], c}, Calculation::Given{item->usd / row.gpus, true});
        sheet.set({amounts[i], c}, Calculation::Product{1, {{{gpus, c}}, {{parts[i], c}}}});
        sum.parts.push_back({amounts[i], c});
      }
    }
    sheet.set({total, c}, sum);
    check_figure(sheet, Place{total, c}, row.total);
  }
  for (const TcoRow* row : rows) {
    sheet.sources.push_back(
        {fmt::format("{}, {}", row->title, pricing_title(row->pricing)), row->source});
  }
  return sheet;
}

}  // namespace

Document tco_document(const TcoReport& report) {
  Document document = document_of(kTco, report, [&report] { return tco_page(report); });
  document.budget = [&report] { return tco_calculation(report); };
  document.scenario = report.scenario;
  return document;
}

}  // namespace trcost::report
