// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/about/documents.h"
#include "report/about/validate/validation.h"
#include "report/page/document_head.h"
#include "study/validate/validation_columns.h"

namespace trcost::report {

namespace {

using RoundRow = PosttrainingReplay;

TableColumn round_column(const char* title) {
  return {.title = title, .align = Align::right};
}

Cell amount(const RoundRow& row, double value) {
  return row.problem.empty() ? Cell::number(value, fmt::format("{:.4g}", value)) : Cell::unknown();
}

Table rounds_table(const PosttrainingValidation& v) {
  Table table({{.title = "id"},
               {.title = "round", .overflow = Overflow::cut},
               {.title = "framework"},
               round_column("seconds"),
               round_column("predicted"),
               round_column("error"),
               round_column("left out")});
  for (const RoundRow& row : v.rows) {
    if (row.whole) continue;
    table.add_row(
        {row.run->id, row.run->title, row.framework,
         Cell::number(row.measured, fmt::format("{:.4g}", row.measured)),
         amount(row, row.predicted),
         row.problem.empty() ? signed_share_cell(row.error) : Cell(row.problem),
         row.left_out ? signed_share_cell(*row.left_out / row.measured - 1) : Cell::unknown()});
  }
  return table;
}

std::string_view inside_words(const RoundRow& row) {
  return row.inside ? "yes" : row.measured > row.range.p90 ? "above" : "below";
}

Table whole_rounds_table(const PosttrainingValidation& v) {
  Table table({{.title = "run", .overflow = Overflow::cut},
               round_column("GPU-hours"),
               round_column("predicted"),
               round_column("P10"),
               round_column("P90"),
               round_column("error"),
               {.title = "inside"}});
  for (const RoundRow& row : v.rows) {
    if (!row.whole || !row.problem.empty()) continue;
    const auto hours = [](double value) { return Cell::number(value, NumberKind::count); };
    table.add_row({row.run->title, hours(row.measured), hours(row.predicted), hours(row.range.p10),
                   hours(row.range.p90), signed_share_cell(row.error), Cell(inside_words(row))});
  }
  return table;
}

// What was published and cannot be asked.
std::vector<std::string> open_rows(const PosttrainingValidation& v) {
  std::vector<std::string> lines;
  for (const RoundRow& row : v.rows) {
    if (row.problem.empty()) continue;
    const std::string_view unit = row.whole ? "GPU-hours" : "seconds a round";
    lines.push_back(fmt::format("{} ({} {}) is not replayed: {}", row.run->title,
                                grouped(row.run->measured.value_or(0), 0), unit, row.problem));
  }
  return lines;
}

std::string round_words(const PosttrainingValidation& v) {
  std::string text =
      fmt::format("{} rounds: median error {:.1f} %, 90th percentile {:.1f} %, bias {:+.1f} %.",
                  v.all.rows, 100 * v.all.median, 100 * v.all.p90, 100 * v.all.bias);
  if (const auto& left = v.all.left_out) {
    text += fmt::format(
        " With its model (modern) or source (early-2025) left out of the fit: median {:.1f} %, "
        "90th percentile {:.1f} %; the 80 % range holds {:.0f} %.",
        100 * left->median, 100 * left->p90, 100 * left->inside);
  }
  return text;
}

std::string run_words(const PosttrainingValidation& v) {
  return fmt::format(
      "{} whole runs of {} sources, one vote each: factor {:.2f}, bias x{:.2f}; the 80 % range "
      "holds "
      "{:.0f} %.",
      v.runs.rows, v.runs.sources, v.runs.factor, v.runs.bias, 100 * v.runs.coverage);
}

Curve round_curve(const PosttrainingValidation& v) {
  std::vector<MatchPoint> points;
  for (const RoundRow& row : v.rows) {
    if (row.whole || !row.problem.empty()) continue;
    points.push_back({row.run->title, row.framework, row.measured, row.predicted});
  }
  return match_curve("Predicted against measured seconds of a round", "measured seconds", points,
                     rounds_table(v));
}

Page page_of(const PosttrainingValidation& v, bool rows) {
  Page page{"Post-training validation", made_by(), {}};
  if (rows) page.add(Heading{"Rounds"}).add(Grid{rounds_table(v)});
  if (v.all.rows > 0) {
    add_validation_summaries(page, v.summaries, v.all);
    page.add(Paragraph{round_words(v)}).add(round_curve(v));
  }
  page.add(Heading{"Whole runs"}).add(Grid{whole_rounds_table(v)});
  return page.add(Paragraph{run_words(v)}).add(Warnings{open_rows(v)});
}

}  // namespace

Document posttraining_validation_document(const PosttrainingValidation& validation, bool rows) {
  return document_of(kPosttrainingValidation, validation,
                     [&validation, rows] { return page_of(validation, rows); });
}

}  // namespace trcost::report
