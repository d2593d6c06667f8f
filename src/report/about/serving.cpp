// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "catalog/models/weight_formats.h"
#include "quantity/quantity.h"
#include "report/about/documents.h"
#include "report/page/money_facts.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "report/workbook/calculation.h"
#include "scenario/choices.h"
#include "study/serve/serving_columns.h"
#include "trcost/serving.h"

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

Cell speed_cell(double tokens_per_second) {
  return Cell::number(tokens_per_second, speed_words(tokens_per_second));
}

Cell request_cell(double requests) {
  return Cell::number(std::floor(requests), grouped(std::floor(requests), 0));
}

// The platform for people.
std::string platform_title(const ServingRow& row) {
  return row.title.empty() ? row.accelerator : row.title;
}

// Returns the rows by the price of output tokens, those at an estimated price after the others and
// those without an answer last.
std::vector<const ServingRow*> rows_by_cost(const ServingReport& report) {
  std::vector<const ServingRow*> out;
  for (const ServingRow& row : report.rows) out.push_back(&row);
  std::ranges::stable_sort(out, {}, [](const ServingRow* row) {
    return std::tuple(!row->problem.empty(), !row->cost.output, row->cost.imputed,
                      row->cost.output.value_or(0));
  });
  return out;
}

std::string serving_range_words(const ServingRow& row) {
  const auto range = row.cost_range();
  if (!range) return "n/a";
  return fmt::format("{}-{}", mark_imputed(short_money(range->p10, 2), row.cost.imputed),
                     short_money(range->p90, 2));
}

Table serving_platforms(const ServingReport& report) {
  std::vector<TableColumn> columns = {
      {"platform"}, {.title = "weights", .overflow = Overflow::drop}, {"replica"}};
  for (const char* title :
       {"requests", "tok/s/user", "1st token", "tok/s/GPU", "$/GPU-h", "$/M out"}) {
    constexpr std::string_view kMinor[] = {"$/GPU-h", "requests", "1st token"};
    const bool minor = std::ranges::find(kMinor, title) != std::end(kMinor);
    columns.push_back(number_column(title, {}, minor ? Overflow::drop : Overflow::keep));
  }
  columns.push_back(number_column("80% range", {}, Overflow::drop));
  Table table(columns);
  for (const ServingRow* each : rows_by_cost(report)) {
    const ServingRow& row = *each;
    if (!row.problem.empty()) {
      std::vector<Cell> cells = {platform_title(row), "", "no answer"};
      cells.resize(columns.size(), Cell(""));
      table.add_row(std::move(cells));
      continue;
    }
    std::vector<Cell> cells = {
        platform_title(row),
        fmt::format("{}/{}", weight_format_name(row.format), row.cache_format()),
        serving_layout_words(row.layout, row.point.prefill_gpus),
        request_cell(row.concurrency),
        speed_cell(row.point.user_rate()),
        Cell::number(row.point.ttft_seconds, NumberKind::duration),
        speed_cell(row.point.output_per_gpu),
        money_cell(row.cost.price_per_gpu_hour, row.cost.imputed),
        money_cell(row.cost.output, row.cost.imputed)};
    cells.emplace_back(serving_range_words(row));
    table.add_row(std::move(cells));
  }
  return table;
}

Ranges serving_ranges(const ServingReport& report) {
  Ranges ranges{
      .title = "Dollars per million output tokens, P10 to P90",
      .rows = {},
      .numbers =
          Table({{"platform"}, number_column("P10"), number_column("P50"), number_column("P90")})};
  for (const ServingRow* each : rows_by_cost(report)) {
    const ServingRow& row = *each;
    const auto q = row.cost_range();
    if (!row.problem.empty() || !q) continue;
    const auto cell = [&](double usd) { return money_cell(usd, row.cost.imputed); };
    add_range_row(
        ranges, platform_title(row), *q, [&](double usd) { return cell(usd).text(); }, cell);
  }
  return ranges;
}

// Returns the platform with the cheapest output tokens, or null.
const ServingRow* cheapest_row(const ServingReport& report) {
  const std::vector<const ServingRow*> rows = rows_by_cost(report);
  return rows.empty() || !rows.front()->problem.empty() ? nullptr : rows.front();
}

Table costs_table(const ServingRow& row) {
  Table table({{"pricing"},
               number_column("$/GPU-hour"),
               number_column("$/M output"),
               number_column("$/M input"),
               number_column("$/M of both"),
               {.title = "prices of", .overflow = Overflow::drop}});
  for (const TokenCost& c : row.costs) {
    table.add_row({c.pricing, money_cell(c.price_per_gpu_hour, c.imputed),
                   money_cell(c.output, c.imputed), money_cell(c.input, c.imputed),
                   money_cell(c.total, c.imputed), c.date});
  }
  return table;
}

