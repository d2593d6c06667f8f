// SPDX-License-Identifier: Apache-2.0
#include "trcost/experiments.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/document_head.h"
#include "report/failures.h"
#include "report/json_writer.h"
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

// The columns about the cluster stand there where one is given.
Table platforms_table(const ExperimentReport& report) {
  const bool packed = std::ranges::any_of(
      report.platforms, [](const auto& each) { return each.schedule.has_value(); });
  std::vector<TableColumn> columns = {{"platform"},       right("per run"),
                                      right("total"),     right("unfilled nodes"),
                                      right("GPU-hours"), right("energy")};
  if (packed) {
    columns.push_back(right("on the cluster"));
    columns.push_back(right("busy"));
  }
  columns.push_back(right("tokens/s/MW"));
  columns.back().overflow = Overflow::drop;
  Table table(std::move(columns));
  for (const PlatformExperiments* each : by_cost(report)) {
    std::vector<Cell> row = {
        each->accelerator,     money(each->usd_per_run),        money(each->usd),
        money(each->idle_usd), gpu_hour_words(each->gpu_hours), energy_words(each->kwh)};
    if (packed) {
      const auto& schedule = each->schedule;
      row.push_back(schedule ? Cell::number(schedule->seconds, NumberKind::duration) : Cell("-"));
      row.push_back(schedule ? Cell::number(schedule->busy_share, NumberKind::fraction)
                             : Cell("-"));
    }
    row.push_back(number(each->tokens_per_second_per_megawatt, NumberKind::count));
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
  facts.push_back({"compute", fmt::format("{:.4g} FLOP, {:.3g} of the final run's by 6 N D",
                                          platform.flops, platform.rule_share)});
  std::string share;
  if (platform.usd && platform.final_usd) {
    share = fmt::format(": {} of what the final run costs ({})",
                        format_number(*platform.usd / *platform.final_usd, NumberKind::fraction),
                        short_money(*platform.final_usd));
  }
  facts.push_back({"cost", money_words(platform.usd) + share});
  if (platform.idle_gpu_hours > 0)
    facts.push_back(
        {"unfilled",
         fmt::format("{} of it for {} GPU-hours of nodes of {} that are rented "
                     "whole and not filled",
                     money_words(platform.idle_usd), gpu_hour_words(platform.idle_gpu_hours),
                     format_exact(platform.node_gpus))});
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

Table flat_table(const ExperimentReport& report) {
  Table table({{"accelerator"},
               {"experiment"},
               {"runs"},
               {"attempts"},
               {"model.params_total"},
               {"tokens_per_run"},
               {"gpus"},
               {"run_seconds"},
               {"in_time"},
               {"gpu_hours"},
               {"idle_gpu_hours"},
               {"flops"},
               {"energy.kwh"},
               {"used_usd"},
               {"idle_usd"},
               {"total_usd"},
               {"usd_per_run"},
               {"performance.mfu"}});
  const auto plain = [](std::optional<double> value) {
    return Cell::number(value, NumberKind::number);
  };
  for (const PlatformExperiments& platform : report.platforms) {
    for (const ExperimentResult& each : platform.experiments) {
      table.add_row({platform.accelerator, each.experiment->name, plain(each.experiment->runs()),
                     plain(each.experiment->attempts()), plain(each.run.model.params_total),
                     plain(each.run.tokens.total), plain(each.run.gpus), plain(each.run_seconds),
                     Cell::boolean(each.in_time), plain(each.gpu_hours), plain(each.idle_gpu_hours),
                     plain(each.flops), plain(each.kwh), plain(each.used_usd), plain(each.idle_usd),
                     plain(each.usd()), plain(each.usd_per_run()),
                     plain(each.run.performance.mfu)});
    }
  }
  return table;
}

void write_experiment(JsonWriter& writer, const ExperimentResult& each) {
  writer.begin_object();
  writer.member("name", each.experiment->name);
  writer.member("runs", each.experiment->runs());
  writer.member("attempts", each.experiment->attempts());
  writer.member("params_total", each.run.model.params_total);
  writer.member("tokens_per_run", each.run.tokens.total);
  writer.member("gpus", each.run.gpus);
  writer.member("mfu", each.run.performance.mfu);
  writer.member("run_seconds", each.run_seconds);
  writer.boolean("in_time", each.in_time);
  writer.member("gpu_hours", each.gpu_hours);
  writer.member("idle_gpu_hours", each.idle_gpu_hours);
  writer.member("flops", each.flops);
  writer.member("kwh", each.kwh);
  writer.member("used_usd", each.used_usd);
  writer.member("idle_usd", each.idle_usd);
  writer.member("total_usd", each.usd());
  writer.member("usd_per_run", each.usd_per_run());
  writer.end_object();
}

void write_platform(JsonWriter& writer, const PlatformExperiments& platform) {
  writer.begin_object();
  writer.member("accelerator", platform.accelerator);
  writer.member("gpus_per_node", platform.node_gpus);
  writer.begin_object("total");
  writer.member("runs", platform.runs);
  writer.member("gpu_hours", platform.gpu_hours);
  writer.member("idle_gpu_hours", platform.idle_gpu_hours);
  writer.member("tokens", platform.tokens);
  writer.member("flops", platform.flops);
  writer.member("kwh", platform.kwh);
  writer.member("idle_usd", platform.idle_usd);
  writer.member("total_usd", platform.usd);
  writer.member("usd_per_run", platform.usd_per_run);
  writer.member("tokens_per_mwh", platform.tokens_per_mwh);
  writer.member("tokens_per_second_per_megawatt", platform.tokens_per_second_per_megawatt);
  writer.end_object();
  writer.begin_object("final_run");
  writer.member("flops", platform.final_flops);
  writer.member("total_usd", platform.final_usd);
  writer.member("rule_6nd_share_of_experiments", platform.rule_share);
  writer.end_object();
  if (const auto& schedule = platform.schedule) {
    writer.begin_object("cluster");
    writer.member("gpus", schedule->gpus);
    writer.member("wall_clock_seconds", schedule->seconds);
    writer.member("busy_share", schedule->busy_share);
    writer.member("total_usd", schedule->usd);
    writer.end_object();
  } else {
    writer.null("cluster");
  }
  writer.begin_array("experiments");
  for (const ExperimentResult& each : platform.experiments) write_experiment(writer, each);
  writer.end_array();
  writer.end_object();
}

std::string json_of(const ExperimentReport& report) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  write_versions(writer, report.price_data_date);
  writer.begin_array("platforms");
  for (const PlatformExperiments& each : report.platforms) write_platform(writer, each);
  writer.end_array();
  write_failures(writer, report.failures);
  writer.end_object();
  out += '\n';
  return out;
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
  if (format == Format::json) return json_of(report);
  if (format == Format::md) return markdown_of(report);
  if (format != Format::table) return to_format(flat_table(report), format, style, "experiments");
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
