// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "prices/rows/price_book.h"
#include "report/about/estimate/estimate.h"
#include "report/page/comparison.h"
#include "report/page/estimate_tables.h"
#include "report/page/facts.h"
#include "report/page/money_facts.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "trcost/bill.h"

namespace trcost::report {
namespace {

// Returns a share in whole percent, or with a decimal if it would round to 100%.
std::string share_words(double share) {
  constexpr double kNearlyAll = 0.995;
  return fmt::format("{:.{}f}%", share * 100, share > kNearlyAll ? 1 : 0);
}

// Returns the largest efficiency losses, the worst first.
std::string largest_losses(const Estimate& e) {
  constexpr std::size_t kNamed = 4;
  std::vector<WaterfallStep> steps = waterfall_steps(e);
  std::ranges::stable_sort(steps, {}, &WaterfallStep::share);
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, steps.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "share left, worst first: " : ", ",
                        term_words(steps[i].term), share_words(steps[i].share));
  }
  return text;
}

std::string memory_words(const MemoryUse& memory) {
  const std::string host =
      memory.host > 0
          ? fmt::format("; {} of its host", format_number(memory.host, NumberKind::bytes))
          : std::string();
  return fmt::format("{} of {} on the fullest GPU{}{}",
                     format_number(memory.total, NumberKind::bytes),
                     format_number(memory.capacity, NumberKind::bytes),
                     !memory.fits   ? ": DOES NOT FIT"
                     : memory.tight ? ": tight"
                                    : "",
                     host);
}

// Amounts below half a cent, which only --details lists.
constexpr std::string_view kNoAmount = "$0.00";

// Returns the items of the bill in a sentence: those of the total, or the others. Of many others
// only the largest are named.
std::string bill_words(const Estimate& e, bool included) {
  constexpr std::size_t kMostExcluded = 6, kLargest = 3;
  const std::vector<std::string> amounts = shown_amounts(e.cost);
  const std::vector<LineItem>& items = e.cost.items;
  std::vector<std::size_t> listed;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].included == included && (included || amounts[i] != kNoAmount)) listed.push_back(i);
  }
  double smaller = 0;
  std::size_t left_off = 0;
  if (!included && listed.size() > kMostExcluded) {
    std::ranges::stable_sort(listed, std::ranges::greater{},
                             [&](std::size_t i) { return items[i].amount.value_or(0); });
    for (std::size_t k = kLargest; k < listed.size(); ++k)
      smaller += items[listed[k]].amount.value_or(0);
    left_off = listed.size() - kLargest;
    listed.resize(kLargest);
  }
  const bool few = included && listed.size() <= 2;
  std::string text;
  for (const std::size_t i : listed) {
    const bool imputed = is_imputed_item(e.cost, items[i]);
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", item_name(items[i]),
                        mark_imputed(amounts[i], imputed));
    if (few && items[i].unit_price) {
      text += fmt::format(" ({} x {})", item_quantity_words(items[i]),
                          mark_imputed(unit_money(*items[i].unit_price), imputed));
    }
  }
  if (left_off > 0) text += fmt::format("; {} smaller {}", left_off, short_money(smaller));
  return text;
}

// Returns the cash and power that owning takes, and the use from which it pays.
std::string owning_words(const Estimate& e) {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : "; ") + words; };
  if (e.cost.capital_usd) add("cash " + short_money(*e.cost.capital_usd));
  if (e.energy.site_megawatts) {
    add(format_number(*e.energy.site_megawatts, NumberKind::number) + " MW at the site");
  }
  if (e.cost.rent_per_gpu_hour && e.cost.break_even_utilization) {
    add(fmt::format("costs what renting at {} per GPU-hour does when in use {} of its hours",
                    unit_money(*e.cost.rent_per_gpu_hour),
                    format_number(*e.cost.break_even_utilization, NumberKind::fraction)));
  }
  return text;
}

std::string estimate_range_words(const Estimate& e) {
  const RangeResult& range = e.range;
  std::string text;
  if (range.total_usd) {
    text = fmt::format("{} to {}; ", mark_imputed(short_money(range.total_usd->p10), e.cost),
                       mark_imputed(short_money(range.total_usd->p90), e.cost));
  }
  return text + fmt::format("{} to {} GPU-hours, {} to {}", gpu_hour_words(range.gpu_hours.p10),
                            gpu_hour_words(range.gpu_hours.p90),
                            format_number(range.wall_clock_seconds.p10, NumberKind::duration),
                            format_number(range.wall_clock_seconds.p90, NumberKind::duration));
}

// Returns price, seller class and date.
std::string price_and_class_words(const CostResult& cost) {
  if (!cost.price_per_gpu_hour) return "not known";
  std::string text = mark_imputed(unit_money(*cost.price_per_gpu_hour), cost) + " per GPU-hour";
  if (cost.price_class) {
    const bool quoted = !cost.provider.empty() || !cost.doubts.imputed;
    text += fmt::format(", {}{}", quoted ? "" : "which no ", price_class_name(*cost.price_class));
    if (!quoted) text += " asks";
  }
  if (!cost.price_date.empty()) text += fmt::format(", prices of {}", cost.price_date);
  return text;
}

std::vector<Fact> bill_facts(const Estimate& e) {
  std::vector<Fact> facts = {{"Bill", bill_words(e, true)}};
  if (const std::string beside = bill_words(e, false); !beside.empty()) {
    facts.push_back({"Beside it", beside});
  }
  if (e.cost.own) facts.push_back({"Owning", owning_words(e)});
  if (!e.range.method.empty()) facts.push_back({"80% range", estimate_range_words(e)});
  return facts;
}

