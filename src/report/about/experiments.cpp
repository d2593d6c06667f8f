// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/about/documents.h"
#include "report/page/document_head.h"
#include "report/page/estimate_tables.h"
#include "report/page/wording.h"
#include "report/workbook/budgets.h"
#include "study/experiments/experiments.h"

namespace trcost::report {

namespace {

TableColumn experiment_column(std::string_view title, std::string_view key = {}) {
  return {std::string(title), std::string(key), Align::right};
}

Cell experiment_number(std::optional<double> value, NumberKind kind) {
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

// All runs of a platform pay the same price, so that its amounts are of one kind.
const CostResult& cost_of(const PlatformExperiments& platform) {
  return platform.experiments.front().run.cost;
}

std::string money_words(std::optional<double> usd, const PlatformExperiments& platform) {
  return usd ? with_kind(short_money(*usd), cost_of(platform)) : "n/a";
}

Cell money(std::optional<double> usd, const PlatformExperiments& platform) {
  return usd ? Cell::number(*usd, money_words(usd, platform)) : Cell::unknown();
}

std::string experiments_range(const PlatformExperiments& platform) {
  const std::optional<Quantiles>& usd = platform.range.total_usd;
  if (!usd) return "n/a";
  return fmt::format("{}..{}", money_words(usd->p10, platform), short_money(usd->p90));
}

Cell unit_price(const PlatformExperiments& platform) {
  const std::optional<double> usd = platform.price_per_gpu_hour;
  if (!usd) return Cell::unknown();
  return Cell::number(*usd, with_kind(fmt::format("${:.2f}", *usd), cost_of(platform)));
}

// The columns about the cluster stand there where one is given.
Table platforms_table(const ExperimentReport& report) {
  const bool packed = std::ranges::any_of(
      report.platforms, [](const auto& each) { return each.schedule.has_value(); });
  std::vector<TableColumn> columns = {{"platform"},
                                      experiment_column("per run"),
                                      experiment_column("total"),
                                      experiment_column("P10..P90"),
                                      experiment_column("unfilled"),
                                      experiment_column("$/GPU-h"),
                                      experiment_column("GPU-hours")};
  if (packed) {
    columns.back().overflow = Overflow::drop;
    columns.push_back(experiment_column("duration"));
    columns.push_back(experiment_column("busy"));
  }
  columns.push_back(experiment_column("tokens/s/MW"));
  columns.push_back(experiment_column("energy"));
  columns.back().overflow = Overflow::drop;
  Table table(std::move(columns));
  for (const PlatformExperiments* each : by_cost(report)) {
    std::vector<Cell> row = {each->accelerator,
                             money(each->usd_per_run, *each),
                             money(each->usd, *each),
                             experiments_range(*each),
                             money(each->idle_usd, *each),
                             unit_price(*each),
                             gpu_hour_words(each->gpu_hours)};
    if (packed) {
      const auto& schedule = each->schedule;
      row.push_back(schedule ? Cell::number(schedule->seconds, NumberKind::duration) : Cell("-"));
      row.push_back(schedule ? Cell::number(schedule->busy_share, NumberKind::fraction)
                             : Cell("-"));
    }
    row.push_back(experiment_number(each->tokens_per_second_per_megawatt, NumberKind::count));
    row.push_back(energy_words(each->kwh));
    table.add_row(std::move(row));
  }
  return table;
}

Table runs_table(const PlatformExperiments& platform) {
  Table table({{"experiment", "", Align::left, Overflow::wrap},
               experiment_column("runs"),
               experiment_column("attempts"),
               experiment_column("params"),
               experiment_column("tokens"),
               experiment_column("GPUs"),
               experiment_column("time"),
               experiment_column("GPU-hours"),
               experiment_column("unfilled"),
               experiment_column("total"),
               experiment_column("per run")});
  for (const ExperimentResult& each : platform.experiments) {
    table.add_row(
        {each.experiment->name, Cell::number(each.experiment->runs(), NumberKind::integer),
         Cell::number(each.experiment->attempts(), NumberKind::count),
         Cell::number(each.run.model.params_total, NumberKind::count),
         Cell::number(each.run.tokens.total, NumberKind::count),
         Cell::number(each.run.gpus, grouped(each.run.gpus, 0)),
         format_number(each.run_seconds, NumberKind::duration) + (each.in_time ? "" : " (over)"),
         gpu_hour_words(each.gpu_hours), money(each.idle_usd, platform),
         money(each.usd(), platform), money(each.usd_per_run(), platform)});
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
                        money_words(platform.final_usd, platform));
  }
  facts.push_back({"cost", money_words(platform.usd, platform) + share});
  if (platform.range.total_usd) {
    facts.push_back({"range", fmt::format("P10 {}, P50 {}, P90 {}: one draw over all runs, which "
                                          "share price and method",
                                          money_words(platform.range.total_usd->p10, platform),
                                          money_words(platform.range.total_usd->p50, platform),
                                          money_words(platform.range.total_usd->p90, platform))});
  }
  if (platform.idle_gpu_hours > 0) {
    facts.push_back(
        {"unfilled",
         fmt::format("{} of the cost, for {} GPU-hours of nodes of {} that are rented whole and "
                     "that these runs leave free",
                     money_words(platform.idle_usd, platform),
                     gpu_hour_words(platform.idle_gpu_hours), format_exact(platform.node_gpus))});
  }
  if (const auto& schedule = platform.schedule) {
    facts.push_back(
        {"cluster", fmt::format("{} GPU{} for {}, {} busy; the whole cluster for that time is {}",
                                grouped(schedule->gpus, 0), schedule->gpus == 1 ? "" : "s",
                                format_number(schedule->seconds, NumberKind::duration),
                                format_number(schedule->busy_share, NumberKind::fraction),
                                money_words(schedule->usd, platform))});
  }
  return facts;
}

// What each platform's study costs, on one scale.
Ranges experiments_totals(const std::vector<const PlatformExperiments*>& platforms) {
  Ranges ranges = platform_ranges("Range of the total by platform");
  for (const PlatformExperiments* each : platforms) {
    if (!each->range.total_usd) continue;
    const Quantiles& q = *each->range.total_usd;
    ranges.rows.push_back(
        {each->accelerator,
         {q.p10, q.p50, q.p90},
         {money_words(q.p10, *each), money_words(q.p50, *each), money_words(q.p90, *each)}});
    ranges.numbers.add_row(
        {each->accelerator, money(q.p10, *each), money(q.p50, *each), money(q.p90, *each)});
  }
  return ranges;
}

Page page_of(const ExperimentReport& report) {
  const std::vector<const PlatformExperiments*> platforms = by_cost(report);
  Page page{"Experiments", made_by(report.price_data_date), {}};
  page.note = fmt::format("{} runs", grouped(platforms.front()->runs, 0));
  page.add(Grid{platforms_table(report)}).add(experiments_totals(platforms));
  for (const PlatformExperiments* each : platforms) {
    const bool first = each == platforms.front();
    const bool several = platforms.size() > 1;
    Heading heading{each->accelerator + " in detail"};
    if (first && several) heading.text_note = "the cheapest; --format md shows all";
    heading.in_text = first;
    page.add(std::move(heading));
    page.add(Facts{platform_facts(*each)}).add(Grid{runs_table(*each)});
  }
  const std::vector<ExperimentResult>& runs = platforms.front()->experiments;
  if (!runs.empty()) {
    std::vector<Assumption> assumed = platforms.front()->assumptions;
    const std::vector<Assumption>& of_first = runs.front().run.assumptions;
    assumed.insert(assumed.end(), of_first.begin(), of_first.end());
    add_assumed(page, assumed, platforms.front()->accelerator);
  }
  return page;
}

}  // namespace

Document experiments_document(const ExperimentReport& report) {
  Document document = document_of(kExperiments, report, [&report] { return page_of(report); });
  document.budget = [&report] { return experiments_budget(report); };
  return document;
}

}  // namespace trcost::report
