// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/about/documents.h"
#include "report/page/document_head.h"
#include "report/page/wording.h"
#include "report/workbook/budgets.h"
#include "study/serve/serving_columns.h"

namespace trcost::report {

namespace {

std::string serving_layout_words(const ServingLayout& l, double prefill) {
  if (prefill > 0) {
    return fmt::format("{} + {:.0f} for prompts", serving_layout_words(l, 0), prefill);
  }
  if (l.gpus == 1) return "1 GPU";
  std::string text = fmt::format("{} GPUs", l.gpus);
  if (l.tp > 1) text += fmt::format(" tp{}", l.tp);
  if (l.dp > 1) text += fmt::format(" dp{}", l.dp);
  if (l.ep > 1 && l.ep != l.gpus) text += fmt::format(" ep{}", l.ep);
  return text;
}

Cell serving_rate(double value) {
  return Cell::number(value, speed_words(value));
}
Cell duration_cell(double value) {
  return Cell::number(value, NumberKind::duration);
}
Cell whole_number(double value) {
  return Cell::number(std::floor(value), grouped(std::floor(value), 0));
}
Cell serving_money(std::optional<double> usd, bool imputed) {
  return usd ? Cell::number(*usd, with_kind(short_money(*usd), imputed)) : Cell::unknown();
}
TableColumn serving_column(const char* title) {
  return {title, {}, Align::right};
}

std::string serving_range(const ServingRow& row) {
  const auto range = row.cost_range();
  if (!range) return "n/a";
  return fmt::format("{}-{}", with_kind(short_money(range->p10), row.cost.imputed),
                     short_money(range->p90).substr(1));
}

// The range of several platforms is drawn below.
Table serving_platforms(const ServingReport& report) {
  std::vector<TableColumn> columns = {{"accelerator"}, {"weights"}, {"replica"}};
  for (const char* title :
       {"requests", "tok/s/user", "1st token", "tok/s/GPU", "$/GPU-h", "$/M out"}) {
    columns.push_back(serving_column(title));
  }
  const bool alone = report.rows.size() == 1;
  if (alone) columns.push_back(serving_column("P10-P90"));
  Table table(columns);
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) {
      std::vector<Cell> cells = {row.accelerator, "no answer"};
      cells.resize(columns.size(), Cell(""));
      table.add_row(std::move(cells));
      continue;
    }
    std::vector<Cell> cells = {
        row.accelerator,
        fmt::format("{}/{}", weight_format_name(row.format), row.cache_format()),
        serving_layout_words(row.layout, row.point.prefill_gpus),
        whole_number(row.concurrency),
        serving_rate(row.point.user_rate()),
        duration_cell(row.point.ttft_seconds),
        serving_rate(row.point.output_per_gpu),
        serving_money(row.cost.price_per_gpu_hour, row.cost.imputed),
        serving_money(row.cost.output, row.cost.imputed)};
    if (alone) cells.emplace_back(serving_range(row));
    table.add_row(std::move(cells));
  }
  return table;
}

Ranges serving_ranges(const ServingReport& report) {
  Ranges ranges{
      "Dollars per million output tokens, P10 to P90",
      {},
      Table(
          {{"accelerator"}, serving_column("P10"), serving_column("P50"), serving_column("P90")})};
  for (const ServingRow& row : report.rows) {
    const auto q = row.cost_range();
    if (!row.problem.empty() || !q) continue;
    const auto cell = [&](double usd) { return serving_money(usd, row.cost.imputed); };
    ranges.rows.push_back({row.accelerator,
                           {q->p10, q->p50, q->p90},
                           {cell(q->p10).text(), cell(q->p50).text(), cell(q->p90).text()}});
    ranges.numbers.add_row({row.accelerator, cell(q->p10), cell(q->p50), cell(q->p90)});
  }
  return ranges;
}

// The platform to look at first: the fewest dollars per output token, else the first answer; or
// null.
const ServingRow* chosen(const ServingReport& report) {
  const ServingRow* best = nullptr;
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) continue;
    const bool cheaper = best != nullptr && row.cost.output && best->cost.output &&
                         *row.cost.output < *best->cost.output;
    if (best == nullptr || cheaper) best = &row;
  }
  return best;
}

Table costs_table(const ServingRow& row) {
  Table table({{"paid by"},
               serving_column("$/GPU-hour"),
               serving_column("1M output"),
               serving_column("1M input"),
               serving_column("1M of both"),
               {"date"}});
  for (const TokenCost& c : row.costs) {
    table.add_row({c.pricing, serving_money(c.price_per_gpu_hour, c.imputed),
                   serving_money(c.output, c.imputed), serving_money(c.input, c.imputed),
                   serving_money(c.total, c.imputed), c.date});
  }
  return table;
}

