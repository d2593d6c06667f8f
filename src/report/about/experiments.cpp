// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "quantity/suggest.h"
#include "report/about/documents.h"
#include "report/page/estimate_tables.h"
#include "report/page/money_facts.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "report/workbook/calculation.h"
#include "study/experiments/experiments.h"
#include "study/transfer/transfer.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

std::string platform_title(const PlatformExperiments& platform) {
  const bool titled =
      !platform.experiments.empty() && !platform.experiments.front().run.accelerator_title.empty();
  return titled ? platform.experiments.front().run.accelerator_title : platform.accelerator;
}

// Returns the cost that tells whether a platform's price is imputed: all its runs pay the same one.
const CostResult& first_cost(const PlatformExperiments& platform) {
  return platform.experiments.front().run.cost;
}

// Returns the platforms by the evidence of their price and by cost, those without a price last.
std::vector<const PlatformExperiments*> sort_by_cost(const ExperimentReport& report) {
  std::vector<const PlatformExperiments*> out;
  for (const PlatformExperiments& each : report.platforms) out.push_back(&each);
  std::ranges::stable_sort(out, {}, [](const PlatformExperiments* each) {
    return std::tuple(!each->usd, price_evidence(first_cost(*each)), each->usd.value_or(0));
  });
  return out;
}

std::string money_words(std::optional<double> usd, const PlatformExperiments& platform) {
  return usd ? mark_imputed(short_money(*usd), first_cost(platform)) : "n/a";
}

Cell money(std::optional<double> usd, const PlatformExperiments& platform) {
  return money_cell(usd, first_cost(platform));
}

std::string experiments_range_words(const PlatformExperiments& platform) {
  const std::optional<Quantiles>& usd = platform.range.total_usd;
  if (!usd) return "n/a";
  return fmt::format("{}-{}", mark_imputed(brief_money(usd->p10), first_cost(platform)),
                     brief_money(usd->p90));
}

Cell unit_price(const PlatformExperiments& platform) {
  const std::optional<double> usd = platform.price_per_gpu_hour;
  if (!usd) return Cell::unknown();
  return Cell::number(*usd, mark_imputed(unit_money(*usd), first_cost(platform)));
}

// The columns about the schedule are shown if a cluster is specified.
Table platforms_table(const ExperimentReport& report) {
  const bool packed = std::ranges::any_of(
      report.platforms, [](const auto& each) { return each.schedule.has_value(); });
  std::vector<TableColumn> columns = {{"platform"},
                                      number_column("per run"),
                                      number_column("total"),
                                      number_column("80% range"),
                                      number_column("idle", "", Overflow::drop),
                                      number_column("$/GPU-h"),
                                      number_column("GPU-hours")};
  if (packed) {
    columns.back().overflow = Overflow::drop;
    columns.push_back(number_column("duration"));
    columns.push_back(number_column("busy"));
  }
  columns.push_back(number_column("tokens/s/MW", "", Overflow::drop));
  columns.push_back(number_column("energy"));
  columns.back().overflow = Overflow::drop;
  Table table(std::move(columns));
  for (const PlatformExperiments* each : sort_by_cost(report)) {
    std::vector<Cell> row = {platform_title(*each),          money(each->usd_per_run, *each),
                             money(each->usd, *each),        experiments_range_words(*each),
                             money(each->idle_usd, *each),   unit_price(*each),
                             gpu_hour_words(each->gpu_hours)};
    if (packed) {
      const auto& schedule = each->schedule;
      row.push_back(schedule ? Cell::number(schedule->seconds, NumberKind::duration) : Cell("-"));
      row.push_back(schedule ? Cell::number(schedule->busy_share, NumberKind::fraction)
                             : Cell("-"));
    }
    row.push_back(Cell::number(each->tokens_per_second_per_megawatt, NumberKind::count));
    row.push_back(energy_words(each->kwh));
    table.add_row(std::move(row));
  }
  return table;
}