Bars step_bars(const ServingRow& row) {
  const DecodeStep& s = row.point.step;
  const std::pair<const char*, double> parts[] = {
      {"dense weights", s.dense},    {"experts", s.experts},
      {"KV cache", s.cache},         {"all-reduce", s.tensor},
      {"all-to-all", s.exchange},    {"drafting", s.draft},
      {"host and launches", s.host}, {"prefill of others", row.point.prefill_seconds}};
  const double all = s.total() + row.point.prefill_seconds;
  Bars bars{.title = "Where the time of one decode step goes",
            .bars = {},
            .numbers = Table({{"part"}, number_column("time"), number_column("share")}),
            .axis = "of the step"};
  for (const auto& [name, value] : parts) {
    if (value <= 0) continue;
    bars.bars.push_back({name, value / all,
                         fmt::format("{} ({})", format_number(value, NumberKind::duration),
                                     format_number(value / all, NumberKind::fraction))});
    bars.numbers.add_row({name, Cell::number(value, NumberKind::duration),
                          Cell::number(value / all, NumberKind::fraction)});
  }
  return bars;
}

std::string request_words(const ServingCurvePoint& p) {
  return fmt::format("{} request{}", grouped(p.concurrency, 0), p.concurrency == 1 ? "" : "s");
}

// The curves of all platforms on one pair of axes.
Curve platform_curves(const ServingReport& report) {
  Curve curve{.title = "Throughput by speed per user, by platform",
              .x = {"tokens/s per user", NumberKind::number, true},
              .y = {"output tokens/s per GPU", NumberKind::number, true},
              .series = {},
              .numbers = Table({{"platform"},
                                number_column("requests"),
                                number_column("tok/s/user"),
                                number_column("tok/s/GPU"),
                                number_column("$/M out")}),
              .numbers_only_behind = true};
  for (const ServingRow& row : report.rows) {
    Curve::Series series{row.title, {}};
    for (const ServingCurvePoint& p : row.curve) {
      const std::string requests = request_words(p);
      series.points.push_back({p.point.user_rate(), p.point.output_per_gpu, requests,
                               p.concurrency == row.concurrency});
      curve.numbers.add_row({row.title, request_cell(p.concurrency),
                             speed_cell(p.point.user_rate()), speed_cell(p.point.output_per_gpu),
                             money_cell(p.per_million_output, row.cost.imputed)});
    }
    if (!series.points.empty()) curve.series.push_back(std::move(series));
  }
  if (const auto& asked = report.question.tokens_per_second_per_user) {
    curve.mark = {*asked, "asked for"};
  }
  if (curve.series.size() < 2) curve.series.clear();
  return curve;
}

Curve throughput_curve(const ServingRow& row) {
  Table numbers({number_column("requests"), number_column("tok/s/user"), number_column("1st token"),
                 number_column("tok/s/GPU"), number_column("$/M out")});
  Curve::Series series{row.title, {}, true};
  for (const ServingCurvePoint& p : row.curve) {
    numbers.add_row({request_cell(p.concurrency), speed_cell(p.point.user_rate()),
                     Cell::number(p.point.ttft_seconds, NumberKind::duration),
                     speed_cell(p.point.output_per_gpu),
                     money_cell(p.per_million_output, row.cost.imputed)});
    series.points.push_back({p.point.user_rate(), p.point.output_per_gpu, request_words(p)});
  }
  return {.title = "Throughput by speed per user",
          .x = {"tokens/s per user", NumberKind::number, true},
          .y = {"output tokens/s per GPU", NumberKind::number, true},
          .series = {std::move(series)},
          .numbers = std::move(numbers),
          .in_text = true};
}

std::string_view verdict_title(Verdict verdict) {
  return verdict == Verdict::not_plausible ? "not plausible" : verdict_words(verdict);
}

Table claim_table(const ClaimJudgement& claim) {
  Table table({{.title = "accelerator", .overflow = Overflow::cut},
               {"pricing"},
               number_column("price", "", Overflow::drop),
               number_column("sold"),
               {"tokens"},
               number_column("claimed"),
               number_column("predicted"),
               number_column("tok/s/user", "", Overflow::drop),
               {"verdict"}});
  for (const ClaimCase& c : claim.cases) {
    table.add_row({c.reference.empty() ? c.accelerator : c.accelerator + " over " + c.reference,
                   c.pricing, c.price ? money_cell(c.price, c.imputed) : Cell(""),
                   c.sold ? Cell::number(*c.sold, NumberKind::fraction) : Cell(""),
                   c.all_tokens ? "in and out" : "out", speed_cell(c.needed),
                   speed_cell(c.predicted), c.speed ? speed_cell(*c.speed) : Cell(""),
                   Cell(verdict_title(c.verdict))});
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
    load += fmt::format(", {} at a time per replica", grouped(*q.load.concurrency, 0));
  }
  return {{"Model", model}, {"Requests", load}};
}

