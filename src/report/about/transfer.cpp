// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/about/documents.h"
#include "report/page/estimate_tables.h"
#include "report/page/money_facts.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "report/workbook/budget.h"
#include "study/transfer/transfer.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

// Both ends in the unit of the longer.
std::string duration_range_words(const Quantiles& seconds) {
  const std::string high = format_number(seconds.p90, NumberKind::duration);
  const double unit = parse_number("1" + high.substr(high.rfind(' ')), NumberKind::duration);
  return fmt::format("{} to {}", format_number(seconds.p10 / unit, NumberKind::number), high);
}

// A measured time over its prediction: `1.3 times as long`, `4% longer`.
std::string factor_words(double factor) {
  constexpr double kEqual = 0.005, kNear = 0.1;
  const double more = factor - 1;
  if (std::abs(more) < kEqual) return "as long as predicted";
  if (std::abs(more) >= kNear) return fmt::format("{:.2g} times as long", factor);
  return fmt::format("{:.0f}% {}", 100 * std::abs(more), more > 0 ? "longer" : "less time");
}

std::string money_range_words(const Quantiles& q) {
  return fmt::format("{}-{}", brief_money(q.p10), brief_money(q.p90));
}

std::string gpu_hour_range_words(const Quantiles& q) {
  return fmt::format("{}-{}", gpu_hour_words(q.p10), gpu_hour_words(q.p90));
}

// The measured platform, then the targets.
Table transfer_table(const TransferResult& result) {
  Table table({{"platform"},
               number_column("GPUs"),
               number_column("time", "", Overflow::keep, true),
               number_column("range of time", "80% range of the time"),
               number_column("GPU-hours"),
               number_column("total", "", Overflow::keep, true),
               number_column("range of total", "80% range of the total"),
               number_column("MFU", "", Overflow::drop)});
  const auto add = [&](const TransferRow& row) {
    const Estimate& e = row.estimate;
    table.add_row({e.accelerator_title.empty() ? e.accelerator : e.accelerator_title,
                   Cell::number(e.gpus, grouped(e.gpus, 0)),
                   Cell::number(e.wall_clock_seconds, NumberKind::duration),
                   row.seconds.p10 == row.seconds.p90 ? Cell("measured")
                                                      : Cell(duration_range_words(row.seconds)),
                   gpu_hour_words(e.gpu_hours), money_cell(e.cost.total, e.cost),
                   row.usd ? Cell(money_range_words(*row.usd)) : Cell::unknown(),
                   Cell::number(e.performance.mfu, NumberKind::fraction)});
  };
  add(result.source);
  table.add_rule();
  for (const TransferRow& row : result.targets) add(row);
  return table;
}

std::string measurement_sentence(const TransferRequest& request, const TransferResult& result) {
  const TransferRow& source = result.source;
  const std::string what =
      request.seconds ? format_number(*request.seconds, NumberKind::duration)
                      : format_number(*request.tokens_per_second, NumberKind::count) + " tokens/s";
  const double predicted_rate =
      source.estimate.performance.tokens_per_second_per_gpu * request.from_gpus * result.factor;
  const std::string predicted =
      request.seconds ? format_number(source.predicted_seconds, NumberKind::duration)
                      : format_number(predicted_rate, NumberKind::count) + " tokens/s";
  return fmt::format(
      "The run {7} {2} on {0} x {1}. trcost predicts {3}, so it took {4} (MFU {5} instead of {6}). "
      "Every target gets the same factor.",
      grouped(request.from_gpus, 0), source.estimate.accelerator_title, what, predicted,
      factor_words(result.factor),
      format_number(source.estimate.performance.mfu, NumberKind::fraction, 2),
      format_number(source.predicted_mfu, NumberKind::fraction, 2),
      request.seconds ? "took" : "reached");
}

// The times and costs on the targets.
std::string transfer_sentence(const TransferRequest& request, const TransferResult& result) {
  std::string text = fmt::format(
      "{} on {} x {} corresponds to",
      request.seconds ? "A run of " + time_words(*request.seconds)
                      : format_number(*request.tokens_per_second, NumberKind::count) + " tokens/s",
      grouped(request.from_gpus, 0), result.source.estimate.accelerator_title);
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < std::min(kNamed, result.targets.size()); ++i) {
    const Estimate& e = result.targets[i].estimate;
    text += fmt::format("{} {} on {} x {}{}", i == 0 ? "" : ",", time_words(e.wall_clock_seconds),
                        grouped(e.gpus, 0), e.accelerator_title,
                        e.cost.total
                            ? fmt::format(" ({})", mark_imputed(brief_money(*e.cost.total), e.cost))
                            : std::string());
  }
  text += '.';
  for (std::size_t i = 0; i < std::min(kNamed, result.targets.size()); ++i) {
    const Estimate& e = result.targets[i].estimate;
    if (!e.cost.obligation) continue;
    const std::string whose =
        result.targets.size() == 1
            ? "in all"
            : fmt::format("for {} x {}", grouped(e.gpus, 0), e.accelerator_title);
    text += " " + term_sentence(e.cost.obligation->hours, e.cost.obligation->usd, whose);
  }
  return text;
}

