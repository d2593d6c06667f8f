// SPDX-License-Identifier: Apache-2.0
#include "trcost/validation_report.h"

#include <fmt/format.h>

namespace trcost {
namespace {

std::string layout_words(const Layout& l) {
  std::string text = fmt::format("{} mb {:g} {} {}", degree_words(l), l.micro_batch,
                                 sharding_name(l.sharding), recompute_name(l.recompute));
  if (l.recompute_layers > 0) text += fmt::format(" +{} layers", l.recompute_layers);
  return text;
}

Cell percent(double share) { return Cell::number(share, fmt::format("{:+.1f} %", 100 * share)); }

Cell plain_percent(double share) {
  return Cell::number(share, fmt::format("{:.1f} %", 100 * share));
}

Cell rate(double tokens) { return Cell::number(tokens, fmt::format("{:.0f}", tokens)); }

}  // namespace

Table validation_table(const ValidationResult& result) {
  Table table({{.title = "id"},
               {.title = "model"},
               {.title = "task"},
               {.title = "accelerator"},
               {.title = "GPUs", .key = "gpus", .align = Align::right},
               {.title = "precision"},
               {.title = "stack"},
               {.title = "layout", .overflow = Overflow::drop},
               {.title = "chosen", .key = "planned", .overflow = Overflow::drop},
               {.title = "predicted", .key = "predicted_tokens_per_second_per_gpu",
                .align = Align::right},
               {.title = "measured", .key = "measured_tokens_per_second_per_gpu",
                .align = Align::right},
               {.title = "error", .align = Align::right, .strong = true},
               {.title = "weight", .align = Align::right, .overflow = Overflow::drop},
               {.title = "source", .overflow = Overflow::drop},
               {.title = "problem", .overflow = Overflow::drop}});
  for (const ValidationRow& row : result.rows) {
    const ThroughputRow& m = *row.measured;
    const bool known = row.problem.empty();
    table.add_row({m.id, m.model, m.task, m.accelerator, Cell::number(m.gpus, NumberKind::count),
                   precision_name(m.precision), m.stack.empty() ? "typical" : m.stack,
                   known ? Cell(layout_words(row.layout)) : Cell::unknown(),
                   Cell::boolean(row.planned), known ? rate(row.predicted) : Cell::unknown(),
                   rate(m.tokens_per_second_per_gpu),
                   known ? percent(row.error) : Cell::unknown(),
                   Cell::number(m.weight, fmt::format("{:.3g}", m.weight)), m.source, row.problem});
  }
  return table;
}

Table validation_summary_table(const ValidationResult& result) {
  Table table({{.title = "by", .key = "dimension"},
               {.title = "which", .key = "value", .overflow = Overflow::cut},
               {.title = "rows", .align = Align::right},
               {.title = "experiments", .key = "groups", .align = Align::right},
               {.title = "median", .key = "median_error", .align = Align::right, .strong = true},
               {.title = "p90", .key = "p90_error", .align = Align::right},
               {.title = "bias", .align = Align::right}});
  const auto add = [&](const ValidationSummary& s) {
    table.add_row({s.dimension, s.value, Cell::number(s.rows, NumberKind::count),
                   Cell::number(s.groups, NumberKind::count), plain_percent(s.median),
                   plain_percent(s.p90), percent(s.bias)});
  };
  std::string_view before;
  for (const ValidationSummary& summary : result.summaries) {
    if (!before.empty() && summary.dimension != before) table.add_rule();
    before = summary.dimension;
    add(summary);
  }
  table.add_rule();
  add(result.all);
  return table;
}

std::string validation_summary(const ValidationResult& result) {
  const ValidationSummary& all = result.all;
  return fmt::format(
      "{} measured rows ({} experiments): median error {:.1f} %, 90th percentile {:.1f} %, bias "
      "{:+.1f} %. Constants were fitted to these rows; what they miss with whole sources left out "
      "stands in data/efficiency/residuals.csv.\n",
      all.rows, all.groups, 100 * all.median, 100 * all.p90, 100 * all.bias);
}

}  // namespace trcost