// A default of serving in words, from its value and the whole answer.
struct ServingDefault {
  std::string_view path, flag;
  std::string (*words)(const Assumption& assumed, const ServingReport& report);
};
constexpr ServingDefault kServingDefaults[] = {
    {"serve.tokens_per_second_per_user", "--tokens-per-second-per-user",
     [](const Assumption&, const ServingReport& report) {
       return fmt::format("At least {} tokens/s per user, as people read",
                          brief_words(*report.least_per_user, NumberKind::number, 3));
     }},
    {"serve.load", "--load",
     [](const Assumption&, const ServingReport&) {
       return std::string("All capacity is sold (a measured service: 58%)");
     }},
    {"serve.engine", "--engine",
     [](const Assumption&, const ServingReport&) {
       return std::string("Engine: not specified, so a typical one");
     }},
    {"serve.tuning", "--tuning",
     [](const Assumption&, const ServingReport&) {
       return std::string("Tuning: between published sweeps and usual");
     }},
    {"serve.precision", "--precision",
     [](const Assumption& a, const ServingReport&) {
       return a.why.find("released") == std::string::npos
                  ? fmt::format("Weights in {} if the chip computes in it", a.value)
                  : fmt::format("Weights in {}, as released", a.value);
     }},
};

Table serving_defaults(const ServingReport& report) {
  Table table({{.title = "", .overflow = Overflow::wrap}, number_column("")});
  for (const ServingDefault& each : kServingDefaults) {
    const auto found = std::ranges::find(report.assumptions, each.path, &Assumption::path);
    if (found == report.assumptions.end()) continue;
    table.add_row({each.words(*found, report), std::string(each.flag)});
  }
  return table;
}

std::string answer_words(const ServingReport& report, const ServingRow& row) {
  const std::string fleet = serving_layout_words(row.layout, row.point.prefill_gpus);
  if (!row.cost.output) {
    return fmt::format(
        "{} serves {} output tokens per second and GPU. Its price is not known: set --price.",
        row.title, speed_words(row.point.output_per_gpu));
  }
  std::string text = fmt::format(
      "Serving {} costs {} per million output tokens on {} ({} per replica)", report.model,
      mark_imputed(short_money(*row.cost.output, 2), row.cost.imputed), row.title, fleet);
  if (const auto range = row.cost_range()) {
    text += fmt::format(", 80% likely between {} and {}", short_money(range->p10, 2),
                        short_money(range->p90, 2));
  }
  const double sold = report.question.sold.value_or(1);
  text += sold < 1 ? fmt::format(". {:.0f}% of the capacity is sold.", 100 * sold)
                   : std::string(", if all capacity is sold.");
  text += fmt::format(" Each user gets {} tokens/s.", speed_words(row.point.user_rate()));
  const double hours = term_years(row.cost.pricing) * kHoursPerYear;
  if (hours == 0) return text;
  return text + " " + term_sentence(hours, *row.cost.price_per_gpu_hour * hours, "per GPU");
}

constexpr std::size_t kClaimRows = 6;  // of text: the first kind of rent

void add_claim(Page& page, const ClaimJudgement& claim) {
  page.add(Paragraph{claim.verdict, Ink::good});
  page.add(Heading{"The claim", "in " + claim.unit});
  page.add(Grid{.table = claim_table(claim), .in_text_rows = kClaimRows});
  for (const std::string& note : claim.notes) page.add(Paragraph{note, Ink::plain, 2, true});
}

void add_detail(Page& page, const ServingRow& row) {
  page.add(Heading{.text = row.title + ": price by kind of rent", .detail = true});
  page.add(
      Paragraph{"Each column divides the whole cost by one count of tokens: output, input, or "
                "both. They are three views of one cost and do not add up.",
                Ink::dim});
  page.add(Grid{costs_table(row)});
  page.add(Heading{.text = row.title + ": one decode step", .detail = true});
  page.add(step_bars(row));
  if (row.curve.empty()) return;
  page.add(Heading{
      .text = row.title + ": throughput by speed per user", .note = "same layout", .detail = true});
  page.add(throughput_curve(row));
}

void add_derivations(Page& page, const ServingRow& row) {
  if (row.derivations.empty()) return;
  page.add(Heading{.text = row.title + ", formula by formula"});
  int number = 0;
  for (const Derivation& d : row.derivations) {
    page.add(Paragraph{fmt::format("{}. {} = {}", ++number, d.name, d.formula)});
    page.add(Paragraph{fmt::format("= {}", d.numbers), Ink::plain, 4});
    page.add(Paragraph{fmt::format("= {}   ({})", d.result, d.source), Ink::plain, 4});
  }
}