// Returns the lines of the only platform, including those that a table has for several.
std::vector<Fact> only_platform_facts(const Estimate& e) {
  std::vector<Fact> facts = run_facts(e);
  if (const std::string losses = largest_losses(e); !losses.empty()) {
    facts.push_back({"Losses", losses});
  }
  facts.push_back({"Memory", memory_words(e.memory)});
  if (!e.cost.own) facts.push_back({"Price", price_and_class_words(e.cost)});
  std::ranges::copy(bill_facts(e), std::back_inserter(facts));
  return facts;
}

std::vector<Fact> cheapest_facts(const Estimate& e) {
  std::vector<Fact> facts;
  if (const std::string losses = largest_losses(e); !losses.empty()) {
    facts.push_back({"Losses", losses});
  }
  std::ranges::copy(bill_facts(e), std::back_inserter(facts));
  if (!e.performance.method.empty()) facts.push_back({"Method", e.performance.method});
  return facts;
}

// Adds how far each uncertain input alone moves the total, with all others at their medians.
void add_drivers(Page& page, const Estimate& e) {
  constexpr std::size_t kNamed = 4;
  constexpr double kWorthSaying = 0.03;
  if (!e.range.total_usd || e.range.total_usd->p10 <= 0) return;
  Facts facts;
  for (const Contribution& each : e.range.contributions) {
    if (each.share < kWorthSaying || facts.facts.size() == kNamed) break;
    facts.facts.push_back(
        {each.input,
         fmt::format("{} to {}, {} of the range", mark_imputed(short_money(each.low), e.cost),
                     mark_imputed(short_money(each.high), e.cost), share_words(each.share))});
  }
  if (facts.facts.empty()) return;
  page.add(Heading{"What would change it most", "each alone"}).add(std::move(facts));
}

// Fields whose defaults matter most, in that order.
constexpr Field kMainFields[] = {
    Field::data_tokens,
    Field::efficiency_stack,
    Field::data_image_size,
    Field::train_precision,
    Field::efficiency_production_overhead,
    Field::hardware_deadline,
    Field::model_vision_encoder,
    Field::data_seq_length,
    Field::train_global_batch,
    Field::train_recipe,
};

void add_main_assumptions(Page& page, const Estimate& e) {
  constexpr int kNamed = 5;
  std::vector<Paragraph> lines;
  for (const Field field : kMainFields) {
    const auto found = std::ranges::find(e.assumptions, field_info(field).path, &Assumption::path);
    if (found == e.assumptions.end() || lines.size() == kNamed) continue;
    lines.push_back({assumption_words(*found), Ink::plain, 2});
  }
  if (lines.empty()) return;
  const std::size_t more = e.assumptions.size() - lines.size();
  page.add(Heading{"Assumed", more > 0
                                  ? fmt::format("what matters most; {} more with --details", more)
                                  : std::string("what the question left open")});
  for (Paragraph& line : lines) page.add(std::move(line));
}

}  // namespace

void add_phases(Page& page, const Estimate& e) {
  const Table table = phases_table(e);
  if (table.rows().empty()) return;
  page.add(Heading{"Phases of a round"}).add(Grid{table});
  if (e.rollout) page.add(Paragraph{rollout_words(*e.rollout)});
}

void add_phase_costs(Page& page, std::span<const Estimate> estimates) {
  Table table = phase_cost_table(estimates);
  if (table.rows().empty()) return;
  page.add(Heading{"Phases by platform", "dollars of all rounds"});
  page.add(Grid{.table = std::move(table), .splits = true});
}

Page estimate_screen(const Report& report) {
  if (report.estimates.empty()) return failure_page(report);
  const Estimate& e = report.estimates[cheapest_index(report.estimates)];
  const bool several = report.estimates.size() + report.failures.size() > 1;
  Page page = question_page(report);
  if (several) {
    page.add(Heading{"Platforms side by side"});
    page.add(Grid{.table = comparison_table(report.estimates, report.failures, Detail::screen),
                  .splits = true});
    add_failures(page, report);
    page.add(Heading{e.accelerator + " in short"}).add(Facts{cheapest_facts(e)});
  } else {
    page.add(Heading{"How it runs"}).add(Facts{only_platform_facts(e)});
  }
  if (!e.stages.empty()) page.add(Heading{"Stages"}).add(Grid{stages_table(e)});
  add_phases(page, e);
  add_phase_costs(page, report.estimates);
  add_drivers(page, e);
  add_main_assumptions(page, e);
  page.add(Heading{"More",
                   "--details: all; --explain: formulas; -o FILE.html or FILE.xlsx: to hand on"});
  page.add(Heading{std::string(answer_heading(report)), quoted_note(report)});
  return page.add(Paragraph{answer_sentence(report), Ink::good});
}

Page estimate_brief(const Report& report) {
  if (report.estimates.empty()) return failure_page(report);
  Page page{"Training cost", made_by(report.price_data_date)};
  page.bare = true;
  page.add(Grid{brief_table(report.estimates, report.failures)});
  if (report.failures.empty()) return page;
  Table reasons({{"no answer"}, {.title = "why", .overflow = Overflow::wrap}});
  for (const Estimator::Failure& each : report.failures) {
    reasons.add_row({each.accelerator, each.message});
  }
  return page.add(Grid{std::move(reasons)});
}

}  // namespace trcost::report
