// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/draw/workbook_file.h"
#include "report/sections.h"
#include "report/wording.h"
#include "trcost/columns.h"
#include "trcost/report.h"

namespace trcost {
namespace {

// A sheet with a bold first row that stays in view, beside the first column.
void start(WorkbookFile& book, const char* name, const std::vector<std::string>& header,
           const std::vector<double>& widths) {
  book.sheet(name, 1, 1);
  for (std::size_t c = 0; c < header.size(); ++c) book.text(c, header[c], true);
  for (std::size_t c = 0; c < widths.size(); ++c) book.width(c, widths[c]);
  book.next_row();
}

// Unknown is an empty cell.
void number(WorkbookFile& book, std::size_t column, std::optional<double> value) {
  if (value) book.number(column, *value);
}

// Every column of the table of columns as a row, every platform as a column.
void add_summary(WorkbookFile& book, const Report& report) {
  std::vector<std::string> header = {"Figure", "Unit"};
  std::vector<double> widths = {42, 16};
  for (const Estimate& e : report.estimates) {
    header.push_back(e.accelerator);
    widths.push_back(20);
  }
  header.emplace_back("Meaning");
  widths.push_back(60);
  start(book, "Summary", header, widths);
  for (const EstimateColumn& column : columns()) {
    book.text(0, column.path);
    book.text(1, column.unit);
    std::size_t c = 2;
    for (const Estimate& e : report.estimates) {
      if (column.kind == ColumnKind::text) {
        book.text(c, column.text(e));
      } else if (const auto value = column.number(e)) {
        if (column.kind == ColumnKind::boolean) {
          book.boolean(c, *value != 0);
        } else {
          number(book, c, value);
        }
      }
      ++c;
    }
    book.text(c, column.help);
    book.next_row();
  }
}

void add_items(WorkbookFile& book, const Report& report) {
  start(book, "Items",
        {"Platform", "Item", "Quantity", "Unit", "Unit price, USD", "Amount, USD", "In the total",
         "Source", "Date"},
        {18, 30, 16, 14, 16, 16, 12, 60, 12});
  for (const Estimate& e : report.estimates) {
    for (const LineItem& item : e.cost.items) {
      book.text(0, e.accelerator);
      book.text(1, item_name(item));
      number(book, 2, item.quantity);
      book.text(3, unit_name(item.unit));
      number(book, 4, item.unit_price);
      number(book, 5, item.amount);
      book.boolean(6, item.included);
      book.text(7, item.source);
      book.text(8, item.date);
      book.next_row();
    }
    book.text(0, e.accelerator, true);
    book.text(1, "Total", true);
    number(book, 5, e.cost.total);
    book.next_row();
  }
}

void add_waterfall(WorkbookFile& book, const Report& report) {
  start(book, "Waterfall", {"Platform", "Term", "Share"}, {18, 30, 12});
  for (const Estimate& e : report.estimates) {
    for (const WaterfallTerm& term : e.waterfall) {
      book.text(0, e.accelerator);
      book.text(1, term.term);
      number(book, 2, term.share);
      book.next_row();
    }
  }
}

void add_assumptions(WorkbookFile& book, const Report& report) {
  start(book, "Assumptions", {"Platform", "Field", "Value", "Unit", "Why", "Source"},
        {18, 30, 18, 14, 60, 60});
  for (const Estimate& e : report.estimates) {
    for (const Assumption& assumption : e.assumptions) {
      book.text(0, e.accelerator);
      book.text(1, assumption.path);
      book.text(2, assumption.value);
      book.text(3, assumption.unit);
      book.text(4, assumption.why);
      book.text(5, assumption.source);
      book.next_row();
    }
  }
}

void add_ranges(WorkbookFile& book, const Report& report) {
  start(book, "Ranges", {"Platform", "What", "Unit", "P10", "P50", "P90"},
        {18, 20, 14, 16, 16, 16});
  const auto row = [&](const Estimate& e, const char* what, const char* unit, const Quantiles& q) {
    book.text(0, e.accelerator);
    book.text(1, what);
    book.text(2, unit);
    number(book, 3, q.p10);
    number(book, 4, q.p50);
    number(book, 5, q.p90);
    book.next_row();
  };
  for (const Estimate& e : report.estimates) {
    if (e.range.method.empty()) continue;
    if (e.range.total_usd) row(e, "total", "USD", *e.range.total_usd);
    row(e, "GPU-hours", "GPU-hours", e.range.gpu_hours);
    row(e, "wall-clock", "s", e.range.wall_clock_seconds);
  }
}

// What made the file, and what makes it again.
void add_origin(WorkbookFile& book, const Report& report) {
  start(book, "Origin", {"What", "Value"}, {24, 120});
  const auto row = [&](std::string_view what, std::string_view value) {
    book.text(0, what);
    book.text(1, value);
    book.next_row();
  };
  row("trcost", trcost_version());
  row("price book", report.price_data_date);
  row("command", report.command);
  if (report.scenario == nullptr) return;
  row("scenario, as JSON", scenario_to_json(*report.scenario));
}

}  // namespace

std::string render_xlsx(const Report& report) {
  WorkbookFile book("Training cost");
  add_summary(book, report);
  add_items(book, report);
  add_waterfall(book, report);
  add_assumptions(book, report);
  add_ranges(book, report);
  add_origin(book, report);
  return book.close();
}

}  // namespace trcost