std::vector<std::string> serving_warnings(const ServingReport& report) {
  std::vector<std::string> lines = report.warnings;
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) lines.push_back(platform_title(row) + ": " + row.problem);
  }
  return lines;
}

Page serving_page(const ServingReport& report) {
  Page page{"Serving", made_by(report.price_data_date), {}};
  page.subject = report.model;
  page.titled = false;
  const ServingRow* row = cheapest_row(report);
  if (row != nullptr && !report.claim) page.add(Paragraph{answer_words(report, *row), Ink::good});
  if (report.claim) add_claim(page, *report.claim);
  page.add(Heading{"Platforms"});
  page.add(Grid{serving_platforms(report)});
  Ranges ranges = serving_ranges(report);
  if (ranges.rows.size() > 1) {
    ranges.in_text = false;  // the table has them
    page.add(std::move(ranges));
  }
  page.add(Heading{"Your run"}).add(Facts{serving_question(report)});
  page.add(platform_curves(report));
  page.add(Heading{"Defaults that matter most"}).add(Grid{serving_defaults(report)});
  const bool imputed =
      std::ranges::any_of(report.rows, [](const ServingRow& each) { return each.cost.imputed; });
  page.add(
      Paragraph{fmt::format("{}{}More: --details, --explain.", imputed ? "~ Estimated price. " : "",
                            price_data_words(report.price_data_date)),
                Ink::dim});
  page.add(Warnings{serving_warnings(report), true});
  if (row != nullptr) add_detail(page, *row);
  for (const ServingRow& each : report.rows) add_derivations(page, each);
  page.add(Heading{.text = "All defaults", .detail = true, .folded = true});
  for (const Assumption& a : report.assumptions)
    page.add(Paragraph{assumption_words(a), Ink::plain, 2, true});
  return page;
}

// Returns dollars per million tokens from the price, tokens per second and the share sold, as live
// formulas.
Calculation serving_budget(const ServingReport& report) {
  Calculation out;
  constexpr double kMillion = 1e6;
  out.name = "Budget";
  out.notes = {"Marked cells are inputs. If you change one, this sheet recomputes.",
               "The other sheets do not change."};
  std::vector<const ServingRow*> rows;
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) continue;
    rows.push_back(&row);
    out.columns.push_back(platform_title(row));
  }
  out.add_heading("A GPU");
  const std::size_t rate = out.add("output tokens per second", "per GPU");
  const std::size_t in_rate = out.add("input tokens for each output token");
  const std::size_t sold = out.add("utilization", "", NumberKind::fraction);
  const std::size_t price = out.add("price", "USD per GPU-hour", NumberKind::money);
  out.add_heading("A million tokens");
  // price / (3600 x tokens per second x sold) x 1e6
  const std::size_t output = out.add("output", "USD per million", NumberKind::money);
  const std::size_t input = out.add("or input", "USD per million", NumberKind::money);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const ServingRow& row = *rows[c];
    const double per_output =
        report.question.load.input_tokens / report.question.load.output_tokens;
    out.set({rate, c}, Calculation::Given{row.point.output_per_gpu, true});
    out.set({in_rate, c}, Calculation::Given{per_output, false});
    out.set({sold, c}, Calculation::Given{row.cost.sold, true});
    out.set({price, c}, Calculation::Given{row.cost.price_per_gpu_hour, true});
    out.set({output, c},
            Calculation::Product{kMillion / kSecondsPerHour,
                                 {{{price, c}}, {{rate, c}, true}, {{sold, c}, true}}});
    if (row.cost.input)
      out.set({input, c}, Calculation::Product{1, {{{output, c}}, {{in_rate, c}, true}}});
    check_figure(out, {output, c}, row.cost.output);
    if (row.cost.input) check_figure(out, {input, c}, row.cost.input);
    if (!row.cost.source.empty()) {
      const std::string date = row.cost.date.empty() ? "" : " (" + row.cost.date + ")";
      out.sources.push_back({platform_title(row) + ": price per GPU-hour", row.cost.source + date});
    }
  }
  out.charts = {{Calculation::Chart::Kind::stacked, "A million output tokens, USD", {output}}};
  return out;
}

}  // namespace

Document serving_document(const ServingReport& report) {
  Document document = document_of(kServing, report, [&report] { return serving_page(report); });
  document.budget = [&report] { return serving_budget(report); };
  document.scenario = report.scenario;
  return document;
}

}  // namespace trcost::report
