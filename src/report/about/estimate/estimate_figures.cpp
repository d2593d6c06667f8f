// SPDX-License-Identifier: Apache-2.0
// The parts of an estimate's page with figures: bill, range, waterfall, memory, cluster sizes.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "catalog/layout/layout.h"
#include "performance/memory/memory.h"
#include "report/about/estimate/estimate.h"
#include "report/page/comparison.h"
#include "report/page/estimate_tables.h"
#include "report/page/money_facts.h"
#include "report/page/wording.h"
#include "trcost/bill.h"

namespace trcost::report {
namespace {

std::string peak_percent(double share) {
  constexpr double kSmallest = 0.0005;  // smaller shares would round to 0.0%
  if (share > 0 && share < kSmallest) return format_number(share, NumberKind::fraction, 2);
  return fmt::format("{:.1f}%", share * 100);
}

// Adds the items of the total as shares of it.
void add_bill_bars(Page& page, const Estimate& e) {
  if (!e.cost.total || !(*e.cost.total > 0)) return;
  const std::vector<std::string> amounts = shown_amounts(e.cost);
  Bars bars{.title = "The rows of the total",
            .bars = {},
            .numbers = items_table(e),
            .in_text = false,
            .axis = "of the total"};
  for (std::size_t i = 0; i < e.cost.items.size(); ++i) {
    const LineItem& item = e.cost.items[i];
    if (!item.included || !item.amount) continue;
    bars.bars.push_back({item_name(item), *item.amount / *e.cost.total, amounts[i]});
  }
  if (bars.bars.size() > 1) page.add(std::move(bars));
}

// Returns P10, P50 and P90 of the total of each platform, the cheapest first.
Ranges total_ranges(const Report& report) {
  Ranges ranges{"Range of the total by platform", {}, range_table(report.estimates)};
  for (const Estimate* e : sort_platforms(report.estimates)) {
    if (!e->range.total_usd) continue;
    const Quantiles& q = *e->range.total_usd;
    const auto money = [&](double usd) { return mark_imputed(short_money(usd), e->cost); };
    ranges.rows.push_back({platform_label(*e, report.estimates),
                           {q.p10, q.p50, q.p90},
                           {money(q.p10), money(q.p50), money(q.p90)}});
  }
  return ranges;
}

std::string label_of_point(const ClusterPoint& point, const Report& report) {
  const auto estimate =
      std::ranges::find(report.estimates, point.accelerator, &Estimate::accelerator);
  return estimate == report.estimates.end() ? point.accelerator
                                            : platform_label(*estimate, report.estimates);
}

Table clusters_table(const Report& report) {
  Table table({{.title = "Platform"},
               number_column("GPUs"),
               number_column("Wall-clock"),
               number_column("Total"),
               {.title = "Frontier"}});
  for (const ClusterPoint& p : report.clusters) {
    const Cell gpus = Cell::number(p.gpus, grouped(p.gpus, 0));
    table.add_row({label_of_point(p, report), p.chosen ? gpus.strong() : gpus,
                   Cell::number(p.wall_clock_seconds, NumberKind::duration),
                   money_cell(p.total_usd), Cell::boolean(p.frontier)});
  }
  return table;
}

}  // namespace

void add_waterfall(Page& page, const Estimate& e) {
  const std::vector<WaterfallStep> steps = waterfall_steps(e);
  if (steps.empty()) return;
  page.add(Heading{"Where the peak goes", "efficiency, and the share of the peak that remains"});
  constexpr int kValueWidth = 16;
  Bars bars{.title = "What is left of dense peak after each step",
            .bars = {{"dense peak", 1, peak_percent(1)}},
            .numbers = waterfall_table(e),
            .axis = "step keeps, peak left",
            .value_width = kValueWidth};
  for (const WaterfallStep& step : steps) {
    bars.bars.push_back(
        {term_words(step.term), step.left,
         fmt::format("{:>7} {:>8}", peak_percent(step.share), peak_percent(step.left)),
         step.left / step.share});
  }
  page.add(std::move(bars));
}

void add_memory(Page& page, const Estimate& e) {
  const double capacity = e.memory.capacity;
  page.add(Heading{
      "Memory of the fullest GPU",
      fmt::format("{} of {}{}", format_number(e.memory.total, NumberKind::bytes),
                  format_number(capacity, NumberKind::bytes),
                  !may_fit(e.memory)
                      ? ": DOES NOT FIT"
                      : fmt::format(", {:.0f}% likely to fit", 100 * fits_probability(e.memory))) +
          (e.memory.host > 0
               ? fmt::format("; {} of its host's", format_number(e.memory.host, NumberKind::bytes))
               : std::string())});
  constexpr int kLabelWidth = 11;
  constexpr int kValueWidth = 8;
  Bars bars{.title = "Memory of the fullest GPU by component",
            .bars = {},
            .numbers = memory_table(e),
            .axis = "of " + format_number(capacity, NumberKind::bytes),
            .label_width = kLabelWidth,
            .value_width = kValueWidth};
  for (const HeldPart& part : held_parts(e.memory)) {
    if (part.bytes <= 0) continue;
    bars.bars.push_back({std::string(part.name), capacity > 0 ? part.bytes / capacity : 0,
                         format_number(part.bytes, NumberKind::bytes)});
  }
  page.add(std::move(bars));
}

void add_bill(Page& page, const Estimate& e) {
  if (e.cost.items.empty()) return;
  page.add(Heading{"Bill", bill_subtitle(e)}).add(Grid{items_table(e)});
  add_bill_bars(page, e);
  page.add(Paragraph{std::string(kStaffNote), Ink::dim});
  if (std::string even = break_even_words(e.cost); !even.empty())
    page.add(Paragraph{std::move(even)});
}

void add_platform_ranges(Page& page, const Report& report) {
  Ranges ranges = total_ranges(report);
  if (!ranges.rows.empty()) page.add(std::move(ranges));
}

void add_drivers(Page& page, const Estimate& e) {
  const RangeResult& range = e.range;
  if (range.contributions.empty()) return;
  const auto amount = [&](double value) {
    return range.total_usd ? brief_money(value) : gpu_hour_words(value) + " GPU-hours";
  };
  Bars bars{.title = "Share of each input in the range of the total",
            .bars = {},
            .numbers = Table({{.title = "Input"},
                              number_column("Share of the range"),
                              number_column("Low"),
                              number_column("High")}),
            .axis = "of the range"};
  for (const Contribution& each : range.contributions) {
    bars.bars.push_back(
        {each.input, each.share,
         fmt::format("{:.0f}%, {} to {}", 100 * each.share, amount(each.low), amount(each.high))});
    bars.numbers.add_row({each.input, Cell::number(each.share, NumberKind::fraction, 2),
                          Cell::number(each.low, amount(each.low)),
                          Cell::number(each.high, amount(each.high))});
  }
  page.add(Heading{"What moves the total most",
                   "share of the range, and the total if only this input is low or high"});
  page.add(std::move(bars));
  page.add(Paragraph{
      fmt::format("80% likely: {} to {} GPU-hours and {} to {}. Computed by {}.",
                  gpu_hour_words(range.gpu_hours.p10), gpu_hour_words(range.gpu_hours.p90),
                  time_words(range.wall_clock_seconds.p10),
                  time_words(range.wall_clock_seconds.p90), range.method),
      Ink::dim});
}

void add_range(Page& page, const Report& report, const Estimate& detailed) {
  Ranges ranges = total_ranges(report);
  const RangeResult& range = detailed.range;
  if (range.method.empty() && ranges.rows.empty()) return;
  page.add(Heading{"Range of the total", "P10, median and P90"});
  page.add(std::move(ranges));
  if (range.method.empty()) return;
  page.add(Paragraph{
      fmt::format("{}: {} to {} GPU-hours, {} to {} wall-clock", detailed.accelerator,
                  gpu_hour_words(range.gpu_hours.p10), gpu_hour_words(range.gpu_hours.p90),
                  format_number(range.wall_clock_seconds.p10, NumberKind::duration),
                  format_number(range.wall_clock_seconds.p90, NumberKind::duration))});
  const std::string drivers = contribution_words(range);
  if (!drivers.empty()) page.add(Paragraph{"What moves the total most: " + drivers, Ink::plain, 2});
  page.add(Paragraph{"By " + range.method, Ink::dim, 2});
}

void add_clusters(Page& page, const Report& report) {
  Curve curve{.title = "Total against wall-clock over cluster sizes",
              .x = {"wall-clock", NumberKind::duration, true},
              .y = {"total", NumberKind::money, true},
              .series = {},
              .numbers = clusters_table(report),
              .numbers_only_behind = true};
  Curve::Series frontier{"nothing sooner is cheaper", {}, true, true};
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const ClusterPoint& p : report.clusters) {
    if (!p.total_usd) continue;
    least = std::min(least, *p.total_usd);
    most = std::max(most, *p.total_usd);
    const std::string name = label_of_point(p, report);
    if (curve.series.empty() || curve.series.back().name != name) {
      curve.series.push_back({name, {}});
    }
    const std::string words = fmt::format("{} GPUs: {}, {}", grouped(p.gpus, 0),
                                          format_number(p.wall_clock_seconds, NumberKind::duration),
                                          short_money(*p.total_usd));
    curve.series.back().points.push_back({p.wall_clock_seconds, *p.total_usd, words, p.chosen});
    if (p.frontier) frontier.points.push_back({p.wall_clock_seconds, *p.total_usd});
  }
  constexpr std::size_t kFewest = 3;     // two points need no figure
  constexpr double kLeastSpread = 1.02;  // of totals that are worth a figure
  if (report.clusters.size() < kFewest || curve.series.empty() || most < kLeastSpread * least) {
    return;
  }
  std::ranges::stable_sort(frontier.points, {}, &Curve::Point::x);
  if (frontier.points.size() > 1) curve.series.push_back(std::move(frontier));
  page.add(Heading{.text = "What time costs",
                   .note = "each cluster from an eighth to eight times its size, the answer ringed",
                   .in_text = false});
  page.add(std::move(curve));
}

}  // namespace trcost::report
