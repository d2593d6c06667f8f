// SPDX-License-Identifier: Apache-2.0
// One screen of text: the answer, the platforms, and what matters most.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "catalog/layout/layout.h"
#include "performance/memory/memory.h"
#include "report/about/estimate/estimate.h"
#include "report/page/answer.h"
#include "report/page/comparison.h"
#include "report/page/estimate_tables.h"
#include "report/page/facts.h"
#include "report/page/money_facts.h"
#include "report/page/wording.h"
#include "trcost/bill.h"

namespace trcost::report {
namespace {

// The largest losses in points of the peak, the worst first. All of them and the MFU sum to 100.
std::string largest_losses(const Estimate& e) {
  constexpr std::size_t kNamed = 2;
  std::vector<WaterfallStep> steps = waterfall_steps(e);
  if (std::ranges::find(steps, "given_mfu", &WaterfallStep::term) != steps.end()) return {};
  std::erase_if(steps, [](const WaterfallStep& step) {
    return term_words(step.term) == "production overhead";
  });
  const auto lost = [](const WaterfallStep& step) {
    const double before = step.share > 0 ? step.left / step.share : 1;
    return std::isfinite(before) ? before - step.left : 1 - step.share;
  };
  std::ranges::stable_sort(steps, std::greater{}, lost);
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, steps.size()); ++i) {
    text += fmt::format("{}{:.0f}%{} to {}", text.empty() ? "" : ", ", 100 * lost(steps[i]),
                        text.empty() ? " of the peak" : "", term_words(steps[i].term));
  }
  return text;
}

// The item's name, in a list with commas and where its part of the bill is not seen.
std::string listed_name(const LineItem& item) {
  constexpr std::pair<Part, std::string_view> kListed[] = {
      {Part::servers, "depreciation of servers"},
      {Part::network, "of their network"},
      {Part::idle, "idle hours"},
      {Part::dataset, "storage of the data"}};
  const auto listed =
      std::ranges::find(kListed, item.part, &std::pair<Part, std::string_view>::first);
  return listed == std::end(kListed) || !item.round.empty() ? item_name(item)
                                                            : std::string(listed->second);
}

std::string included_words(const CostResult& cost) {
  std::string text;
  for (const LineItem& item : cost.items) {
    if (!item.included || !item.amount) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", listed_name(item),
                        mark_imputed(brief_money(*item.amount), is_imputed_item(cost, item)));
  }
  return text;
}

// Items that are not in the total, from a hundredth of it on.
std::string excluded_words(const CostResult& cost) {
  constexpr double kWorthNaming = 1e-2;
  std::string text;
  for (const LineItem& item : cost.items) {
    const bool covered = item.part == Part::energy;  // by the rental price
    if (item.included || covered || !item.amount) continue;
    constexpr double kCent = 0.01;
    if (*item.amount < std::max(kCent, kWorthNaming * cost.total.value_or(0))) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", listed_name(item),
                        brief_money(*item.amount));
  }
  return text;
}

// Time lost besides production overhead, which has a default of its own.
std::string failure_words(const Estimate& e) {
  constexpr double kWorthNaming = 0.05;
  const double lost = 1 - e.performance.goodput;
  return lost < kWorthNaming
             ? std::string()
             : fmt::format("failures and interruptions take {:.0f}% of the time", 100 * lost);
}

// What moves the total most, in dollars, or in GPU-hours where no price is known.
std::string drivers_words(const RangeResult& range) {
  constexpr std::size_t kNamed = 2;
  const bool priced = range.total_usd.has_value();
  const auto amount = [&](double value) {
    return priced ? brief_money(value) : gpu_hour_words(value);
  };
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, range.contributions.size()); ++i) {
    const Contribution& each = range.contributions[i];
    const FieldInfo* set = find_field(each.input);  // by the user, with a range
    text += fmt::format("{}{} ({}-{}{})", text.empty() ? "" : ", ",
                        set == nullptr ? std::string(each.input) : std::string(set->flag),
                        amount(each.low), amount(each.high), priced ? "" : " GPU-hours");
  }
  return text;
}

std::string memory_line(const MemoryUse& memory) {
  std::string text = fmt::format(
      "{} of {} per GPU, {} likely to fit", format_number(memory.total, NumberKind::bytes),
      format_number(memory.capacity, NumberKind::bytes), chance_words(fits_probability(memory)));
  if (memory.host > 0) {
    text += fmt::format(", and {} of host memory per GPU",
                        format_number(memory.host, NumberKind::bytes));
  }
  return text;
}