Bars step_bars(const ServingRow& row) {
  const DecodeStep& s = row.point.step;
  const std::pair<const char*, double> parts[] = {
      {"dense weights", s.dense},    {"experts", s.experts},
      {"KV cache", s.cache},         {"all-reduce", s.tensor},
      {"all-to-all", s.exchange},    {"drafting", s.draft},
      {"host and launches", s.host}, {"prompts of others", row.point.prefill_seconds}};
  const double all = s.total() + row.point.prefill_seconds;
  Bars bars{"Where the time of one decode step goes",
            {},
            Table({{"part"}, serving_column("time"), serving_column("share")})};
  for (const auto& [name, value] : parts) {
    if (value <= 0) continue;
    bars.bars.push_back({name, value / all,
                         fmt::format("{} ({})", format_number(value, NumberKind::duration),
                                     format_number(value / all, NumberKind::fraction))});
    bars.numbers.add_row(
        {name, duration_cell(value), Cell::number(value / all, NumberKind::fraction)});
  }
  return bars;
}

std::string request_words(const ServingCurvePoint& p) {
  return fmt::format("{} request{}", grouped(p.concurrency, 0), p.concurrency == 1 ? "" : "s");
}

// Every platform's, on one pair of axes.
Curve platform_curves(const ServingReport& report) {
  Curve curve{.title = "Throughput against interactivity by platform",
              .x = {"tokens/s per user", NumberKind::number, true},
              .y = {"output tokens/s per GPU", NumberKind::number, true},
              .series = {},
              .numbers = Table({{"accelerator"},
                                serving_column("requests"),
                                serving_column("tok/s/user"),
                                serving_column("tok/s/GPU"),
                                serving_column("$/M out")}),
              .numbers_apart = true};
  for (const ServingRow& row : report.rows) {
    Curve::Series series{row.title, {}};
    for (const ServingCurvePoint& p : row.curve) {
      const std::string requests = request_words(p);
      series.points.push_back({p.point.user_rate(), p.point.output_per_gpu, requests,
                               p.concurrency == row.concurrency});
      curve.numbers.add_row({row.title, whole_number(p.concurrency),
                             serving_rate(p.point.user_rate()),
                             serving_rate(p.point.output_per_gpu),
                             serving_money(p.per_million_output, row.cost.imputed)});
    }
    if (!series.points.empty()) curve.series.push_back(std::move(series));
  }
  if (curve.series.size() < 2) curve.series.clear();
  return curve;
}

Curve throughput_curve(const ServingRow& row) {
  Table numbers({serving_column("requests"), serving_column("tok/s/user"),
                 serving_column("1st token"), serving_column("tok/s/GPU"),
                 serving_column("$/M out")});
  Curve::Series series{row.title, {}, true};
  for (const ServingCurvePoint& p : row.curve) {
    numbers.add_row({whole_number(p.concurrency), serving_rate(p.point.user_rate()),
                     duration_cell(p.point.ttft_seconds), serving_rate(p.point.output_per_gpu),
                     serving_money(p.per_million_output, row.cost.imputed)});
    series.points.push_back({p.point.user_rate(), p.point.output_per_gpu, request_words(p)});
  }
  return {"Throughput against interactivity",
          {"tokens/s per user", NumberKind::number, true},
          {"output tokens/s per GPU", NumberKind::number, true},
          {std::move(series)},
          false,
          std::move(numbers),
          true};
}

Table claim_table(const ClaimJudgement& claim) {
  Table table({{"accelerator"},
               {"paid by"},
               serving_column("price"),
               serving_column("sold"),
               {"tokens"},
               serving_column("needed"),
               serving_column("predicted"),
               {"verdict"}});
  for (const ClaimCase& c : claim.cases) {
    table.add_row({c.reference.empty() ? c.accelerator : c.accelerator + " over " + c.reference,
                   c.pricing, c.price ? serving_money(c.price, c.imputed) : Cell(""),
                   c.sold ? Cell::number(*c.sold, NumberKind::fraction) : Cell(""),
                   c.all_tokens ? "in and out" : "out", Cell::number(c.needed, NumberKind::count),
                   Cell::number(c.predicted, NumberKind::count), Cell(verdict_words(c.verdict))});
  }
  return table;
}

