// SPDX-License-Identifier: Apache-2.0
#include "study/tco/tco.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/ownership.h"
#include "estimate/columns/estimate_columns.h"
#include "quantity/currency.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "report/about/documents.h"
#include "report/about/tco_budget.h"
#include "report/page/estimate_tables.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

std::string pricing_phrase(std::string_view pricing) {
  if (pricing == "own") return "if you buy them";
  if (pricing == "reserved-1y") return "in 1-year terms";
  return pricing == "reserved-3y" ? "in 3-year terms" : "on demand";
}

// `buying`, or `renting in 1-year terms`.
std::string pricing_gerund(std::string_view pricing) {
  return pricing == "own" ? "buying" : "renting " + pricing_phrase(pricing);
}

std::string years_words(double years) {
  return fmt::format("{:.3g} year{}", years, years == 1 ? "" : "s");
}

std::string money_range(const Quantiles& q) {
  return fmt::format("{}-{}", rough_money(q.p10), rough_money(q.p90));
}

// Figure by which rows are ranked: the total, or the price of tokens if a model is served.
std::optional<double> ranked_cost(const TcoReport& report, const TcoRow& row) {
  return report.request.serve.empty() ? row.total : row.per_million_tokens;
}

// The row of a chip with the lowest total, whatever the evidence of its price. Null if it has none.
const TcoRow* cheapest_row(const TcoReport& report, std::string_view chip) {
  const TcoRow* best = nullptr;
  for (const TcoRow& row : report.rows) {
    if (row.accelerator != chip || !ranked_cost(report, row)) continue;
    if (best == nullptr || *ranked_cost(report, row) < *ranked_cost(report, *best)) best = &row;
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

// The row of the answer: the cheapest of the only chip, or of several chips the cheapest with the
// best evidence of its price. Null if no row has a total.
const TcoRow* answer_row(const TcoReport& report) {
  const std::vector<std::string> chips = tco_accelerators(report);
  if (chips.size() == 1) return cheapest_row(report, chips.front());
  const TcoRow* best = nullptr;
  const auto rank = [&](const TcoRow& row) {
    return std::pair(row.evidence(), *ranked_cost(report, row));
  };
  for (const TcoRow& row : report.rows) {
    if (!ranked_cost(report, row)) continue;
    if (best == nullptr || rank(row) < rank(*best)) best = &row;
  }
  return best;
}

// `at 80% utilization and a purchase price of March 2025`. Rents have a date if they are old.
std::string condition_words(const TcoReport& report, const TcoRow& row) {
  std::string text = fmt::format("at {:.0f}% utilization", 100 * report.utilization);
  if (row.date.empty()) return text;
  if (row.owned()) return text + " and a purchase price of " + months_words(row.date);
  return row.doubts.stale ? text + " and a price of " + months_words(row.date) : text;
}

std::string total_words(const TcoRow& row) {
  return mark_imputed(rough_money(*row.total), row.doubts.imputed);
}

// `, 51% less than on demand`, or nothing.
std::string against_on_demand(const TcoReport& report, const TcoRow& best) {
  const TcoRow* rent = find_tco_row(report, best.accelerator, "on-demand");
  if (rent == nullptr || rent == &best || *best.total >= *rent->total) return {};
  return fmt::format(", {:.0f}% less than on demand", 100 * (1 - *best.total / *rent->total));
}

// Says that the price of the answer is uncertain, and what is cheapest without it.
std::string uncertain_price_words(const TcoReport& report, const TcoRow& best) {
  if (best.evidence() == PriceEvidence::quotes) return {};
  const TcoRow* other = nullptr;
  for (const TcoRow& row : report.rows) {
    if (!ranked_cost(report, row) || row.evidence() >= best.evidence()) continue;
    if (other == nullptr || *ranked_cost(report, row) < *ranked_cost(report, *other)) other = &row;
  }
  std::string text = fmt::format(" Only {} quotes this price.", best.provider);
  if (best.evidence() == PriceEvidence::estimated) text = " This price is estimated.";
  if (best.evidence() == PriceEvidence::old) text = " This price is old.";
  if (other == nullptr) return text;
  return text + fmt::format(" Without it, {} is cheapest: {}.", pricing_gerund(other->pricing),
                            total_words(*other));
}

// Names the cheapest row with less evidence of its price, if it is cheaper.
std::string cheaper_doubtful_words(const TcoReport& report, const TcoRow& best) {
  const TcoRow* other = nullptr;
  for (const TcoRow& row : report.rows) {
    if (!ranked_cost(report, row) || row.evidence() <= best.evidence()) continue;
    if (other == nullptr || *ranked_cost(report, row) < *ranked_cost(report, *other)) other = &row;
  }
  if (other == nullptr || *ranked_cost(report, *other) >= *ranked_cost(report, best)) return {};
  std::string price = "one seller's price";
  if (other->evidence() == PriceEvidence::estimated) price = "an estimated price";
  if (other->evidence() == PriceEvidence::old) price = "a price of " + months_words(other->date);
  return fmt::format(" Cheaper at {}: {} for {} {}.", price, total_words(*other), other->title,
                     pricing_phrase(other->pricing));
}

// `buying is cheapest on all 5 chips`, or what is cheapest on which chip if no way wins most.
std::string cheapest_way_words(const TcoReport& report, const std::vector<std::string>& names) {
  std::map<std::string_view, std::vector<std::string>> wins;  // pricing, chips
  std::size_t chips = 0;
  for (const std::string& name : names) {
    const TcoRow* row = cheapest_row(report, name);
    if (row == nullptr) continue;
    wins[row->pricing].push_back(row->title);
    ++chips;
  }
  const auto count = [](const auto& each) { return each.second.size(); };
  const auto most = std::ranges::max_element(wins, {}, count);
  const bool tie = std::ranges::count(wins, most->second.size(), count) > 1;
  if (!tie) {
    return fmt::format("{} is cheapest on {} chips", pricing_gerund(most->first),
                       count(*most) != chips ? fmt::format("{} of {}", count(*most), chips)
                       : chips == 2          ? std::string("both")
                                             : fmt::format("all {}", chips));
  }
  std::string text = "the cheapest way differs by chip:";
  for (const auto& [pricing, titles] : wins) {
    text += fmt::format("{} {} for {}", text.ends_with(':') ? "" : ",", pricing_gerund(pricing),
                        titles.front());
    if (titles.size() > 1) text += fmt::format(" and {} more", titles.size() - 1);
  }
  return text;
}

// The answer in a few sentences.
std::string tco_answer(const TcoReport& report) {
  const std::vector<std::string> names = tco_accelerators(report);
  const TcoRow* cheapest = answer_row(report);
  // Without an answer for the served model the totals are still comparable.
  if (cheapest == nullptr) {
    return fmt::format("One copy of {} needs more than {} GPUs.", report.request.serve,
                       grouped(report.gpus, 0));
  }
  const TcoRow& best = *cheapest;
  const std::string fleet =
      fmt::format("{} GPUs over {}", grouped(report.gpus, 0), years_words(best.years));
  if (!report.request.serve.empty()) {
    return fmt::format(
               "To serve {} with {}, {} is cheapest: about {} per million tokens in and out on "
               "{}, {} in all, {}.",
               report.request.serve, fleet, pricing_gerund(best.pricing),
               mark_imputed(short_money(*best.per_million_tokens), best.doubts.imputed), best.title,
               total_words(best), condition_words(report, best)) +
           uncertain_price_words(report, best) + cheaper_doubtful_words(report, best);
  }
  if (names.size() == 1) {
    return fmt::format(
               "For {} {} over {}, {} is cheapest: about {} {}{}. The total is 80% likely to be "
               "between {} and {}.",
               grouped(report.gpus, 0), best.title, years_words(best.years),
               pricing_gerund(best.pricing), total_words(best), condition_words(report, best),
               against_on_demand(report, best), rough_money(best.range->p10),
               rough_money(best.range->p90)) +
           uncertain_price_words(report, best);
  }
  const std::string cheaper = cheaper_doubtful_words(report, best);
  return fmt::format(
      "For {}, {}. The lowest total{} is {} for {} {}, {}.{}{} Chips differ in speed: "
      "`trcost estimate` compares them.",
      fleet, cheapest_way_words(report, names), cheaper.empty() ? "" : " at more certain prices",
      total_words(best), best.title, pricing_phrase(best.pricing), condition_words(report, best),
      uncertain_price_words(report, best), cheaper);
}

// `$250,000`: a price as it was typed.
std::string whole_money(double usd) {
  const Currency& currency = shown_currency();
  return currency.sign + grouped(usd * currency.per_usd, 0);
}

// Machines bought, and what is paid and comes back over the years.
std::vector<std::string> purchase_sentences(const TcoRow& row) {
  const TcoPurchase& purchase = *row.purchase;
  const auto usd = [&](std::string_view part) {
    const auto at = std::ranges::find(row.items, part, &cost::LifetimePart::name);
    return at == row.items.end() ? 0 : at->usd;
  };
  std::vector<std::string> out;
  out.push_back(fmt::format("Purchase: {} machine{} of {:g} GPU{} x {}, and {} for the network.",
                            grouped(purchase.machines, 0), purchase.machines == 1 ? "" : "s",
                            purchase.gpus_per_machine, purchase.gpus_per_machine == 1 ? "" : "s",
                            whole_money(purchase.usd_per_machine), rough_money(usd("network"))));
  const double resale = row.resale.value_or(0), capital = usd("capital");
  std::string cash = fmt::format("Over {} you pay {}", years_words(row.years),
                                 rough_money(*row.total + resale - capital));
  cash += fmt::format(", {} of it in the first month", rough_money(*row.cash));
  if (resale > 0) cash += fmt::format(", and get {} back from resale", rough_money(resale));
  out.push_back(cash + ".");
  if (capital > 0) {
    out.push_back(fmt::format("The total counts {} as cost of capital.", rough_money(capital)));
  }
  return out;
}

// Names the least resale with which buying beats renting. Empty if none is needed.
std::string needed_resale_sentence(const TcoReport& report, const TcoRow& best) {
  const TcoRow* rent = find_tco_row(report, best.accelerator, "on-demand");
  if (!best.purchase || !best.resale || rent == nullptr || !rent->total) return {};
  const double needed = *best.resale - (*rent->total - *best.total);
  if (needed <= 0) return {};
  return fmt::format("It does so only if the machines sell for {} or more.", rough_money(needed));
}

// Says that a term saves nothing, where it is paid for hours in which nobody uses it.
std::string idle_term_sentence(const TcoReport& report, const TcoRow& best) {
  constexpr double kSaves = 0.98;
  const TcoRow* rent = find_tco_row(report, best.accelerator, "on-demand");
  const TcoRow* term = find_tco_row(report, best.accelerator, "reserved-1y");
  if (rent == nullptr || term == nullptr || !rent->total || !term->total) return {};
  if (!term->price_per_gpu_hour || *term->total < kSaves * *rent->total) return {};
  const double more = *term->total - *rent->total;
  return fmt::format("At {:.0f}% utilization 1-year terms {}: {} an hour is paid when idle too.",
                     100 * report.utilization,
                     more > (1 - kSaves) * *rent->total
                         ? fmt::format("cost {} more than on demand", rough_money(more))
                         : std::string("save nothing"),
                     mark_imputed(unit_money(*term->price_per_gpu_hour), term->doubts.imputed));
}

// Cash, purchase and break-even of the cheapest row.
std::vector<std::string> cash_sentences(const TcoReport& report, const TcoRow& best) {
  std::vector<std::string> out;
  if (best.purchase) {
    out = purchase_sentences(best);
  } else {
    out.push_back(fmt::format("You pay {} in the first month.",
                              mark_imputed(rough_money(*best.cash), best.doubts.imputed)));
  }
  const TcoRow* own = find_tco_row(report, best.accelerator, "own");
  if (own != nullptr && own->break_even_utilization) {
    const double share = *own->break_even_utilization;
    const TcoPurchase& bought = *own->purchase;
    const bool idle = bought.machines * bought.gpus_per_machine > report.gpus;
    const std::string whole =
        idle ? fmt::format(", since machines of {:g} GPUs are sold whole", bought.gpus_per_machine)
             : std::string();
    out.push_back(share > 1
                      ? fmt::format("Renting on demand beats buying at any utilization{}.", whole)
                      : fmt::format("Buying beats renting on demand if the GPUs are in use more "
                                    "than {:.0f}% of the time.",
                                    100 * share));
  }
  if (std::string resale = needed_resale_sentence(report, best); !resale.empty()) {
    out.push_back(std::move(resale));
  }
  if (std::string idle = idle_term_sentence(report, best); !idle.empty()) {
    out.push_back(std::move(idle));
  }
  return out;
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
  if (report.request.api_usd_per_million) columns.push_back(number_column("beats API"));
  Table table(columns);
  std::string_view before;
  for (const TcoRow& row : report.rows) {
    const bool first = before != row.accelerator;
    before = row.accelerator;
    const TcoRow* best = cheapest_row(report, row.accelerator);
    const Cell total = money_cell(row.total, row.doubts.imputed);
    std::vector<Cell> cells = {
        first ? Cell(row.title) : Cell(""),
        pricing_title(row.pricing),
        best == &row ? total.strong() : total,
        row.range ? Cell(money_range(*row.range)) : Cell::unknown(),
        money_cell(row.per_gpu_hour, row.doubts.imputed),
        money_cell(row.cash, row.doubts.imputed),
        row.break_even_utilization && *row.break_even_utilization > 1
            ? Cell("never")
            : Cell::number(row.break_even_utilization, NumberKind::fraction, 2)};
    if (row.pricing == "on-demand") cells.back() = Cell("");
    if (served) cells.push_back(money_cell(row.per_million_tokens, row.doubts.imputed));
    if (report.request.api_usd_per_million) {
      cells.push_back(api_cell(row));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

// The parts of owning by row, a column per accelerator. Parts that cost nothing anywhere, such as
// support that was not asked for, have no row.
Table owning_table(const TcoReport& report) {
  std::vector<TableColumn> columns = {{"part"}};
  std::vector<const TcoRow*> owned;
  for (const TcoRow& row : report.rows) {
    if (!row.owned() || !row.total) continue;
    owned.push_back(&row);
    columns.push_back(number_column(row.title));
  }
  Table table(std::move(columns));
  if (owned.empty()) return table;
  const auto cell = [](double usd) {
    return Cell::number(usd, (usd < 0 ? "-" : "") + rough_money(std::abs(usd)));
  };
  for (std::size_t i = 0; i < owned.front()->items.size(); ++i) {
    if (std::ranges::all_of(owned, [&](const TcoRow* row) { return row->items[i].usd == 0; })) {
      continue;
    }
    std::vector<Cell> cells = {std::string(owned.front()->items[i].name)};
    for (const TcoRow* row : owned) cells.push_back(cell(row->items[i].usd));
    table.add_row(std::move(cells));
  }
  table.add_rule();
  std::vector<Cell> totals = {"total"};
  for (const TcoRow* row : owned) totals.push_back(cell(*row->total).strong());
  table.add_row(std::move(totals));
  return table;
}

// The price of an hour, or of a machine, with its sellers.
Table tco_prices(const TcoReport& report) {
  Table table({{"platform"},
               {"pricing"},
               number_column("price"),
               {.title = "of", .key = "date"},
               {.title = "source", .key = "source", .overflow = Overflow::wrap}});
  std::string_view before;
  for (const TcoRow& row : report.rows) {
    if (!row.price_per_gpu_hour && !row.purchase) continue;
    const std::string price =
        row.purchase ? rough_money(row.purchase->usd_per_machine)
                     : mark_imputed(unit_money(*row.price_per_gpu_hour), row.doubts.imputed);
    table.add_row({before == row.accelerator ? Cell("") : Cell(row.title),
                   pricing_title(row.pricing), Cell(price), months_words(row.date), row.source});
    before = row.accelerator;
  }
  return table;
}

// Cost per GB of memory and energy, for a buyer of memory and for a seller of tokens.
Table tco_quotients(const TcoReport& report) {
  const bool served = !report.request.serve.empty();
  std::vector<TableColumn> columns = {
      {"platform"}, {"pricing"}, number_column("$ per GB of memory"), number_column("energy, kWh")};
  if (served) columns.push_back(number_column("kWh per M tokens"));
  Table table(std::move(columns));
  std::string_view before;
  for (const TcoRow& row : report.rows) {
    if (!row.total) continue;
    std::vector<Cell> cells = {before == row.accelerator ? Cell("") : Cell(row.title),
                               pricing_title(row.pricing),
                               money_cell(row.dollars_per_gb, row.doubts.imputed),
                               Cell::number(row.energy_kwh, NumberKind::count)};
    if (served) {
      cells.push_back(Cell::number(row.energy_per_million_tokens, NumberKind::number, 3));
    }
    before = row.accelerator;
    table.add_row(std::move(cells));
  }
  return table;
}

// Defaults of what is not set, those that move the answer most first.
std::vector<Fact> tco_defaults(const TcoReport& report) {
  const Scenario& s = report.request.scenario;
  std::vector<Fact> facts;
  const auto add = [&](Field field, std::string text) {
    facts.push_back({std::string(field_info(field).flag), std::move(text)});
  };
  if (!s.has(Field::cost_utilization)) {
    add(Field::cost_utilization,
        fmt::format("{:.0f}%. Bought and reserved GPUs are paid for when idle",
                    100 * report.utilization));
  }
  if (!report.request.serve.empty()) {
    facts.push_back({"--serve",
                     "requests of 1,024 tokens in and 1,024 out, at the largest batch that gives "
                     "each user 5 tokens/s. `trcost serve` has other speeds and lengths"});
  }
  if (const double years = report.request.years; years != 3 * std::ceil(years / 3)) {
    facts.push_back({"--years", "terms are paid in whole, also beyond these years"});
  }
  if (!s.has(Field::cost_purchase_price) && !s.has(Field::cost_node_price)) {
    add(Field::cost_node_price, "newest quote of a machine, and 23% of it for the network");
  }
  if (!s.has(Field::cost_depreciation)) {
    const double left = portable_exp(-cost::kDepreciationPerYear * report.request.years);
    const double lost = 1 - portable_exp(-cost::kDepreciationPerYear);
    add(Field::cost_depreciation,
        fmt::format("{:.1f}% a year: {:.0f}% of the price is left after {}", 100 * lost, 100 * left,
                    years_words(report.request.years)));
  }
  if (s.number_or_default(Field::cost_support_rate) == 0) {
    add(Field::cost_support_rate, "support, warranty and your own staff are not included");
  }
  if (s.has(Field::cost_price_per_gpu_hour) || s.has(Field::cost_prices)) {
    add(Field::cost_price_per_gpu_hour,
        "the price on demand alone. Terms keep the prices of the book");
  }
  if (report.request.price_growth == 0) {
    facts.push_back({"--price-growth", "none: rents stay as they are now"});
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

// Warnings about the price of the answer, about rents of another region, and about no row. A line
// counts the rows without a total.
std::vector<std::string> screen_warnings(const TcoReport& report, const TcoRow* best) {
  std::vector<std::string> lines;
  const auto has = [](const std::vector<std::string>& texts, const std::string& line) {
    return std::ranges::find(texts, line) != texts.end();
  };
  const auto add_all = [&](const std::vector<std::string>& texts) {
    for (const std::string& line : texts) {
      if (!has(lines, line)) lines.push_back(line);
    }
  };
  for (const std::string& line : report.warnings) {
    const bool of_row = std::ranges::any_of(
        report.rows, [&](const TcoRow& row) { return has(row.warnings, line); });
    if (!of_row) lines.push_back(line);
  }
  if (best != nullptr) add_all(best->warnings);
  const auto regional =
      std::ranges::find_if(report.rows, [](const TcoRow& row) { return row.doubts.other_region; });
  if (regional != report.rows.end()) add_all(regional->warnings);
  const auto unpriced = [](const TcoRow& row) { return !row.total; };
  const auto without = std::ranges::count_if(report.rows, unpriced);
  if (without == 1) {
    const auto row = std::ranges::find_if(report.rows, unpriced);
    lines.push_back(
        fmt::format("{} {}: {}", row->title, pricing_title(row->pricing), row->problem));
  } else if (without > 1) {
    lines.push_back(fmt::format("{} rows have no price. Reasons: --details", without));
  }
  for (const auto& failure : report.failures) lines.push_back(failure_line(failure));
  return lines;
}

// The end of the screen.
std::string tco_legend(const TcoReport& report, bool hidden) {
  const Scenario& scenario = report.request.scenario;
  const bool estimated =
      std::ranges::any_of(report.rows, [](const TcoRow& row) { return row.doubts.imputed; });
  return fmt::format("{}{}{}: --details.", estimated ? "~ Estimated price. " : "",
                     price_data_words(report.price_data_date, scenario.text(Field::cost_as_of)),
                     hidden ? "More, with warnings" : "More");
}

Page tco_page(const TcoReport& report) {
  Page page{"Rent or buy", made_by(report.price_data_date), {}};
  page.titled = false;
  const TcoRow* best = answer_row(report);
  page.add(Paragraph{tco_answer(report), Ink::good});
  if (best != nullptr) {
    std::string text;
    for (const std::string& each : cash_sentences(report, *best)) {
      text += (text.empty() ? "" : " ") + each;
    }
    page.add(Paragraph{std::move(text)});
  }
  page.add(Heading{fmt::format("{} GPU{} for {}", grouped(report.gpus, 0),
                               report.gpus == 1 ? "" : "s", years_words(report.request.years)),
                   in_shown_currency("$/used h") + ": per hour in use, on average over the years"});
  page.add(Grid{tco_table(report)});
  // A long table leaves room for the first defaults alone.
  constexpr std::size_t kLongTable = 12, kFirstDefaults = 4;
  std::vector<Fact> defaults = tco_defaults(report), rest;
  if (report.rows.size() > kLongTable && defaults.size() > kFirstDefaults) {
    rest.assign(defaults.begin() + kFirstDefaults, defaults.end());
    defaults.resize(kFirstDefaults);
  }
  page.add(Heading{"Defaults that matter most"});
  page.add(Facts{std::move(defaults)});
  const std::vector<std::string> all = tco_warnings(report);
  const std::vector<std::string> shown = screen_warnings(report, best);
  page.add(Paragraph{tco_legend(report, all != shown), Ink::dim});
  for (const std::string& line : shown) {
    Paragraph warning{"! " + line, Ink::warn, 2};
    warning.only_text = true;
    page.add(std::move(warning));
  }
  if (!rest.empty()) {
    page.add(Heading{.text = "More defaults", .detail = true});
    page.add(Facts{std::move(rest)});
  }
  if (const Table owning = owning_table(report); !owning.rows().empty()) {
    page.add(Heading{.text = "Cost of owning, by part",
                     .note = "the resale value is subtracted",
                     .detail = true});
    page.add(Grid{.table = owning, .splits = true});
  }
  page.add(Heading{.text = "Prices", .note = "of a GPU-hour, or of a machine", .detail = true});
  page.add(Grid{tco_prices(report)});
  page.add(Heading{.text = "Memory and energy", .detail = true});
  page.add(Grid{tco_quotients(report)});
  page.add(Heading{.text = "All warnings", .detail = true});
  for (const std::string& line : all) {
    Paragraph warning{line, Ink::warn, 2, true};
    warning.only_text = true;
    page.add(std::move(warning));
  }
  return page.add(Warnings{all});
}

}  // namespace

Document tco_document(const TcoReport& report) {
  Document document = document_of(kTco, report, [&report] { return tco_page(report); });
  document.budget = [&report] { return tco_budget(report); };
  document.scenario = report.scenario;
  return document;
}

}  // namespace trcost::report