std::string layout_line(const Estimate& e) {
  if (!e.one_layout) return "one per stage (--details)";
  const Layout& l = e.layout;
  std::string text;
  for (const Dimension& each : kDimensions) {
    if (!each.of_gpus || l.*each.in == 1) continue;
    text += fmt::format("{}{} parallel {}", text.empty() ? "" : " x ", each.word, l.*each.in);
    if (each.in == &LayoutDegrees::cp && l.context_kind == ContextKind::ulysses) {
      text += " (needs DeepSpeed Ulysses)";
    }
  }
  if (l.ep > 1) text += fmt::format(", expert parallel {}", l.ep);
  if (text.empty()) text = "one GPU";
  return text + fmt::format(", micro-batch {}, global batch {}, recompute {}",
                            format_exact(l.micro_batch), grouped(l.global_batch, 0),
                            recompute_words(l, e.model.layers));
}

// The region and the seller that the user set.
std::string price_place(const Report& report, const CostResult& cost) {
  if (report.scenario == nullptr || cost.own) return {};
  std::string text;
  if (report.scenario->has(Field::cost_provider)) {
    text += fmt::format(", {}", report.scenario->text(Field::cost_provider));
  }
  if (report.scenario->has(Field::cost_region)) {
    text += cost.doubts.other_region ? ", any region: none quoted in " : ", region ";
    text += report.scenario->text(Field::cost_region);
  }
  return text;
}

// A machine loses most of its value at first, so an hour costs less on average over years.
std::string owned_price_words(const Report& report, const CostResult& cost, double gpu_hours) {
  const double age = report.scenario == nullptr
                         ? 0
                         : report.scenario->number(Field::cost_hardware_age).value_or(0);
  std::string text = age > 0
                         ? fmt::format(" at an age of {}", format_number(age, NumberKind::duration))
                         : std::string(" while new");
  if (cost.machines && cost.machines->mean_per_gpu_hour) {
    text += fmt::format(", {} on average over {:g} years ({} for this run)",
                        unit_money(*cost.machines->mean_per_gpu_hour), kOwnedYears,
                        brief_money(*cost.machines->mean_per_gpu_hour * gpu_hours));
  }
  return text;
}

// The tool that the user set, and the stack that it is computed with.
std::string tool_words(const Report& report, const Estimate& e) {
  if (report.scenario == nullptr || !report.scenario->has(Field::efficiency_stack)) return {};
  const std::string_view typed = report.scenario->text(Field::efficiency_stack);
  const auto found =
      std::ranges::find(e.assumptions, field_info(Field::efficiency_stack).path, &Assumption::path);
  if (found == e.assumptions.end() || found->value == typed) return {};
  return fmt::format("{}, computed as {} with the defaults of {}", typed, found->value, typed);
}

// The sizes of a model that was read from a file, to check the reading.
std::string read_model_words(const Report& report, const Estimate& e) {
  const std::string_view typed =
      report.scenario == nullptr ? "" : report.scenario->text(Field::model_name);
  if (!typed.ends_with(".json") && !typed.ends_with("/")) return {};
  std::string text = format_number(e.model.params_total, NumberKind::count) + " parameters";
  if (e.model.sparse()) {
    text += fmt::format(", {} active", format_number(e.model.params_active, NumberKind::count));
  }
  return text + fmt::format(", {:g} layers of width {:g}", e.model.layers, e.model.hidden);
}

// How the cheapest platform runs it. The table has some of this if there are several.
std::vector<Fact> screen_facts(const Report& report, const Estimate& e) {
  const bool several = report.estimates.size() + report.failures.size() > 1;
  std::vector<Fact> facts;
  const auto add = [&](std::string label, std::string text) {
    if (!text.empty()) facts.push_back({std::move(label), std::move(text)});
  };
  add("Model", read_model_words(report, e));
  if (!several) {
    const PerformanceSummary& p = e.performance;
    const std::string peak = mfu_words("", e);
    add("Speed",
        fmt::format("{:.0f}% MFU{}, {} tokens/s per GPU, {} GPU-hours", 100 * p.mfu,
                    peak.empty() ? "" : fmt::format(" of the{} peak", peak),
                    speed_words(p.tokens_per_second_per_gpu), gpu_hour_words(e.gpu_hours)));
    add("Software", tool_words(report, e));
    add("Layout", layout_line(e));
    add("Memory", memory_line(e.memory));
  }
  if (e.cost.price_per_gpu_hour && (!several || e.cost.own)) {
    add("Price", fmt::format("{} per GPU-hour{}{}",
                             mark_imputed(unit_money(*e.cost.price_per_gpu_hour), e.cost),
                             e.cost.own ? owned_price_words(report, e.cost, e.gpu_hours)
                             : e.cost.price_date.empty() ? ""
                                                         : ", quotes of " + e.cost.price_date,
                             price_place(report, e.cost)));
  }
  if (!several) add("Lost speed", largest_losses(e));
  const bool one_item =
      std::ranges::count_if(e.cost.items, [](const LineItem& item) { return item.included; }) < 2;
  if (!one_item) add("Total", included_words(e.cost));
  add("Not included", excluded_words(e.cost));
  add("Failures", failure_words(e));
  add("Sensitivity", drivers_words(e.range));
  add("Accuracy", accuracy_words(report, e));
  add("Published", published_words(report));
  std::string settings;
  for (const Setting& each : report.settings) {
    settings += fmt::format("{}{} = {} from {}", settings.empty() ? "" : ", ", each.path,
                            each.value, each.from);
  }
  add("Settings", settings);
  return facts;
}

