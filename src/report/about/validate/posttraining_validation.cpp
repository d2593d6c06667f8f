// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "report/about/documents.h"
#include "report/about/validate/validation.h"
#include "report/page/page.h"
#include "study/validate/validation_columns.h"

namespace trcost::report {
namespace {

Table rounds_table(const PosttrainingValidation& v) {
  Table table({{.title = "id"},
               {.title = "round", .overflow = Overflow::cut},
               {.title = "framework", .overflow = Overflow::drop},
               number_column("seconds"),
               number_column("predicted"),
               number_column("error"),
               number_column("left out")});
  const auto seconds = [](double value) {
    return Cell::number(value, fmt::format("{:.4g}", value));
  };
  for (const PosttrainingReplay& row : v.rows) {
    if (row.whole) continue;
    table.add_row(
        {row.run->id, row.run->title, row.framework, seconds(row.measured),
         row.problem.empty() ? seconds(row.predicted) : Cell::unknown(),
         row.problem.empty() ? signed_share_cell(row.error) : Cell(row.problem),
         row.left_out ? signed_share_cell(*row.left_out / row.measured - 1) : Cell::unknown()});
  }
  return table;
}

Table whole_rounds_table(const PosttrainingValidation& v) {
  Table table({{.title = "run", .overflow = Overflow::cut},
               number_column("GPU-hours"),
               number_column("predicted"),
               number_column("P10"),
               number_column("P90"),
               number_column("error"),
               {.title = "inside"}});
  for (const PosttrainingReplay& row : v.rows) {
    if (!row.whole || !row.problem.empty()) continue;
    const auto hours = [](double value) { return Cell::number(value, NumberKind::count); };
    const char* inside = row.inside ? "yes" : row.measured > row.range.p90 ? "above" : "below";
    table.add_row({row.run->title, hours(row.measured), hours(row.predicted), hours(row.range.p10),
                   hours(row.range.p90), signed_share_cell(row.error), inside});
  }
  return table;
}

// Returns the published rows that were not replayed, with the reasons.
std::vector<std::string> posttraining_validation_warnings(const PosttrainingValidation& v) {
  std::vector<std::string> lines;
  for (const PosttrainingReplay& row : v.rows) {
    if (row.problem.empty()) continue;
    const std::string_view unit = row.whole ? "GPU-hours" : "seconds a round";
    lines.push_back(fmt::format("{} ({} {}) is not replayed: {}", row.run->title,
                                grouped(row.run->measured.value_or(0), 0), unit, row.problem));
  }
  return lines;
}

std::string round_answer(const PosttrainingValidation& v) {
  if (!v.all.left_out) {
    return fmt::format("The predicted time of a round has a median error of {:.0f}%.",
                       100 * v.all.median);
  }
  return fmt::format(
      "The predicted time of a round has a median error of {:.0f}% on rounds that it was not "
      "fitted to. One in ten is off by more than {:.0f}%. The 80% range contains {:.0f}% of them.",
      100 * v.all.left_out->median, 100 * v.all.left_out->p90, 100 * v.all.left_out->inside);
}

std::string round_basis(const PosttrainingValidation& v) {
  std::string text = fmt::format(
      "{} rounds. Fitted to them: median error {:.1f}%, 90th percentile {:.1f}%, bias {:+.1f}%.",
      v.all.rows, 100 * v.all.median, 100 * v.all.p90, 100 * v.all.bias);
  if (const auto& left = v.all.left_out) {
    text += fmt::format(
        " With the model (today's frameworks) or the source (those of early 2025) left out of "
        "the fit: median {:.1f}%, 90th percentile {:.1f}%.",
        100 * left->median, 100 * left->p90);
  }
  return text;
}

std::string whole_run_words(const PosttrainingValidation& v) {
  return fmt::format(
      "{} whole runs of {} sources, one vote each: factor {:.2f}, bias x{:.2f}. The 80% range "
      "contains {:.0f}%.",
      v.runs.rows, v.runs.sources, v.runs.factor, v.runs.bias, 100 * v.runs.coverage);
}

Curve round_curve(const PosttrainingValidation& v) {
  std::vector<MatchPoint> points;
  for (const PosttrainingReplay& row : v.rows) {
    if (row.whole || !row.problem.empty()) continue;
    points.push_back({row.run->title, row.framework, row.measured, row.predicted});
  }
  return match_curve("Predicted against measured seconds of a round", "measured seconds", points,
                     rounds_table(v));
}

Page posttraining_validation_page(const PosttrainingValidation& v, bool rows) {
  Page page{"Post-training validation", made_by(), {}};
  page.add(Paragraph{round_answer(v), Ink::good});
  page.add(Paragraph{round_basis(v)});
  if (rows) page.add(Heading{"Rounds"}).add(Grid{.table = rounds_table(v), .sorts = true});
  if (v.all.rows > 0) {
    add_validation_summaries(page, v.summaries, v.all);
    page.add(round_curve(v));
  }
  page.add(Heading{"Whole runs"}).add(Grid{whole_rounds_table(v)});
  return page.add(Paragraph{whole_run_words(v)}).add(Warnings{posttraining_validation_warnings(v)});
}

}  // namespace

Document posttraining_validation_document(const PosttrainingValidation& validation, bool rows) {
  return document_of(kPosttrainingValidation, validation, [&validation, rows] {
    return posttraining_validation_page(validation, rows);
  });
}

}  // namespace trcost::report
