// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "catalog/price_book.h"
#include "report/sections.h"
#include "report/text_width.h"
#include "report/wording.h"

namespace trcost {
namespace {

constexpr const char* kMarkLabel = "vs cheapest";

// One line of the comparison: how a platform's cell comes about.
struct Line {
  std::string_view label;
  Cell (*cell)(const Estimate&);
  Detail from = Detail::screen;  ///< the least detail that has it
  bool rule_before = false;
  bool where_apart = false;  ///< at less detail too, where platforms differ in precision
};

std::string memory_words(const Estimate& e) {
  constexpr double kGigabyte = 1e9;
  constexpr double kTwoDigits = 10;
  constexpr double kTerabyte = 1e12;
  if (e.memory.total >= kTerabyte) {
    return fmt::format("{}/{:.0f} GB", format_number(e.memory.total, NumberKind::bytes),
                       e.memory.capacity / kGigabyte);
  }
  const double used = e.memory.total / kGigabyte;
  return fmt::format("{:.{}f}/{:.0f} GB", used, used < kTwoDigits ? 1 : 0,
                     e.memory.capacity / kGigabyte);
}

Cell fits_cell(const Estimate& e) {
  return Cell(!e.memory.fits ? "NO" : e.memory.tight ? "tight" : "yes");
}

std::string layout_words(const Estimate& e) {
  return e.one_layout ? split_words(e.layout) : "by stage";
}

Cell money_cell(std::optional<double> usd, const Estimate& e) {
  return usd ? Cell::number(*usd, with_kind(short_money(*usd), e.cost)) : Cell::unknown();
}

Cell total_cell(const Estimate& e) {
  return e.cost.total ? Cell::number(*e.cost.total, total_words(e)) : Cell::unknown();
}

// `2026-08..11` of `2026-08-19 to 2026-11-09`: a column has no room for days.
std::string months_words(std::string_view dates) {
  constexpr std::size_t kYear = 4, kMonth = 7;
  constexpr std::string_view kTo = " to ";
  const std::size_t to = dates.find(kTo);
  if (to == std::string_view::npos) return std::string(dates);
  const std::string_view from = dates.substr(0, std::min(to, kMonth));
  const std::string_view until = dates.substr(to + kTo.size()).substr(0, kMonth);
  if (from == until) return std::string(from);
  const bool one_year = from.substr(0, kYear) == until.substr(0, kYear) &&
                        from.find('H') == until.find('H');  // 2025-03..2025-H2
  return fmt::format("{}..{}", from,
                     one_year && until.size() > kYear ? until.substr(kYear + 1) : until);
}

Cell quantile(const Estimate& e, double Quantiles::*which) {
  if (!e.range.total_usd) return Cell::unknown();
  return money_cell((*e.range.total_usd).*which, e);
}

Cell known(std::optional<double> value, std::string words) {
  return value ? Cell::number(*value, std::move(words)) : Cell::unknown();
}

Cell counted_cell(std::optional<double> value) {
  return value ? Cell::number(*value, NumberKind::count) : Cell::unknown();
}

// `5 specialists`; none where the price is made from those of others.
std::string seller_words(const CostResult& cost) {
  const std::string_view word = price_class_name(*cost.price_class);
  if (cost.provider.empty()) return cost.doubts.imputed ? "none: imputed" : std::string(word);
  const auto sellers = 1 + std::ranges::count(cost.provider, ',');
  const std::string_view many = *cost.price_class == PriceClass::index ? "indices" : word;
  return sellers == 1 ? fmt::format("1 {}", word)
                      : fmt::format("{} {}{}", sellers, many, many == word ? "s" : "");
}

Cell precision_cell(const Estimate& e) {
  return Cell(e.one_precision ? precision_name(e.precision) : "by stage");
}

// MFU is a share of the peak of a precision: beside those of other precisions each says which.
Cell mfu_cell(const Estimate& e, bool apart) {
  if (!apart || !e.one_precision) return Cell::number(e.performance.mfu, NumberKind::fraction);
  return Cell::number(e.performance.mfu,
                      fmt::format("{} {}", format_number(e.performance.mfu, NumberKind::fraction),
                                  precision_name(e.precision)));
}

const Line kLines[] = {
    {"GPUs", [](const Estimate& e) { return Cell::number(e.gpus, grouped(e.gpus, 0)); }},
    {"precision", precision_cell, Detail::full, false, true},
    {kSplitTitle, [](const Estimate& e) { return Cell(layout_words(e)); }},
    {"memory per GPU", [](const Estimate& e) { return Cell(memory_words(e)); }},
    {"fits", fits_cell},
    {"MFU", [](const Estimate& e) { return Cell::number(e.performance.mfu, NumberKind::fraction); },
     Detail::screen, true},
    {"tokens/s per GPU",
     [](const Estimate& e) {
       return Cell::number(e.performance.tokens_per_second_per_gpu,
                           speed_words(e.performance.tokens_per_second_per_gpu));
     },
     Detail::full},
    {"GPU-hours",
     [](const Estimate& e) { return Cell::number(e.gpu_hours, gpu_hour_words(e.gpu_hours)); }},
    {"wall-clock",
     [](const Estimate& e) { return Cell::number(e.wall_clock_seconds, NumberKind::duration); }},
    {"energy", [](const Estimate& e) { return known(e.energy.kwh, energy_words(e.energy.kwh)); },
     Detail::full, true},
    {"CO2", [](const Estimate& e) { return known(e.energy.co2_kg, mass_words(e.energy.co2_kg)); },
     Detail::full},
    {"tokens per MWh drawn",
     [](const Estimate& e) { return counted_cell(e.energy.tokens_per_mwh); }, Detail::full},
    {"tokens/s per MW rated",
     [](const Estimate& e) { return counted_cell(e.energy.tokens_per_second_per_megawatt); },
     Detail::full},
    {"$ per GPU-hour",
     [](const Estimate& e) {
       const std::optional<double> price = e.cost.price_per_gpu_hour;
       if (!price) return Cell::unknown();
       return known(price, with_kind(unit_money(*price), e.cost));
     },
     Detail::screen, true},
    {"sellers",
     [](const Estimate& e) {
       if (!e.cost.price_class) return Cell("");
       if (e.cost.doubts.other_class) return Cell("its maker");
       return Cell(seller_words(e.cost));
     }},
    {"prices of", [](const Estimate& e) { return Cell(months_words(e.cost.price_date)); }},
    {"total", total_cell},
    {"  low (P10)", [](const Estimate& e) { return quantile(e, &Quantiles::p10); }},
    {"  high (P90)", [](const Estimate& e) { return quantile(e, &Quantiles::p90); }},
    {"$ per M tokens", [](const Estimate& e) { return money_cell(e.cost.per_million_tokens, e); },
     Detail::full},
};

bool precisions_apart(std::span<const Estimate> estimates) {
  return std::ranges::adjacent_find(estimates, std::ranges::not_equal_to{}, &Estimate::precision) !=
         estimates.end();
}

// The last line: which one is cheapest, and how much more the others cost.
Cell mark(const Estimate& e, const Estimate& best) {
  if (&e == &best) return Cell("cheapest").strong();
  if (!best.cost.total || !e.cost.total) return Cell::unknown();
  return fmt::format("{:+.0f}%", (*e.cost.total / *best.cost.total - 1) * 100);
}

}  // namespace

Table comparison_table(std::span<const Estimate> estimates, Detail detail) {
  // Without a known total nothing is the cheapest.
  const bool compared =
      estimates.size() > 1 && estimates[cheapest_index(estimates)].cost.total.has_value();
  const Estimate* best = compared ? &estimates[cheapest_index(estimates)] : nullptr;
  std::vector<TableColumn> columns = {{.title = " "}};
  for (const Estimate& e : estimates) {
    columns.push_back({.title = e.accelerator, .align = Align::right, .strong = &e == best});
  }
  Table table(columns);
  const auto add = [&](std::string_view label, const auto& cell) {
    std::vector<Cell> row = {std::string(label)};
    for (const Estimate& e : estimates) row.push_back(&e == best ? cell(e).strong() : cell(e));
    table.add_row(std::move(row));
  };
  const bool apart = precisions_apart(estimates);
  for (const Line& line : kLines) {
    if (line.from > detail && !(line.where_apart && apart)) continue;
    if (line.rule_before) table.add_rule();
    add(line.label, line.cell);
  }
  if (compared) add(kMarkLabel, [&](const Estimate& e) { return mark(e, *best); });
  return table;
}

Table brief_table(std::span<const Estimate> estimates) {
  const Estimate* best = &estimates[cheapest_index(estimates)];
  const auto figure = [](const char* title, Overflow overflow = Overflow::keep) {
    return TableColumn{.title = title, .align = Align::right, .overflow = overflow};
  };
  const bool bound = std::ranges::any_of(
      estimates, [](const Estimate& e) { return e.cost.obligation.has_value(); });
  const bool apart = precisions_apart(estimates);
  // In order of what a narrow page can do without, the last first.
  std::vector<TableColumn> columns = {{.title = "platform"},
                                      figure("total"),
                                      figure("wall-clock"),
                                      figure("GPUs"),
                                      {.title = "fits"},
                                      figure(kMarkLabel, Overflow::drop),
                                      figure("GPU-hours", Overflow::drop),
                                      figure("MFU", Overflow::drop),
                                      figure("P10", Overflow::drop),
                                      figure("P90", Overflow::drop)};
  // What must be paid stands beside what the run uses of it.
  if (bound) columns.insert(columns.begin() + 2, figure("whole term"));
  Table table(std::move(columns));
  for (const Estimate& e : estimates) {
    std::vector<Cell> row = {e.accelerator,
                             total_cell(e),
                             Cell::number(e.wall_clock_seconds, NumberKind::duration),
                             Cell::number(e.gpus, grouped(e.gpus, 0)),
                             fits_cell(e),
                             mark(e, *best),
                             Cell::number(e.gpu_hours, gpu_hour_words(e.gpu_hours)),
                             mfu_cell(e, apart),
                             quantile(e, &Quantiles::p10),
                             quantile(e, &Quantiles::p90)};
    if (bound) {
      const auto& term = e.cost.obligation;
      row.insert(row.begin() + 2,
                 term ? Cell::number(term->usd, short_money(term->usd)) : Cell(""));
    }
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace trcost