// Names the warnings that the screen leaves out.
std::string legend(const Report& report, std::size_t hidden, bool shown) {
  const bool imputed = std::ranges::any_of(
      report.estimates, [](const Estimate& e) { return e.cost.doubts.imputed && !e.cost.own; });
  std::string text = imputed ? "~ Estimated price. " : "";
  const std::string_view as_of =
      report.scenario == nullptr ? "" : report.scenario->text(Field::cost_as_of);
  // One platform has its quotes in a line of its own.
  const std::string quotes =
      report.estimates.size() > 1 ? quote_dates_words(report.estimates) : std::string();
  text += as_of.empty() && !quotes.empty() ? currency_words()
                                           : price_data_words(report.price_data_date, as_of);
  text += quotes;
  if (hidden == 0) return text + "More: --details, --explain.";
  return text + hidden_warning_words(hidden, shown);
}

void add_phase_grid(Page& page, const Table& phases, bool rounds) {
  page.add(Heading{"Phases",
                   fmt::format("tokens and time of a {}, GPU-hours and cost of all with lost time",
                               rounds ? "round" : "step")})
      .add(Grid{phases});
}

}  // namespace

void add_phases(Page& page, const Estimate& e) {
  const Table table = phases_table(e);
  if (table.rows().empty()) return;
  add_phase_grid(page, table, e.rollout.has_value());
  if (e.rollout) page.add(Paragraph{rollout_words(*e.rollout)});
}

void add_phase_costs(Page& page, std::span<const Estimate> estimates) {
  Table table = phase_cost_table(estimates);
  if (table.rows().empty()) return;
  page.add(Heading{"Phases by platform", "total dollars"});
  page.add(Grid{.table = std::move(table), .splits = true});
}

// How to fine-tune a model that is trained from scratch by default.
std::string fine_tuning_hint(const Report& report, const Estimate& e) {
  const Scenario* s = report.scenario;
  if (s == nullptr || e.model.from_size || !s->stages.empty()) return {};
  constexpr Field kSaysWhat[] = {Field::train_recipe,   Field::train_method,
                                 Field::train_language, Field::data_samples,
                                 Field::data_tokens,    Field::data_tokens_per_param};
  if (std::ranges::any_of(kSaysWhat, [&](Field field) { return s->has(field); })) return {};
  return "This trains the model from scratch. To fine-tune it: --train lora --samples N.";
}

Page estimate_screen(const Report& report) {
  if (report.estimates.empty()) return failure_page(report);
  const Estimate& e = report.estimates[cheapest_index(report.estimates)];
  const bool several = report.estimates.size() + report.failures.size() > 1;
  Page page{"Training cost", {}};
  page.titled = false;
  page.add(Paragraph{answer_sentence(report), Ink::good});
  if (several) {
    page.add(Heading{"Platforms"}).add(Grid{answer_table(report)});
    for (std::string& line : comparison_sentences(report)) page.add(Paragraph{std::move(line)});
    for (const Estimator::Failure& each : report.failures) {
      page.add(Paragraph{failure_line(each), Ink::warn, 2});
    }
  }
  page.add(Heading{several ? "More on " + e.accelerator_title : std::string("How it runs")});
  page.add(Facts{screen_facts(report, e)});
  if (!e.stages.empty()) page.add(Heading{"Stages"}).add(Grid{stages_table(e)});
  const Table phases = phases_table(e);
  if (e.rollout && !phases.rows().empty()) add_phase_grid(page, phases, true);
  const Table defaults = main_defaults(report);
  if (!defaults.rows().empty()) page.add(Heading{"Defaults that matter most"}).add(Grid{defaults});
  if (std::string hint = fine_tuning_hint(report, e); !hint.empty()) {
    page.add(Paragraph{std::move(hint), Ink::dim});
  }
  std::vector<std::string> warnings =
      warnings_about(e, report.estimates, estimate_warnings(report));
  const std::size_t hidden = estimate_warnings(report).size() - warnings.size();
  page.add(Paragraph{legend(report, hidden, !warnings.empty()), Ink::dim});
  return page.add(Warnings{std::move(warnings), true});
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
