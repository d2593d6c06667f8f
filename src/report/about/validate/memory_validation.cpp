// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <map>

#include "catalog/layout/layout.h"
#include "report/about/documents.h"
#include "report/about/validate/validation.h"
#include "report/page/page.h"
#include "study/validate/validation_columns.h"

namespace trcost::report {
namespace {

Table peaks_table(const MemoryValidation& v) {
  Table table({{.title = "id"},
               {.title = "run", .overflow = Overflow::cut},
               {.title = "stack", .overflow = Overflow::drop},
               {.title = "counter"},
               number_column("measured", "measured_bytes"),
               number_column("predicted", "predicted_bytes"),
               number_column("error", "", Overflow::keep, true),
               {.title = "source", .overflow = Overflow::drop}});
  const auto bytes = [](double value) { return Cell::number(value, NumberKind::bytes); };
  for (const MemoryReplay& row : v.rows) {
    if (!row.problem.empty()) continue;
    table.add_row({row.run->id, row.run->title, row.stack,
                   Cell(word_of(kMemoryCounters, row.figure->counter)), bytes(row.measured),
                   bytes(row.predicted), signed_share_cell(row.error), row.source});
  }
  return table;
}

// Returns the reasons why rows were not replayed, with their numbers.
std::vector<std::string> memory_validation_warnings(const MemoryValidation& v) {
  std::map<std::string_view, int> reasons;
  for (const MemoryReplay& row : v.rows) {
    if (!row.problem.empty()) reasons[row.problem] += 1;
  }
  std::vector<std::string> lines;
  for (const auto& [reason, rows] : reasons) {
    lines.push_back(fmt::format("{} not replayed: {}",
                                rows == 1 ? "one row is" : fmt::format("{} rows are", rows),
                                reason));
  }
  return lines;
}

std::string memory_answer(const MemoryValidation& v) {
  return fmt::format(
      "The predicted peaks of memory have a median error of {:.0f}%. One source in ten is off by "
      "more than {:.0f}%.",
      100 * v.all.median, 100 * v.all.p90);
}

std::string memory_basis(const MemoryValidation& v) {
  return fmt::format(
      "{} published peaks of {} sources with equal weight: median error {:.1f}%, 90th "
      "percentile {:.1f}%, bias {:+.1f}%. One vote per source, the mean logarithm of predicted / "
      "measured of its rows: factor {:.2f}, 90th percentile {:.2f}, bias x{:.2f}.",
      v.all.rows, v.votes.sources, 100 * v.all.median, 100 * v.all.p90, 100 * v.all.bias,
      v.votes.factor, v.votes.p90_factor, v.votes.bias);
}

Curve peak_curve(const MemoryValidation& v) {
  std::vector<MatchPoint> points;
  for (const MemoryReplay& row : v.rows) {
    if (!row.problem.empty()) continue;
    points.push_back({row.run->title, std::string(word_of(kMemoryCounters, row.figure->counter)),
                      row.measured, row.predicted});
  }
  return match_curve("Predicted against measured bytes of the fullest accelerator",
                     "measured bytes", points, peaks_table(v));
}

Page memory_validation_page(const MemoryValidation& v, bool rows) {
  Page page{"Memory validation", made_by(), {}};
  page.add(Paragraph{memory_answer(v), Ink::good});
  page.add(Paragraph{memory_basis(v)});
  if (rows) page.add(Heading{"Published peaks"}).add(Grid{.table = peaks_table(v), .sorts = true});
  if (v.all.rows > 0) {
    add_validation_summaries(page, v.summaries, v.all);
    page.add(peak_curve(v));
  }
  return page.add(Warnings{memory_validation_warnings(v)});
}

}  // namespace

Document memory_validation_document(const MemoryValidation& validation, bool rows) {
  return document_of(kMemoryValidation, validation,
                     [&validation, rows] { return memory_validation_page(validation, rows); });
}

}  // namespace trcost::report
