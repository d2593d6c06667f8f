// SPDX-License-Identifier: Apache-2.0
#include "report/page/estimate_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/layout/layout.h"
#include "report/page/wording.h"

namespace trcost::report {

std::vector<WaterfallStep> waterfall_steps(const Estimate& estimate) {
  constexpr double kWorthShowing = 0.9995;
  std::vector<WaterfallStep> steps;
  double left = 1;
  for (const WaterfallTerm& term : estimate.waterfall) {
    left *= term.share;
    if (term.share < kWorthShowing || term.share > 1 / kWorthShowing) {
      steps.push_back({term.term, term.share, left});
    }
  }
  return steps;
}

Table waterfall_table(const Estimate& estimate) {
  Table table({{.title = "Term"},
               {.title = "Share", .align = Align::right},
               {.title = "Left of the peak", .align = Align::right}});
  for (const WaterfallStep& step : waterfall_steps(estimate)) {
    table.add_row({term_words(step.term), Cell::number(step.share, NumberKind::fraction),
                   Cell::number(step.left, NumberKind::fraction)});
  }
  return table;
}

Table memory_table(const Estimate& estimate) {
  Table table({{.title = "On the fullest device"}, {.title = "Size", .align = Align::right}});
  for (const HeldPart& part : held_parts(estimate.memory)) {
    table.add_row({std::string(part.name), Cell::number(part.bytes, NumberKind::bytes)});
  }
  table.add_row({"total", Cell::number(estimate.memory.total, NumberKind::bytes).strong()});
  table.add_row({"capacity", Cell::number(estimate.memory.capacity, NumberKind::bytes)});
  if (estimate.memory.host > 0) {
    table.add_row({"in the host", Cell::number(estimate.memory.host, NumberKind::bytes)});
  }
  return table;
}

Table assumptions_table(std::span<const Assumption> assumptions) {
  Table table({{.title = "Field"},
               {.title = "Value", .overflow = Overflow::wrap},
               {.title = "Why", .overflow = Overflow::wrap},
               {.title = "Source", .overflow = Overflow::wrap}});
  for (const Assumption& a : assumptions) {
    table.add_row({a.path,
                   a.unit.empty() ? assumed_value_words(a) : assumed_value_words(a) + " " + a.unit,
                   a.why, a.source});
  }
  return table;
}

void add_assumed(Page& page, std::span<const Assumption> assumptions, std::string_view whose) {
  if (assumptions.empty()) return;
  std::string note = "what the question left open";
  if (!whose.empty()) note += fmt::format(", as answered on {}", whose);
  page.add(Heading{.text = "Assumed", .note = std::move(note), .in_text = false});
  page.add(Grid{assumptions_table(assumptions)});
}

Table phases_table(const Estimate& estimate) {
  const auto right = [](const char* title) {
    return TableColumn{.title = title, .align = Align::right};
  };
  Table table({{.title = "Phase"},
               right("GPUs"),
               right("Tokens"),
               right("Time of a round"),
               right("GPU-hours"),
               right("Cost")});
  if (estimate.phases.size() < 2) return table;
  for (const PhaseResult& p : estimate.phases) {
    table.add_row({phase_words(p), Cell::number(p.gpus, grouped(p.gpus, 0)),
                   p.tokens > 0 ? Cell::number(p.tokens, NumberKind::count) : Cell(""),
                   Cell::number(p.step_seconds, NumberKind::duration),
                   Cell::number(p.gpu_hours, gpu_hour_words(p.gpu_hours)),
                   p.cost ? Cell::number(*p.cost, with_kind(short_money(*p.cost), estimate.cost))
                          : Cell::unknown()});
  }
  return table;
}

Table phases_compared(std::span<const Estimate> estimates) {
  std::vector<TableColumn> columns = {{.title = "Phase"}};
  for (const Estimate& e : estimates) {
    columns.push_back({.title = e.accelerator, .align = Align::right});
  }
  columns.push_back({.title = "Cheapest", .strong = true});
  Table table(std::move(columns));
  const auto& first = estimates.front().phases;
  const auto like_first = [&](const Estimate& e) {
    return std::ranges::equal(e.phases, first, {}, &PhaseResult::name, &PhaseResult::name);
  };
  if (estimates.size() < 2 || first.size() < 2 || !std::ranges::all_of(estimates, like_first)) {
    return table;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    PhaseResult phase = first[i];
    phase.engine.reset();  // each platform has its own
    std::vector<Cell> cells = {Cell(phase_words(phase))};
    const Estimate* cheapest = nullptr;
    for (const Estimate& e : estimates) {
      const std::optional<double> cost = e.phases[i].cost;
      cells.push_back(cost ? Cell::number(*cost, with_kind(short_money(*cost), e.cost))
                           : Cell::unknown());
      if (cost && (cheapest == nullptr || *cost < *cheapest->phases[i].cost)) cheapest = &e;
    }
    cells.push_back(cheapest != nullptr ? Cell(cheapest->accelerator) : Cell::unknown());
    table.add_row(std::move(cells));
  }
  return table;
}

Table range_table(std::span<const Estimate> estimates) {
  Table table({{.title = "Platform"},
               {.title = "What"},
               {.title = "P10", .align = Align::right},
               {.title = "P50", .align = Align::right},
               {.title = "P90", .align = Align::right}});
  const auto row = [&](const Estimate& e, const char* what, const Quantiles& q, NumberKind kind) {
    table.add_row({e.accelerator, what, Cell::number(q.p10, kind), Cell::number(q.p50, kind),
                   Cell::number(q.p90, kind)});
  };
  for (const Estimate& e : estimates) {
    if (e.range.method.empty()) continue;
    if (e.range.total_usd) {
      const Quantiles& q = *e.range.total_usd;
      const auto money = [&](double usd) {
        return Cell::number(usd, with_kind(short_money(usd), e.cost));
      };
      table.add_row({e.accelerator, "total", money(q.p10), money(q.p50), money(q.p90)});
    }
    row(e, "GPU-hours", e.range.gpu_hours, NumberKind::count);
    row(e, "wall-clock", e.range.wall_clock_seconds, NumberKind::duration);
  }
  return table;
}

Table stages_table(const Estimate& estimate) {
  Table table({{.title = "Stage"},
               {.title = "Tokens", .align = Align::right},
               {.title = "FLOP", .align = Align::right},
               {.title = "GPUs", .align = Align::right},
               {.title = std::string(kSplitTitle), .align = Align::right},
               {.title = "Memory", .align = Align::right},
               {.title = "MFU", .align = Align::right},
               {.title = "GPU-hours", .align = Align::right},
               {.title = "Wall-clock", .align = Align::right}});
  for (const StageResult& s : estimate.stages) {
    table.add_row({s.name, Cell::number(s.tokens, NumberKind::count),
                   Cell::number(s.flops, flop_words(s.flops)),
                   Cell::number(s.gpus, grouped(s.gpus, 0)), split_words(s.layout),
                   fmt::format("{}{}", format_number(s.memory.total, NumberKind::bytes),
                               s.memory.fits ? "" : ": does not fit"),
                   Cell::number(s.mfu, NumberKind::fraction),
                   Cell::number(s.gpu_hours, gpu_hour_words(s.gpu_hours)),
                   Cell::number(s.wall_clock_seconds, NumberKind::duration)});
  }
  return table;
}

}  // namespace trcost::report
