// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "report/about/documents.h"
#include "report/about/validate/validation.h"
#include "report/page/page.h"
#include "study/validate/validation_columns.h"

namespace trcost::report {
namespace {

// Names of the kinds of measurement, for people.
constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
    {"throughput", "training speed"},
    {"memory", "memory peak"},
    {"vision", "vision-language"},
    {"rounds", "RL rounds"},
    {"serving", "serving speed"}};

std::string kind_words(std::string_view kind) {
  for (const auto& [name, words] : kKinds) {
    if (name == kind) return std::string(words);
  }
  return std::string(kind);
}

Cell inside_cell(const FirstSummary& s) {
  return s.inside ? share_cell(*s.inside) : Cell::unknown();
}

Table kinds_table(const FirstPredictions& all) {
  Table table({{.title = "what", .key = "kind"},
               number_column("rows"),
               number_column("sources"),
               number_column("median", "median_error"),
               number_column("p90", "p90_error"),
               number_column("bias"),
               number_column("inside"),
               {.title = "predicted", .key = "date"}});
  for (const FirstSummary& s : all.summaries) {
    if (!s.source.empty()) continue;
    table.add_row({kind_words(s.kind), Cell::number(s.rows, NumberKind::count),
                   Cell::number(s.sources, NumberKind::count), share_cell(s.median),
                   share_cell(s.p90), signed_share_cell(s.bias), inside_cell(s), s.date});
  }
  return table;
}

Table sources_table(const FirstPredictions& all) {
  Table table({{.title = "source", .key = "source", .overflow = Overflow::cut},
               {.title = "what", .key = "kind", .overflow = Overflow::drop},
               number_column("rows"),
               number_column("median", "median_error"),
               number_column("bias"),
               number_column("inside")});
  for (const FirstSummary& s : all.summaries) {
    if (s.source.empty()) continue;
    table.add_row({s.source, kind_words(s.kind), Cell::number(s.rows, NumberKind::count),
                   share_cell(s.median), signed_share_cell(s.bias), inside_cell(s)});
  }
  return table;
}

Table rows_table(const FirstPredictions& all) {
  Table table({{.title = "id"},
               {.title = "source", .overflow = Overflow::cut},
               {.title = "unit", .overflow = Overflow::drop},
               number_column("measured"),
               number_column("predicted"),
               number_column("error"),
               {.title = "inside"}});
  const auto number = [](double value) {
    return Cell::number(value, fmt::format("{:.4g}", value));
  };
  for (const FirstPrediction& row : all.rows) {
    table.add_row({row.id, row.source, row.unit, number(row.measured),
                   row.predicted ? number(*row.predicted) : Cell::unknown(),
                   row.predicted ? signed_share_cell(row.error) : Cell::unknown(),
                   row.inside ? Cell::boolean(*row.inside) : Cell::unknown()});
  }
  return table;
}

Page first_predictions_page(const FirstPredictions& all, bool rows) {
  Page page{"Sources predicted before they were added", made_by(), {}};
  std::string answer;
  for (const FirstSummary& s : all.summaries) {
    if (!s.source.empty()) continue;
    answer +=
        fmt::format("{}{} {:.0f}%", answer.empty() ? "" : ", ", kind_words(s.kind), 100 * s.median);
  }
  page.add(
      Paragraph{"Median error on sources that the fit had not seen: " + answer + ".", Ink::good});
  page.add(
      Paragraph{"Each prediction was stored with its date and version before the source was "
                "added to the data. It does not change when the constants are fitted again. "
                "Sources have equal weight."});
  page.add(Heading{"Errors"}).add(Grid{kinds_table(all)});
  page.add(Heading{"By source"}).add(Grid{.table = sources_table(all), .sorts = true});
  if (rows) page.add(Heading{"Rows"}).add(Grid{.table = rows_table(all), .sorts = true});
  return page;
}

}  // namespace

Document first_predictions_document(const FirstPredictions& all, bool rows) {
  return document_of(kFirstPredictions, all,
                     [&all, rows] { return first_predictions_page(all, rows); });
}

}  // namespace trcost::report
