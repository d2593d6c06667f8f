// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/about/documents.h"
#include "report/page/document_head.h"
#include "report/page/estimate_tables.h"
#include "report/page/provenance.h"
#include "report/page/wording.h"
#include "report/workbook/budget.h"
#include "study/transfer/transfer.h"
#include "trcost/report.h"

namespace trcost::report {

namespace {

std::string span_words(const Quantiles& q, NumberKind kind) {
  return fmt::format("{} to {}", format_number(q.p10, kind), format_number(q.p90, kind));
}

std::string money_span(const Quantiles& q) {
  return fmt::format("{} to {}", rough_money(q.p10), rough_money(q.p90));
}

std::string count_words(const Quantiles& q) {
  return fmt::format("{} to {}", gpu_hour_words(q.p10), gpu_hour_words(q.p90));
}

// The measured platform first, then the targets.
Table people_table(const TransferResult& result) {
  Table table({{"platform"},
               {"GPUs", "", Align::right},
               {"time", "", Align::right, Overflow::keep, true},
               {"P10 to P90", "", Align::right},
               {"GPU-hours", "", Align::right},
               {"total", "", Align::right, Overflow::keep, true},
               {"P10 to P90", "", Align::right},
               {"MFU", "", Align::right, Overflow::drop}});
  const auto add = [&](const TransferRow& row) {
    const Estimate& e = row.estimate;
    table.add_row({e.accelerator, Cell::number(e.gpus, grouped(e.gpus, 0)),
                   Cell::number(e.wall_clock_seconds, NumberKind::duration),
                   row.seconds.p10 == row.seconds.p90
                       ? Cell("measured")
                       : Cell(span_words(row.seconds, NumberKind::duration)),
                   gpu_hour_words(e.gpu_hours),
                   e.cost.total ? Cell::number(*e.cost.total, total_words(e)) : Cell::unknown(),
                   row.usd ? Cell(money_span(*row.usd)) : Cell::unknown(),
                   Cell::number(e.performance.mfu, NumberKind::fraction)});
  };
  add(result.source);
  table.add_rule();
  for (const TransferRow& row : result.targets) add(row);
  return table;
}

std::string anchor_sentence(const TransferRequest& request, const TransferResult& result) {
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
      "Measured {} on {} x {}; predicted {}. The run takes {:.3g} times as long as predicted, at "
      "an "
      "MFU of {} instead of {}; the same factor is put on every target.",
      what, grouped(request.from_gpus, 0), source.estimate.accelerator, predicted, result.factor,
      format_number(source.estimate.performance.mfu, NumberKind::fraction),
      format_number(source.predicted_mfu, NumberKind::fraction));
}

// The platform, with its number where the same one stands there twice.
std::string row_name(const TransferResult& result, const TransferRow& row) {
  const auto same = [&](const TransferRow& other) {
    return other.estimate.accelerator == row.estimate.accelerator;
  };
  const std::string& name = row.estimate.accelerator;
  if (std::ranges::count_if(result.targets, same) < 2) return name;
  return fmt::format("{} x {}", grouped(row.estimate.gpus, 0), name);
}

// Why the range is as wide as it is; targets with the same reason share a sentence.
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

// What the measurement narrows.
Table transfer_spread_table(const TransferResult& result) {
  Table table({{"platform"},
               {"GPU-hours, P10 to P90", "", Align::right},
               {"without the measurement", "", Align::right},
               {"total without it", "", Align::right}});
  for (const TransferRow& row : result.targets) {
    table.add_row(
        {row_name(result, row), count_words(row.gpu_hours), count_words(row.unanchored.gpu_hours),
         row.unanchored.total_usd ? Cell(money_span(*row.unanchored.total_usd)) : Cell::unknown()});
  }
  return table;
}

std::vector<Estimate> estimates_of(const TransferResult& result) {
  std::vector<Estimate> out = {result.source.estimate};
  for (const TransferRow& row : result.targets) {
    const auto same = [&](const Estimate& e) { return e.accelerator == row.estimate.accelerator; };
    if (std::ranges::none_of(out, same)) out.push_back(row.estimate);
  }
  return out;
}

// The totals of all platforms on one scale.
Ranges totals(const TransferResult& result) {
  Ranges ranges = platform_ranges("Range of the total by platform");
  for (const TransferRow& row : result.targets) {
    if (!row.usd) continue;
    const Quantiles& q = *row.usd;
    ranges.rows.push_back({row_name(result, row),
                           {q.p10, q.p50, q.p90},
                           {rough_money(q.p10), rough_money(q.p50), rough_money(q.p90)}});
    ranges.numbers.add_row({row_name(result, row), Cell::number(q.p10, NumberKind::money),
                            Cell::number(q.p50, NumberKind::money),
                            Cell::number(q.p90, NumberKind::money)});
  }
  return ranges;
}

std::vector<std::string> warning_lines(const TransferResult& result) {
  std::vector<std::string> lines = result.warnings;
  for (const Estimator::Failure& failure : result.failures) lines.push_back(failure_line(failure));
  return lines;
}

Page page_of(const TransferReport& report) {
  const TransferResult& result = report.result;
  Page page{"Transfer", made_by(report.price_data_date), {}};
  page.add(Paragraph{anchor_sentence(report.request, result)});
  page.add(Heading{"Measured, and carried over", "P10 to P90: four chances in five"});
  page.add(Grid{people_table(result)}).add(totals(result));
  page.add(
      Heading{"What is still uncertain", "workload and stack are the measured ones and cancel"});
  for (const std::string& line : residual_sentences(result)) {
    page.add(Paragraph{line, Ink::plain, 2, true});
  }
  page.add(Grid{transfer_spread_table(result)});
  add_assumed(page, result.source.estimate.assumptions, result.source.estimate.accelerator);
  page.add(Heading{"Prices"});
  page.add(Facts{provenance_facts(estimates_of(result), report.price_data_date)});
  return page.add(Warnings{warning_lines(result)});
}

}  // namespace

Document transfer_document(const TransferReport& report) {
  Document document = document_of(kTransfer, report, [&report] { return page_of(report); });
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