Table runs_table(const PlatformExperiments& platform) {
  Table table({{"experiment", "", Align::left, Overflow::wrap},
               number_column("runs"),
               number_column("attempts", "", Overflow::drop),
               number_column("params"),
               number_column("tokens"),
               number_column("GPUs"),
               number_column("time"),
               number_column("GPU-hours", "", Overflow::drop),
               number_column("idle", "", Overflow::drop),
               number_column("per run"),
               number_column("total")});
  for (const ExperimentResult& each : platform.experiments) {
    table.add_row(
        {each.experiment->name, Cell::number(each.experiment->runs(), NumberKind::integer),
         Cell::number(each.experiment->attempts(), NumberKind::count),
         Cell::number(each.run.model.params_total, NumberKind::count),
         Cell::number(each.run.tokens.total, NumberKind::count),
         Cell::number(each.run.gpus, grouped(each.run.gpus, 0)),
         format_number(each.run_seconds, NumberKind::duration) + (each.in_time ? "" : " (over)"),
         gpu_hour_words(each.gpu_hours), money(each.idle_usd, platform),
         money(each.usd_per_run(), platform), money(each.usd(), platform)});
  }
  return table;
}

// `53 times`, or `12% of`.
std::string multiple_words(double share) {
  return share < 1 ? format_number(share, NumberKind::fraction, 2) + " of"
                   : format_number(share, NumberKind::number, 2) + " times";
}

std::vector<Fact> platform_facts(const PlatformExperiments& platform) {
  std::vector<Fact> facts;
  facts.push_back(
      {"Compute", fmt::format("{}, {} that of the final run", flop_words(platform.flops),
                              multiple_words(platform.flops / platform.final_flops))});
  std::string share;
  if (platform.usd && platform.final_usd) {
    share = fmt::format(", {} the cost of the final run ({})",
                        multiple_words(*platform.usd / *platform.final_usd),
                        money_words(platform.final_usd, platform));
    constexpr double kWorthSaying = 1.1;
    const double per_flop =
        *platform.usd / *platform.final_usd * platform.final_flops / platform.flops;
    if (per_flop > kWorthSaying) {
      share +=
          fmt::format(". A FLOP of these runs costs {:.2g} times one of the final run", per_flop);
    }
  }
  facts.push_back({"Cost", money_words(platform.usd, platform) + share});
  if (platform.range.total_usd) {
    facts.push_back({"80% range", fmt::format("{}. A wrong price or speed affects all runs alike",
                                              experiments_range_words(platform))});
  }
  if (platform.idle_gpu_hours > 0) {
    facts.push_back(
        {"Idle",
         fmt::format("{} of the cost: {} GPU-hours of {}", money_words(platform.idle_usd, platform),
                     gpu_hour_words(platform.idle_gpu_hours),
                     platform.schedule
                         ? std::string("the cluster, which is paid for until the last run ends")
                         : fmt::format("nodes of {} that are rented whole",
                                       format_exact(platform.node_gpus)))});
  }
  if (const auto& schedule = platform.schedule) {
    facts.push_back(
        {"Cluster", fmt::format("{} GPU{} for {}, {} busy", grouped(schedule->gpus, 0),
                                schedule->gpus == 1 ? "" : "s",
                                format_number(schedule->seconds, NumberKind::duration),
                                format_number(schedule->busy_share, NumberKind::fraction, 2))});
  }
  return facts;
}

