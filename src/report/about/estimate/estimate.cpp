// SPDX-License-Identifier: Apache-2.0
#include "report/about/estimate/estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "estimate/columns/document_columns.h"
#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/plan_columns.h"
#include "report/about/documents.h"
#include "report/page/answer.h"
#include "report/page/comparison.h"
#include "report/page/estimate_tables.h"
#include "report/page/facts.h"
#include "report/page/money_facts.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "report/workbook/budget.h"
#include "trcost/bill.h"

namespace trcost::report {
namespace {

// A report with the text of its scenario, which a column points into.
struct EstimateAnswer {
  const Report* report = nullptr;
  std::string scenario;
};

const Columns<Setting>& setting_columns() {
  using namespace column;
  using S = Setting;
  static const Columns<Setting> table = {
      string("path", member<&S::path>, "field", Rank::key),
      string("value", member<&S::value>, "as JSON"),
      string("from", member<&S::from>, "the file or the variable of the environment")};
  return table;
}

const Columns<ClusterPoint>& cluster_columns() {
  using namespace column;
  using P = ClusterPoint;
  static const Columns<ClusterPoint> table = {
      string("accelerator", member<&P::accelerator>, "catalog name", Rank::key),
      accelerators("gpus", member<&P::gpus>, "of the cluster"),
      seconds("wall_clock_seconds", member<&P::wall_clock_seconds>, "from start to end"),
      usd("total_usd", member<&P::total_usd>, "of the bill"),
      boolean("chosen", member<&P::chosen>, "whether it is the estimate's"),
      boolean("frontier", member<&P::frontier>,
              "whether nothing of the list is both sooner and cheaper")};
  return table;
}

const Columns<EstimateAnswer>& answer_columns() {
  using namespace column;
  using A = EstimateAnswer;
  static const Columns<EstimateAnswer> table = {
      versions<A>(),
      price_date(member<&A::report, &Report::price_data_date>),
      raw_json("scenario", member<&A::scenario>, "what was asked, replayable with --scenario"),
      list<setting_columns>("settings", member<&A::report, &Report::settings>,
                            "of a config file and the environment that are part of the scenario"),
      list<estimate_columns>("estimates", member<&A::report, &Report::estimates>,
                             "one per platform"),
      list<alternative_columns>("alternatives", member<&A::report, &Report::alternatives>,
                                "the same with the tokens of published models"),
      list<cluster_columns>("clusters", member<&A::report, &Report::clusters>,
                            "the same on other sizes of cluster, with --details"),
      list<failure_columns>("failures", member<&A::report, &Report::failures>,
                            "platforms without an answer")};
  return table;
}

// A row of CSV: an estimate, or a platform without one.
struct PlatformRow {
  const Estimate* estimate = nullptr;
  std::string_view accelerator;
  std::string error = {};  // why there is no answer, or no total
};

struct PlatformRows {
  const Report* report = nullptr;
  std::vector<PlatformRow> rows;
};

Value value_of_row(const PlatformRow& row, std::uint32_t at) {
  const EstimateColumn& column = estimate_columns()[at];
  if (row.estimate != nullptr) return column.get(*row.estimate, column.arg);
  if (column.role == ColumnRole::platform) return row.accelerator;
  return {};
}

const Columns<PlatformRow>& platform_row_columns() {
  static const Columns<PlatformRow> table = [] {
    Columns<PlatformRow> out;
    for (std::size_t i = 0; i < estimate_columns().size(); ++i) {
      if (estimate_columns()[i].get == nullptr) continue;  // a list
      Column<PlatformRow> column;
      static_cast<ColumnInfo&>(column) = estimate_columns()[i];
      column.arg = static_cast<std::uint32_t>(i);
      column.get = value_of_row;
      out.add({column});
    }
    out.add({column::string("error", column::member<&PlatformRow::error>,
                            "why there is no answer, or no total")});
    return out;
  }();
  return table;
}

const Columns<PlatformRows>& platform_rows_columns() {
  using namespace column;
  using A = PlatformRows;
  static const Columns<PlatformRows> table = {
      versions<A>(), price_date(member<&A::report, &Report::price_data_date>),
      list<platform_row_columns>("estimates", member<&A::rows>, "one per platform")};
  return table;
}

void add_assumptions(Page& page, const Estimate& e) {
  if (e.assumptions.empty()) return;
  Heading heading{"Defaults", "of fields that were not set"};
  heading.text_note = "of fields that were not set. --explain adds the sources";
  page.add(std::move(heading));
  Grid grid{assumptions_table(e.assumptions)};
  int number = 0;
  const int digits = e.assumptions.size() < 10 ? 1 : 2;
  for (const Assumption& assumption : e.assumptions) {
    grid.in_text.push_back(
        {fmt::format("{:>{}}. {}", ++number, digits, assumption_words(assumption)), Ink::plain,
         digits + 2});
  }
  page.add(std::move(grid));
}

Page estimate_page_head(const Report& report) {
  Page page{"Training cost", made_by(report.price_data_date)};
  page.titled = false;
  if (!report.estimates.empty()) {
    const Estimate& e = report.estimates.front();
    page.subject = model_phrase(e.model, e.medium);
    if (e.model.from_size) page.subject.erase(0, page.subject.find(' ') + 1);  // the article
  }
  return page;
}

Page estimate_page(const Report& report) {
  if (report.estimates.empty()) return failure_page(report);
  const Estimate& e = report.estimates[cheapest_index(report.estimates)];
  const bool several = report.estimates.size() + report.failures.size() > 1;
  Page page = estimate_page_head(report);
  page.add(Heading{"The answer"}).add(Paragraph{answer_sentence(report), Ink::good});
  for (std::string& line : comparison_sentences(report)) page.add(Paragraph{std::move(line)});
  page.add(
      Heading{.text = several ? "Platforms side by side" : "The platform", .in_text = several});
  page.add(Grid{.table = comparison_table(report.estimates, report.failures), .splits = true});
  page.add(Heading{"Your run"}).add(Facts{question_facts(report)});
  add_failures(page, report);
  add_clusters(page, report);
  page.add(Heading{several ? e.accelerator + " in detail" : std::string("How it runs")});
  page.add(Facts{run_facts(e)});
  add_bill(page, e);
  add_range(page, report, e);
  add_waterfall(page, e);
  add_memory(page, e);
  if (!e.stages.empty()) page.add(Heading{"Stages"}).add(Grid{stages_table(e)});
  add_phases(page, e);
  add_phase_costs(page, report.estimates);
  const std::vector<Fact> pipeline = pipeline_facts(e);
  if (!pipeline.empty()) page.add(Heading{"Data pipeline"}).add(Facts{pipeline});
  add_assumptions(page, e);
  page.add(Heading{"Prices"}).add(Facts{price_facts(report.estimates, report.price_data_date)});
  return page.add(Warnings{estimate_warnings(report), true});
}

// A heading whose pieces are folded away in formats that can.
Heading folded(std::string text, std::string note = {}) {
  return {.text = std::move(text), .note = std::move(note), .folded = true};
}

// Returns the names of the figures side by side in JSON and CSV.
Table field_names_table() {
  Table table({{.title = "Figure"}, {.title = "Name"}, {.title = "Unit"}});
  for (const EstimateColumn& column : columns()) {
    if (column.beside.line.at == 0) continue;
    std::string_view label = column.beside.line.label;
    if (label.empty()) label = column.heading();
    label.remove_prefix(std::min(label.find_first_not_of(' '), label.size()));
    table.add_row({label, column.path, column.unit});
  }
  return table;
}

// The answer's table with what it costs first, which a narrow screen then shows.
Table cost_first(const Table& table) {
  constexpr std::ptrdiff_t kCost = 6;  // column of the cost, before its range and comparison
  const auto turn = [](auto& cells) {
    std::rotate(cells.begin() + 1, cells.begin() + kCost, cells.end());
  };
  std::vector<TableColumn> columns = table.columns();
  turn(columns);
  Table out(std::move(columns));
  for (std::vector<Cell> row : table.rows()) {
    turn(row);
    out.add_row(std::move(row));
  }
  return out;
}

// The page of documents: the answer and its comparison, then what decides it, then the details.
Page estimate_report(const Report& report) {
  if (report.estimates.empty()) return failure_page(report);
  const Estimate& e = report.estimates[cheapest_index(report.estimates)];
  const std::string name = platform_label(e, report.estimates);
  Page page = estimate_page_head(report);
  page.add(Paragraph{answer_sentence(report), Ink::good});
  page.add(Grid{.table = cost_first(answer_table(report)),
                .caption = "Platforms by cost",
                .beside_next = true});
  add_platform_ranges(page, report);
  for (std::string& line : comparison_sentences(report)) page.add(Paragraph{std::move(line)});
  page.add(Warnings{estimate_warnings(report), true});
  add_failures(page, report);
  page.add(WhatIf{cheapest_index(report.estimates)});
  const Table defaults = main_defaults(report);
  if (!defaults.rows().empty()) page.add(Heading{"Defaults that matter most"}).add(Grid{defaults});
  add_clusters(page, report);
  add_bill(page, e);
  add_drivers(page, e);
  add_waterfall(page, e);
  add_memory(page, e);
  if (!e.stages.empty()) page.add(Heading{"Stages"}).add(Grid{stages_table(e)});
  add_phases(page, e);
  add_phase_costs(page, report.estimates);
  page.add(Heading{report.estimates.size() > 1 ? "Platforms in detail" : "In detail"});
  page.add(Grid{.table = comparison_table(report.estimates, report.failures)});
  page.add(folded("Your run")).add(Facts{question_facts(report)});
  page.add(folded("How it runs on " + name)).add(Facts{run_facts(e)});
  const std::vector<Fact> pipeline = pipeline_facts(e);
  if (!pipeline.empty()) page.add(folded("Data pipeline")).add(Facts{pipeline});
  page.add(folded("Prices and their sources"));
  page.add(Facts{price_facts(report.estimates, report.price_data_date)});
  if (!e.assumptions.empty()) {
    page.add(folded("All defaults", "fields that were not set, as answered on " + name));
    page.add(Grid{assumptions_table(e.assumptions)});
  }
  page.add(folded("Names for machines", "in JSON and CSV, and for --select"));
  return page.add(Grid{field_names_table()});
}

Page estimate_text_page(const Report& report) {
  switch (report.detail) {
    case Detail::brief:
      return estimate_brief(report);
    case Detail::screen:
      return estimate_screen(report);
    case Detail::full:
      break;
  }
  return estimate_page(report);
}

}  // namespace

void add_failures(Page& page, const Report& report) {
  if (report.failures.empty()) return;
  Facts facts;
  for (const Estimator::Failure& each : report.failures) {
    facts.facts.push_back(
        {each.accelerator, each.message + (each.hint.empty() ? "" : ". Hint: " + each.hint)});
  }
  page.add(Heading{"Without an answer"}).add(std::move(facts));
}

Page failure_page(const Report& report) {
  Page page = estimate_page_head(report);
  page.add(Heading{"No platform has an answer"});
  for (const std::string& line : warning_lines(report)) page.add(Paragraph{line, Ink::warn, 2});
  return page;
}

const ColumnTable& estimate_document_columns() {
  return answer_columns();
}

Document estimate_document(const Report& report) {
  const auto answer = std::make_shared<EstimateAnswer>();
  answer->report = &report;
  answer->scenario = report.scenario != nullptr ? scenario_to_json(*report.scenario) : "{}";
  Document document{record_of(answer_columns(), *answer), "estimates",
                    [answer] { return estimate_report(*answer->report); }};
  document.text_page = [answer] { return estimate_text_page(*answer->report); };
  if (!report.estimates.empty()) {
    document.budget = [answer] { return budget_of(answer->report->estimates); };
  }
  document.scenario = answer->scenario;
  document.command = report.command;
  const bool priced = std::ranges::all_of(
      report.estimates, [](const Estimate& e) { return e.cost.total.has_value(); });
  if (report.failures.empty() && priced) return document;
  const auto rows = std::make_shared<PlatformRows>();
  rows->report = &report;
  for (const Estimate& each : report.estimates) {
    rows->rows.push_back({&each, each.accelerator});
    if (!each.cost.total) rows->rows.back().error = missing_price_words(report, each);
  }
  for (const Estimator::Failure& each : report.failures) {
    rows->rows.push_back({nullptr, each.accelerator, each.message});
  }
  document.lines = record_of(platform_rows_columns(), *rows);
  document.owned = rows;
  return document;
}

}  // namespace trcost::report

namespace trcost {

std::string render(const Report& report, Format format, const Style& style) {
  return render(estimate_document(report), format, style);
}

std::string render_json(const Report& report) {
  return render(report, Format::json, {});
}

}  // namespace trcost
