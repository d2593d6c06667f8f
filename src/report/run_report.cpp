// SPDX-License-Identifier: Apache-2.0
#include "trcost/run_report.h"

#include <fmt/format.h>

#include "trcost/numbers.h"

namespace trcost {

Table run_table(const RunValidation& validation) {
  Table table({{.title = "run", .key = "run", .overflow = Overflow::wrap},
               {.title = "accelerator", .key = "accelerator"},
               {.title = "GPU-hours", .key = "reported_gpu_hours", .align = Align::right},
               {.title = "predicted", .key = "predicted_gpu_hours", .align = Align::right},
               {.title = "P10", .key = "p10", .align = Align::right},
               {.title = "P90", .key = "p90", .align = Align::right},
               {.title = "error", .key = "error", .align = Align::right},
               {.title = "inside", .key = "inside"},
               {.title = "note", .key = "note", .overflow = Overflow::wrap}});
  for (const RunReplay& row : validation.rows) {
    const bool known = row.problem.empty();
    const auto hours = [&](double value) {
      return known ? Cell::number(value, NumberKind::count) : Cell::unknown();
    };
    table.add_row(
        {row.run->name,
         row.accelerator.empty() ? Cell(row.run->accelerator) : Cell(row.accelerator),
         row.reported > 0 ? Cell::number(row.reported, NumberKind::count) : Cell::unknown(),
         hours(row.predicted), hours(row.range.p10), hours(row.range.p90),
         known ? Cell::number(row.error, fmt::format("{:+.0f}%", 100 * row.error))
               : Cell::unknown(),
         known ? Cell(row.inside                     ? "yes"
                      : row.reported > row.range.p90 ? "above"
                                                     : "below")
               : Cell::unknown(),
         known ? Cell(row.run->what_is_included) : Cell(row.problem)});
  }
  return table;
}

std::string run_summary(const RunValidation& v) {
  return fmt::format(
      "the 80 % range holds the reported GPU-hours of {} of {} runs ({:.0f} %); {} used less, {} "
      "more; reported / predicted has the median {:.2f}, |error| {:.0f} %",
      v.inside, v.replayed, 100 * v.coverage, v.below, v.above, v.median_ratio,
      100 * v.median_error);
}

}  // namespace trcost