std::string experiments_sentence(const PlatformExperiments& platform) {
  const ExperimentResult& first = platform.experiments.front();
  const std::string runs = grouped(platform.runs, 0) + (platform.runs == 1 ? " run" : " runs");
  std::string text =
      platform.experiments.size() == 1
          ? fmt::format("{} of {} parameters on {} tokens", runs,
                        format_number(first.run.model.params_total, NumberKind::count, 2),
                        format_number(first.run.tokens.total, NumberKind::count, 2))
          : fmt::format("{} in {} experiments", runs, platform.experiments.size());
  if (!platform.usd) {
    return fmt::format("{} take {} GPU-hours on {}. The price is not known: set --price.", text,
                       gpu_hour_words(platform.gpu_hours), platform_title(platform));
  }
  text += fmt::format(" cost about {} on {}", money_words(platform.usd, platform),
                      platform_title(platform));
  const std::optional<Obligation>& bound = first_cost(platform).obligation;
  if (platform.usd_per_run && platform.runs > 1) {
    text += fmt::format(", {} each", money_words(platform.usd_per_run, platform));
  }
  if (platform.final_usd) {
    text += fmt::format(": {} the cost of the final run",
                        multiple_words(*platform.usd / *platform.final_usd));
  }
  text += '.';
  if (bound) text += " " + term_sentence(bound->hours, bound->usd / bound->gpus, "per GPU");
  return text;
}

// Says the default size of a run.
std::string size_sentence(const PlatformExperiments& platform) {
  const Experiment& e = *platform.experiments.front().experiment;
  if (platform.experiments.size() != 1) return {};
  return fmt::format(
      "A run has {} of the final run's parameters (--params-fraction) and {} of its tokens "
      "(--tokens-fraction). {} of the attempts fail{} (--failure-share).",
      format_number(e.params_fraction, NumberKind::fraction, 2),
      format_number(e.tokens_fraction, NumberKind::fraction, 2),
      e.failure_share == 0 ? "None" : format_number(e.failure_share, NumberKind::fraction, 2),
      e.failure_share == 0 ? "" : " and are in the cost of a run");
}

// Names the platforms that are cheaper than the one of the answer, at less certain prices.
std::string cheaper_platforms_words(const std::vector<const PlatformExperiments*>& platforms) {
  const PlatformExperiments& best = *platforms.front();
  std::string cheaper;
  for (const PlatformExperiments* each : platforms) {
    if (!best.usd || !each->usd || *each->usd >= *best.usd) continue;
    const CostResult& cost = first_cost(*each);
    quantity::append_item(
        cheaper, fmt::format("{} {} ({})", platform_title(*each), money_words(each->usd, *each),
                             evidence_words(price_evidence(cost), cost.provider)));
  }
  return cheaper.empty() ? cheaper : "Cheaper at less certain prices: " + cheaper + ".";
}

// Ranges of the total of each platform on one scale.
Ranges experiments_totals(const std::vector<const PlatformExperiments*>& platforms) {
  Ranges ranges = platform_ranges("Range of the total by platform");
  for (const PlatformExperiments* each : platforms) {
    if (!each->range.total_usd) continue;
    add_range_row(
        ranges, platform_title(*each), *each->range.total_usd,
        [&](double usd) { return money_words(usd, *each); },
        [&](double usd) { return money(usd, *each); });
  }
  return ranges;
}

std::vector<std::string> experiment_warnings(const ExperimentReport& report) {
  std::vector<std::string> lines = report.warnings;
  for (const Estimator::Failure& failure : report.failures) lines.push_back(failure_line(failure));
  return lines;
}