std::vector<Fact> serving_question(const ServingReport& report) {
  const ServingQuestion& q = report.question;
  std::string model = fmt::format("{}: {} parameters", report.model,
                                  format_number(report.params_total, NumberKind::count));
  if (report.params_active < report.params_total) {
    model += fmt::format(", {} active", format_number(report.params_active, NumberKind::count));
  }
  std::string load = fmt::format("{} tokens in, {} out", grouped(q.load.input_tokens, 0),
                                 grouped(q.load.output_tokens, 0));
  if (q.tokens_per_second_per_user) {
    load +=
        fmt::format(", at least {} tokens/s per user", speed_words(*q.tokens_per_second_per_user));
  } else if (q.load.concurrency) {
    load += fmt::format(", {} in flight per replica", grouped(*q.load.concurrency, 0));
  } else {
    load += ", as many in flight as memory holds";
    if (report.least_per_user) {
      load += fmt::format(" at {} tokens/s per user or more", speed_words(*report.least_per_user));
    }
  }
  return {{"Model", model},
          {"Requests", load},
          {"Engine", q.engine},
          {"Sold", format_number(q.sold, NumberKind::fraction) + " of the capacity"}};
}

std::string answer(const ServingReport& report, const ServingRow& row) {
  if (!row.cost.output) return row.title + ": no price is known; --price gives one";
  return fmt::format("{}{} serves a million output tokens for {} ({}), each user at {} tokens/s",
                     report.rows.size() > 1 ? "Cheapest: " : "", row.title,
                     with_kind(short_money(*row.cost.output), row.cost.imputed), serving_range(row),
                     speed_words(row.point.user_rate()));
}

void add_claim(const ClaimJudgement& claim, Page& page) {
  page.add(Heading{"The claim", "in " + claim.unit});
  page.add(Grid{claim_table(claim)});
  page.add(Paragraph{claim.verdict, Ink::good});
  for (const std::string& note : claim.notes) page.add(Paragraph{note, Ink::plain, 2, true});
}

void add_detail(const ServingRow& row, Page& page) {
  page.add(Heading{row.title + ": what a million tokens cost",
                   "the whole cost over each kind of token"});
  page.add(Grid{costs_table(row)});
  page.add(Heading{row.title + ": one decode step"});
  page.add(step_bars(row));
  if (row.curve.empty()) return;
  page.add(Heading{row.title + ": throughput against interactivity", "same layout"});
  page.add(throughput_curve(row));
}

void add_derivations(const ServingRow& row, Page& page) {
  if (row.derivations.empty()) return;
  page.add(Heading{row.title + ", formula by formula"});
  int number = 0;
  for (const Derivation& d : row.derivations) {
    page.add(Paragraph{fmt::format("{}. {} = {}", ++number, d.name, d.formula)});
    page.add(Paragraph{fmt::format("= {}", d.numbers), Ink::plain, 4});
    page.add(Paragraph{fmt::format("= {}   ({})", d.result, d.source), Ink::plain, 4});
  }
}

std::vector<std::string> warnings(const ServingReport& report) {
  std::vector<std::string> lines = report.warnings;
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) lines.push_back(row.accelerator + ": " + row.problem);
  }
  return lines;
}

Page page_of(const ServingReport& report) {
  Page page{"Serving", made_by(report.price_data_date), {}};
  page.subject = report.model;
  page.add(Facts{serving_question(report)});
  if (report.claim) add_claim(*report.claim, page);
  page.add(Heading{"Platforms", "tok: output tokens; M out: a million of them; weights/KV cache"});
  page.add(Grid{serving_platforms(report)});
  const ServingRow* row = chosen(report);
  if (row != nullptr) page.add(Paragraph{answer(report, *row), Ink::good});
  Ranges ranges = serving_ranges(report);
  if (ranges.rows.size() > 1) page.add(std::move(ranges));
  page.add(platform_curves(report));
  if (row != nullptr) add_detail(*row, page);
  for (const ServingRow& each : report.rows) add_derivations(each, page);
  page.add(Heading{"Assumed"});
  for (const Assumption& a : report.assumptions)
    page.add(Paragraph{assumption_words(a), Ink::plain, 2, true});
  return page.add(Warnings{warnings(report)});
}

}  // namespace

Document serving_document(const ServingReport& report) {
  Document document = document_of(kServing, report, [&report] { return page_of(report); });
  document.budget = [&report] { return serving_budget(report); };
  document.scenario = report.scenario;
  return document;
}

}  // namespace trcost::report