// Returns the platform, with its GPUs if it is the target of several rows.
std::string row_name(const TransferResult& result, const TransferRow& row) {
  const auto same = [&](const TransferRow& other) {
    return other.estimate.accelerator == row.estimate.accelerator;
  };
  const std::string& name = row.estimate.accelerator;
  if (std::ranges::count_if(result.targets, same) < 2) return name;
  return fmt::format("{} x {}", grouped(row.estimate.gpus, 0), name);
}

// Returns the reasons for the width of the ranges, each with its targets.
std::vector<std::string> residual_sentences(const TransferResult& result) {
  std::vector<std::pair<std::string, std::string>> reasons;  // reason, platforms
  for (const TransferRow& row : result.targets) {
    const std::string reason =
        fmt::format("sigma {:.3f}: {}", row.residual.sigma, row.residual.why);
    const auto known =
        std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
    if (known == reasons.end()) {
      reasons.emplace_back(reason, row_name(result, row));
    } else {
      known->second += ", " + row_name(result, row);
    }
  }
  std::vector<std::string> out;
  for (const auto& [reason, platforms] : reasons) out.push_back(platforms + ": " + reason);
  return out;
}

// Ranges without the measurement.
Table transfer_spread_table(const TransferResult& result) {
  Table table({{"platform"},
               number_column("GPU-hours, 80% range"),
               number_column("without the measurement"),
               number_column("total without it")});
  for (const TransferRow& row : result.targets) {
    table.add_row({row_name(result, row), gpu_hour_range_words(row.gpu_hours),
                   gpu_hour_range_words(row.unanchored.gpu_hours),
                   row.unanchored.total_usd ? Cell(money_range_words(*row.unanchored.total_usd))
                                            : Cell::unknown()});
  }
  return table;
}

std::vector<Estimate> distinct_platforms(const TransferResult& result) {
  std::vector<Estimate> out = {result.source.estimate};
  for (const TransferRow& row : result.targets) {
    const auto same = [&](const Estimate& e) { return e.accelerator == row.estimate.accelerator; };
    if (std::ranges::none_of(out, same)) out.push_back(row.estimate);
  }
  return out;
}

// Ranges of the total of all platforms on one scale.
Ranges transfer_totals(const TransferResult& result) {
  Ranges ranges = platform_ranges("Range of the total by platform");
  for (const TransferRow& row : result.targets) {
    if (!row.usd) continue;
    add_range_row(ranges, row_name(result, row), *row.usd, rough_money,
                  [](double usd) { return Cell::number(usd, NumberKind::money); });
  }
  return ranges;
}

std::vector<std::string> transfer_warnings(const TransferResult& result) {
  std::vector<std::string> lines = result.warnings;
  for (const Estimator::Failure& failure : result.failures) lines.push_back(failure_line(failure));
  return lines;
}

Page transfer_page(const TransferReport& report) {
  const TransferResult& result = report.result;
  Page page{"Transfer", made_by(report.price_data_date), {}};
  page.titled = false;
  page.add(Paragraph{transfer_sentence(report.request, result), Ink::good});
  page.add(Paragraph{measurement_sentence(report.request, result)});
  page.add(Heading{"Platforms"});
  page.add(Grid{transfer_table(result)}).add(transfer_totals(result));
  const Scenario scenario = scenario_from_json(report.scenario, "scenario");
  page.add(Paragraph{price_legend(distinct_platforms(result), report.price_data_date,
                                  scenario.text(Field::cost_as_of)),
                     Ink::dim});
  page.add(Warnings{transfer_warnings(result), true});
  page.add(Heading{.text = "Remaining uncertainty",
                   .note = "errors of workload and software cancel out",
                   .detail = true});
  for (const std::string& line : residual_sentences(result)) {
    page.add(Paragraph{line, Ink::plain, 2, true});
  }
  page.add(Grid{transfer_spread_table(result)});
  add_assumption_table(page, result.source.estimate.assumptions,
                       result.source.estimate.accelerator);
  page.add(Heading{.text = "Prices", .in_text = false});
  page.add(Facts{price_facts(distinct_platforms(result), report.price_data_date)});
  return page;
}

}  // namespace

Document transfer_document(const TransferReport& report) {
  Document document = document_of(kTransfer, report, [&report] { return transfer_page(report); });
  document.budget = [&report] {
    std::vector<BudgetCase> cases;
    for (const TransferRow& row : report.result.targets) {
      cases.push_back({row_name(report.result, row), &row.estimate});
    }
    return budget_of(cases);
  };
  document.scenario = report.scenario;
  return document;
}

}  // namespace trcost::report