Page experiments_page(const ExperimentReport& report) {
  const std::vector<const PlatformExperiments*> platforms = sort_by_cost(report);
  Page page{"Experiments", made_by(report.price_data_date), {}};
  page.titled = false;
  const PlatformExperiments& best = *platforms.front();
  page.add(Paragraph{experiments_sentence(best), Ink::good});
  if (std::string size = size_sentence(best); !size.empty()) page.add(Paragraph{std::move(size)});
  page.add(Heading{"Platforms"});
  page.add(Grid{platforms_table(report)}).add(experiments_totals(platforms));
  if (std::string cheaper = cheaper_platforms_words(platforms); !cheaper.empty()) {
    page.add(Paragraph{std::move(cheaper)});
  }
  const bool imputed = std::ranges::any_of(
      platforms, [](const PlatformExperiments* each) { return first_cost(*each).doubts.imputed; });
  page.add(Paragraph{fmt::format("{}{}More: --details.", imputed ? "~ Estimated price. " : "",
                                 price_data_words(report.price_data_date)),
                     Ink::dim});
  page.add(Warnings{experiment_warnings(report), true});
  for (const PlatformExperiments* each : platforms) {
    Heading heading{"Runs on " + platform_title(*each)};
    heading.detail = each != &best;
    page.add(std::move(heading));
    page.add(Facts{platform_facts(*each)}).add(Grid{runs_table(*each)});
  }
  const std::vector<ExperimentResult>& runs = platforms.front()->experiments;
  if (!runs.empty()) {
    std::vector<Assumption> assumed = platforms.front()->assumptions;
    const std::vector<Assumption>& run_assumptions = runs.front().run.assumptions;
    assumed.insert(assumed.end(), run_assumptions.begin(), run_assumptions.end());
    add_assumption_table(page, assumed, platforms.front()->accelerator);
  }
  return page;
}

// Attempts x GPU-hours of each x price as live formulas. The idle part of rented nodes is a row
// of its own.
class ExperimentsBudget {
 public:
  explicit ExperimentsBudget(const ExperimentReport& report) : report_(report) {}

  Calculation make() {
    out_.name = "Budget";
    out_.notes = {"Marked cells are inputs. If you change one, this sheet recomputes.",
                  "The other sheets do not change."};
    for (const PlatformExperiments& each : report_.platforms) {
      out_.columns.push_back(each.accelerator);
    }
    add_attempts();
    add_hours();
    add_prices();
    add_amounts();
    return std::move(out_);
  }

 private:
  // The experiments are the same on each platform.
  [[nodiscard]] const std::vector<ExperimentResult>& experiments(std::size_t c = 0) const {
    return report_.platforms[c].experiments;
  }
  [[nodiscard]] const std::string& name(std::size_t i) const {
    return experiments()[i].experiment->name;
  }
  template <class Rule>
  std::size_t line(std::string label, std::string unit, NumberKind kind, const Rule& rule) {
    const std::size_t at = out_.add(std::move(label), std::move(unit), kind);
    for (std::size_t c = 0; c < out_.columns.size(); ++c) out_.set({at, c}, rule(c));
    return at;
  }
  static Calculation::Sum sum_of(const std::vector<std::size_t>& lines, std::size_t c) {
    Calculation::Sum sum;
    for (const std::size_t each : lines) sum.parts.push_back({each, c});
    return sum;
  }

  void add_attempts() {
    out_.add_heading("Attempts, including failed ones");
    for (std::size_t i = 0; i < experiments().size(); ++i) {
      attempts_.push_back(
          line(name(i), "attempts", NumberKind::number, [&](std::size_t c) -> Calculation::Rule {
            if (c > 0) return Calculation::Product{1, {{{out_.lines.size() - 1, 0}}}};
            return Calculation::Given{experiments()[i].experiment->attempts(), true};
          }));
    }
    out_.add_heading("GPU-hours of an attempt");
    for (std::size_t i = 0; i < experiments().size(); ++i) {
      hours_each_.push_back(line(name(i), "h", NumberKind::number, [&](std::size_t c) {
        const ExperimentResult& result = experiments(c)[i];
        return Calculation::Given{result.gpu_hours / result.experiment->attempts(), true};
      }));
    }
    idle_share_ = line(
        "idle GPUs of rented nodes, per GPU-hour", "h", NumberKind::number, [&](std::size_t c) {
          const PlatformExperiments& platform = report_.platforms[c];
          return Calculation::Given{platform.idle_gpu_hours / platform.gpu_hours, true};
        });
  }

