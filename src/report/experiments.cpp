// SPDX-License-Identifier: Apache-2.0
#include "trcost/experiments.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/document_head.h"
#include "report/experiments_figures.h"
#include "report/text_page.h"
#include "report/wording.h"
#include "trcost/report.h"
#include "trcost/table.h"

namespace trcost {
namespace {

TableColumn right(std::string_view title, std::string_view key = {}) {
  return {std::string(title), std::string(key), Align::right};
}

Cell number(std::optional<double> value, NumberKind kind) {
  return Cell::number(value, kind);
}

// The platforms by dollars, those without a price last.
std::vector<const PlatformExperiments*> by_cost(const ExperimentReport& report) {
  std::vector<const PlatformExperiments*> out;
  for (const PlatformExperiments& each : report.platforms) out.push_back(&each);
  std::ranges::stable_sort(out, [](const auto* a, const auto* b) {
    if (!a->usd || !b->usd) return a->usd.has_value() && !b->usd.has_value();
    return *a->usd < *b->usd;
  });
  return out;
}

Cell money(std::optional<double> usd) {
  return usd ? Cell::number(*usd, short_money(*usd)) : Cell::unknown();
}

std::string money_words(std::optional<double> usd) {
  return usd ? short_money(*usd) : "n/a";
}

std::string range_words(const PlatformExperiments& platform) {
  const std::optional<Quantiles>& usd = platform.range.total_usd;
  return usd ? fmt::format("{}..{}", short_money(usd->p10), short_money(usd->p90)) : "n/a";
}

// An imputed price is marked as in the table of platforms.
Cell unit_price(const PlatformExperiments& platform) {
  const std::optional<double> usd = platform.price_per_gpu_hour;
  if (!usd) return Cell::unknown();
  const bool imputed = platform.experiments.front().run.cost.doubts.imputed;
  return Cell::number(*usd, fmt::format("{}${:.2f}", imputed ? "~" : "", *usd));
}

// The columns about the cluster stand there where one is given.
Table platforms_table(const ExperimentReport& report) {
  const bool packed = std::ranges::any_of(
      report.platforms, [](const auto& each) { return each.schedule.has_value(); });
  std::vector<TableColumn> columns = {{"platform"},      right("per run"),  right("total"),
                                      right("P10..P90"), right("unfilled"), right("$/GPU-h"),
                                      right("GPU-hours")};
  if (packed) {
    columns.back().overflow = Overflow::drop;
    columns.push_back(right("duration"));
    columns.push_back(right("busy"));
  }
  columns.push_back(right("tokens/s/MW"));
  columns.push_back(right("energy"));
  columns.back().overflow = Overflow::drop;
  Table table(std::move(columns));
  for (const PlatformExperiments* each : by_cost(report)) {
    std::vector<Cell> row = {each->accelerator,
                             money(each->usd_per_run),
                             money(each->usd),
                             range_words(*each),
                             money(each->idle_usd),
                             unit_price(*each),
                             gpu_hour_words(each->gpu_hours)};
    if (packed) {
      const auto& schedule = each->schedule;
      row.push_back(schedule ? Cell::number(schedule->seconds, NumberKind::duration) : Cell("-"));
      row.push_back(schedule ? Cell::number(schedule->busy_share, NumberKind::fraction)
                             : Cell("-"));
    }
    row.push_back(number(each->tokens_per_second_per_megawatt, NumberKind::count));
    row.push_back(energy_words(each->kwh));
    table.add_row(std::move(row));
  }
  return table;
}

Table runs_table(const PlatformExperiments& platform) {
  Table table({{"experiment", "", Align::left, Overflow::wrap},
               right("runs"),
               right("attempts"),
               right("params"),
               right("tokens"),
               right("GPUs"),
               right("time"),
               right("GPU-hours"),
               right("unfilled"),
               right("total"),
               right("per run")});
  for (const ExperimentResult& each : platform.experiments) {
    table.add_row(
        {each.experiment->name, Cell::number(each.experiment->runs(), NumberKind::integer),
         Cell::number(each.experiment->attempts(), NumberKind::count),
         Cell::number(each.run.model.params_total, NumberKind::count),
         Cell::number(each.run.tokens.total, NumberKind::count),
         Cell::number(each.run.gpus, grouped(each.run.gpus, 0)),
         format_number(each.run_seconds, NumberKind::duration) + (each.in_time ? "" : " (over)"),
         gpu_hour_words(each.gpu_hours), money(each.idle_usd), money(each.usd()),
         money(each.usd_per_run())});
  }
  return table;
}

std::vector<Fact> platform_facts(const PlatformExperiments& platform) {
  std::vector<Fact> facts;
  facts.push_back(
      {"compute",
       fmt::format("{:.4g} FLOP, {} of what the final run takes by 6 N D", platform.flops,
                   format_number(platform.rule_share, NumberKind::fraction))});
  std::string share;
  if (platform.usd && platform.final_usd) {
    share = fmt::format(": {} of what the final run costs ({})",
                        format_number(*platform.usd / *platform.final_usd, NumberKind::fraction),
                        short_money(*platform.final_usd));
  }
  facts.push_back({"cost", money_words(platform.usd) + share});
  if (platform.range.total_usd) {
    facts.push_back({"range", fmt::format("P10 {}, P50 {}, P90 {}: one draw over all runs, which "
                                          "share price and method",
                                          short_money(platform.range.total_usd->p10),
                                          short_money(platform.range.total_usd->p50),
                                          short_money(platform.range.total_usd->p90))});
  }
  if (platform.idle_gpu_hours > 0) {
    facts.push_back(
        {"unfilled",
         fmt::format("{} of it for {} GPU-hours of nodes of {} that are rented whole and not "
                     "filled by all runs together",
                     money_words(platform.idle_usd), gpu_hour_words(platform.idle_gpu_hours),
                     format_exact(platform.node_gpus))});
  }
  if (const auto& schedule = platform.schedule) {
    facts.push_back(
        {"cluster", fmt::format("{} GPU{} for {}, {} busy; the whole cluster for that time is {}",
                                grouped(schedule->gpus, 0), schedule->gpus == 1 ? "" : "s",
                                format_number(schedule->seconds, NumberKind::duration),
                                format_number(schedule->busy_share, NumberKind::fraction),
                                money_words(schedule->usd))});
  }
  return facts;
}

std::string markdown_of(const ExperimentReport& report) {
  std::string out = "# Experiments\n\n" + to_markdown(platforms_table(report));
  for (const PlatformExperiments* each : by_cost(report)) {
    out += fmt::format("\n## {}\n\n", each->accelerator);
    for (const Fact& fact : platform_facts(*each)) {
      out += fmt::format("- **{}**: {}\n", fact.label, fact.text);
    }
    out += "\n" + to_markdown(runs_table(*each));
  }
  return out;
}

}  // namespace

std::string render_experiments(const ExperimentReport& report, Format format, const Style& style) {
  if (format == Format::json) return experiments_json(report);
  if (format == Format::md) return markdown_of(report);
  if (format != Format::table)
    return to_format(experiments_rows(report), format, style, "experiments");
  TextPage page(style);
  const std::vector<const PlatformExperiments*> platforms = by_cost(report);
  page.heading("Experiments", fmt::format("{} runs; {}", grouped(platforms.front()->runs, 0),
                                          made_by(report.price_data_date)));
  page.table(platforms_table(report));
  page.heading(platforms.front()->accelerator + " in detail",
               platforms.size() > 1 ? "the cheapest; --format md shows all" : "");
  page.facts(platform_facts(*platforms.front()));
  page.blank();
  page.table(runs_table(*platforms.front()));
  return page.take();
}

}  // namespace trcost