  void add_hours() {
    out_.add_heading("GPU-hours");
    for (std::size_t i = 0; i < experiments().size(); ++i) {
      hours_.push_back(line(name(i), "h", NumberKind::count, [&](std::size_t c) {
        return Calculation::Product{1, {{{attempts_[i], c}}, {{hours_each_[i], c}}}};
      }));
    }
    used_ =
        line("in use", "h", NumberKind::count, [&](std::size_t c) { return sum_of(hours_, c); });
    idle_ = line("idle", "h", NumberKind::count, [&](std::size_t c) {
      return Calculation::Product{1, {{{used_, c}}, {{idle_share_, c}}}};
    });
  }

  // Returns the cost of the runs without their GPU-hours, such as storage, or none if negligible.
  [[nodiscard]] std::optional<double> other_usd(std::size_t c) const {
    constexpr double kNegligible = 1e-9;  // share of the total
    double out = 0;
    for (const ExperimentResult& each : experiments(c)) {
      if (!each.used_usd || !report_.platforms[c].price_per_gpu_hour) return {};
      out += *each.used_usd - each.gpu_hours * *report_.platforms[c].price_per_gpu_hour;
    }
    return std::fabs(out) > kNegligible * *report_.platforms[c].usd ? std::optional(out)
                                                                    : std::nullopt;
  }

  void add_prices() {
    out_.add_heading("Prices");
    price_ = line("a GPU-hour", "USD per GPU-hour", NumberKind::money, [&](std::size_t c) {
      return Calculation::Given{report_.platforms[c].price_per_gpu_hour, true};
    });
    other_price_ = line("other items", "USD per GPU-hour", NumberKind::money,
                        [&](std::size_t c) -> Calculation::Rule {
                          const std::optional<double> usd = other_usd(c);
                          if (!usd) return {};
                          return Calculation::Given{*usd / report_.platforms[c].gpu_hours, true};
                        });
    for (const PlatformExperiments& each : report_.platforms) {
      for (const LineItem& item : each.experiments.front().run.cost.items) {
        if (!item.included || item.source.empty()) continue;
        out_.sources.push_back({each.accelerator + ": " + item_name(item), item.source});
      }
    }
  }

  void add_amounts() {
    out_.add_heading("Amounts");
    std::vector<std::size_t> amounts;
    const auto add = [&](std::string label, std::size_t quantity, std::size_t price) {
      amounts.push_back(
          line(std::move(label), "USD", NumberKind::money, [&](std::size_t c) -> Calculation::Rule {
            if (!out_.has({price, c})) return {};
            return Calculation::Product{1, {{{quantity, c}}, {{price, c}}}};
          }));
    };
    for (std::size_t i = 0; i < experiments().size(); ++i) add(name(i), hours_[i], price_);
    add("other items", used_, other_price_);
    add("idle", idle_, price_);
    const std::size_t total = line("Total", "USD", NumberKind::money, [&](std::size_t c) {
      Calculation::Sum sum;
      for (const std::size_t amount : amounts) {
        if (out_.has({amount, c})) sum.parts.push_back({amount, c});
      }
      return sum;
    });
    out_.lines[total].strong = true;
    for (std::size_t c = 0; c < out_.columns.size(); ++c) {
      check_figure(out_, {total, c}, report_.platforms[c].usd);
    }
    out_.charts = {{Calculation::Chart::Kind::stacked, "Total by experiment, USD", amounts}};
  }

  const ExperimentReport& report_;
  Calculation out_;
  std::vector<std::size_t> attempts_, hours_each_, hours_;
  std::size_t idle_share_ = 0, used_ = 0, idle_ = 0, price_ = 0, other_price_ = 0;
};

}  // namespace

Document experiments_document(const ExperimentReport& report) {
  Document document =
      document_of(kExperiments, report, [&report] { return experiments_page(report); });
  document.budget = [&report] { return ExperimentsBudget(report).make(); };
  return document;
}

}  // namespace trcost::report
