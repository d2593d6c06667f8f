// SPDX-License-Identifier: Apache-2.0
#include "report/page/answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "estimate/columns/estimate_columns.h"
#include "estimate/question/recipe_defaults.h"
#include "performance/memory/memory.h"
#include "quantity/suggest.h"
#include "report/page/comparison.h"
#include "report/page/money_facts.h"
#include "report/page/wording.h"
#include "workload/method.h"

namespace trcost::report {
namespace {

std::string tokens_of_run(double count) {
  return format_number(count, NumberKind::count) + " tokens";
}

std::string full_title(const Estimate& e) {
  return e.accelerator_title.empty() ? e.accelerator : e.accelerator_title;
}

// What a method does with a model, in front of "of".
struct MethodPhrase {
  std::string_view method, phrase;
};
constexpr MethodPhrase kMethodPhrases[] = {{"grpo", "GRPO"},
                                           {"ppo", "PPO"},
                                           {"distill", "on-policy distillation"},
                                           {"dpo", "Preference tuning (DPO)"},
                                           {"kto", "Preference tuning (KTO)"},
                                           {"reward", "Training a reward model"}};

std::string_view method_phrase(const Report& report) {
  if (report.scenario == nullptr) return {};
  const std::string method(report.scenario->text(Field::train_method));
  const auto* found = std::ranges::find(kMethodPhrases, method, &MethodPhrase::method);
  return found == std::end(kMethodPhrases) ? std::string_view() : found->phrase;
}

bool is_assumed(const Estimate& e, Field field) {
  return std::ranges::find(e.assumptions, field_info(field).path, &Assumption::path) !=
         e.assumptions.end();
}

// The model, and the encoder that it gets because the data has images.
std::string subject_phrase(const Estimate& e) {
  std::string text = model_phrase(e.model, e.medium);
  if (!e.model.from_size && e.model.params_vision > 0 &&
      is_assumed(e, Field::model_vision_encoder)) {
    text += " with a vision encoder added";
  }
  return text;
}

// The run as the subject of the sentence: `Training a 10B model on 202B tokens`.
std::string run_phrase(const Report& report, const Estimate& e) {
  const std::string model = subject_phrase(e);
  const std::string_view method = method_phrase(report);
  if (e.rollout) {
    const std::string_view trained =
        report.scenario == nullptr ? "" : report.scenario->text(Field::train_recipe);
    return fmt::format("{} rounds of {} on {}{}", grouped(e.rollout->rounds, 0),
                       method.empty() ? "reinforcement learning" : method, model,
                       trained.empty() || trained == "full" ? "" : fmt::format(" ({})", trained));
  }
  std::string_view recipe;
  bool samples = false;
  if (report.scenario != nullptr && report.scenario->stages.empty()) {
    recipe = report.scenario->text(Field::train_recipe);
    samples = estimation::trains_on_samples(*report.scenario);
  }
  const bool adapted = samples || (!recipe.empty() && recipe != "full");
  std::string text = method.empty()
                         ? fmt::format("{} {}", adapted ? "Fine-tuning" : "Training", model)
                     : method.ends_with("model") ? fmt::format("{} from {}", method, model)
                                                 : fmt::format("{} of {}", method, model);
  if (!recipe.empty() && recipe != "full") text += fmt::format(" ({})", recipe);
  if (e.stages.size() > 1) text += fmt::format(" in {} stages", e.stages.size());
  return text + " on " + tokens_of_run(e.tokens.total);
}

// `16 GPUs for 21 days`
std::string fleet_phrase(const Estimate& e) {
  const bool fewer =
      std::ranges::any_of(e.stages, [&](const auto& stage) { return stage.gpus < e.gpus; });
  return fmt::format("{}{} GPU{} for {}", fewer ? "up to " : "", grouped(e.gpus, 0),
                     e.gpus == 1 ? "" : "s", time_words(e.wall_clock_seconds));
}

std::string marked_money(double usd, const Estimate& e) {
  return mark_imputed(brief_money(usd), e.cost);
}

// GPUs that the layout does not use. Unknown, as 0, if stages or phases have layouts of their own.
double idle_gpus(const Estimate& e) {
  return e.one_layout ? std::max(0.0, e.gpus - e.layout.gpus()) : 0;
}

// The deadline that the user set and that the run misses, in seconds, or 0.
double missed_deadline(const Report& report, const Estimate& e) {
  if (report.scenario == nullptr || !report.scenario->stages.empty()) return 0;
  const std::optional<double> deadline = report.scenario->number(Field::hardware_deadline);
  return deadline && e.wall_clock_seconds > *deadline * (1 + 1e-9) ? *deadline : 0;
}

// `on H100 SXM: 24 GPUs for 26 days.` With experiments, whose GPUs and days are not those of the
// run, also its own cost.
std::string place_phrase(const Report& report, const Estimate& e, const std::string& title) {
  const double factor =
      report.scenario == nullptr ? 0 : report.scenario->number_or_default(Field::cost_experiments);
  if (factor == 0) return fmt::format("on {}: {}.", title, fleet_phrase(e));
  double run = *e.cost.total;
  for (const LineItem& item : e.cost.items) {
    if (item.part == Part::experiments) run -= item.amount.value_or(0);
  }
  return fmt::format(
      "on {}, with experiments at {:g} times the cost of the run. The run alone costs {}: {}.",
      title, factor, marked_money(run, e), fleet_phrase(e));
}

// The estimate on the platform of the published run, or null.
const Estimate* published_estimate(const Report& report) {
  if (!report.published) return nullptr;
  // `H800` of a paper is `H800 SXM 80GB` here.
  const auto at = std::ranges::find_if(report.estimates, [&](const Estimate& e) {
    return e.accelerator_title.starts_with(report.published->accelerator);
  });
  return at == report.estimates.end() ? nullptr : &*at;
}

// Names published GPU-hours that contradict the range.
std::string contradiction_sentence(const Report& report) {
  const Estimate* e = published_estimate(report);
  if (e == nullptr) return {};
  const double hours = report.published->gpu_hours;
  const Quantiles& range = e->range.gpu_hours;
  if (range.p10 <= hours && hours <= range.p90) return {};
  const std::string text =
      fmt::format(" The makers published {} GPU-hours on {}, {} than the range there ({} to {}).",
                  format_number(hours, NumberKind::count), platform_label(*e, report.estimates),
                  hours > range.p90 ? "more" : "fewer", format_number(range.p10, NumberKind::count),
                  format_number(range.p90, NumberKind::count));
  if (hours > range.p90) return text + " They may include other runs.";
  if (report.scenario->has(Field::efficiency_tuning)) return text;
  return text + " Their software was tuned further than usual: --tuning showcase.";
}

}  // namespace

std::string answer_sentence(const Report& report) {
  if (report.estimates.empty()) return {};
  const Estimate& e = report.estimates[cheapest_index(report.estimates)];
  const std::string title =
      report.estimates.size() > 1 ? platform_label(e, report.estimates) : full_title(e);
  std::string text = run_phrase(report, e);
  if (e.cost.total) {
    text += fmt::format(" cost{} {}{} {}", e.rollout ? "" : "s", is_imputed(e) ? "" : "about ",
                        marked_money(*e.cost.total, e), place_phrase(report, e, title));
  } else {
    text += fmt::format(" take{} {} GPU-hours on {}: {}. The price is not known.",
                        e.rollout ? "" : "s", gpu_hour_words(e.gpu_hours), title, fleet_phrase(e));
  }
  if (e.range.total_usd) {
    text += fmt::format(" The cost is 80% likely to be between {} and {}.",
                        brief_money(e.range.total_usd->p10), brief_money(e.range.total_usd->p90));
  }
  text += contradiction_sentence(report) + commitment_sentence(e);
  if (const double late = missed_deadline(report, e); late > 0) {
    text += fmt::format(" This misses the deadline of {}.", time_words(late));
  }
  if (report.estimates.size() == 1 && idle_gpus(e) > 0) {
    text += fmt::format(" The layout uses {} of the {} GPUs.", grouped(e.layout.gpus(), 0),
                        grouped(e.gpus, 0));
  }
  if (!e.memory.fits) {
    text += fmt::format(" It {} not fit: {} of {} per GPU.", may_fit(e.memory) ? "may" : "does",
                        format_number(e.memory.total, NumberKind::bytes),
                        format_number(e.memory.capacity, NumberKind::bytes));
  }
  return text;
}

namespace {

Cell mfu_cell(const Estimate& e, bool with_precision) {
  const std::string text = format_number(e.performance.mfu, NumberKind::fraction, 2);
  return Cell::number(e.performance.mfu, mfu_words(text, e, with_precision));
}

std::string range_phrase(const Estimate& e) {
  return fmt::format("{}-{}", brief_money(e.range.total_usd->p10),
                     brief_money(e.range.total_usd->p90));
}

}  // namespace

Table answer_table(const Report& report) {
  const Estimate& best = report.estimates[cheapest_index(report.estimates)];
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  double longest = 0;
  for (const Estimate& e : report.estimates) longest = std::max(longest, e.wall_clock_seconds);
  const double unit = longest < 2 * kHour ? kMinute : longest < 2 * kDay ? kHour : kDay;
  Table table({{.title = "", .key = "platform"},
               number_column("GPUs"),
               number_column(unit == kDay    ? "days"
                             : unit == kHour ? "hours"
                                             : "minutes"),
               number_column("GPU-h", "", Overflow::drop_first),
               number_column("MFU", "", Overflow::drop),
               number_column("$/GPU-h", "", Overflow::drop),
               number_column("cost", "", Overflow::keep, true),
               number_column("80% range", "", Overflow::drop),
               number_column("compared", "", Overflow::drop)});
  // An MFU is a share of the peak of its precision.
  const bool several_precisions = std::ranges::any_of(
      report.estimates, [&](const Estimate& e) { return e.precision != best.precision; });
  for (const Estimate* e : sort_platforms(report.estimates)) {
    const double time = e->wall_clock_seconds / unit;
    constexpr double kTwoDigits = 9.95;
    std::vector<Cell> row = {
        platform_label(*e, report.estimates),
        Cell::number(e->gpus, grouped(e->gpus, 0)),
        Cell::number(time, grouped(time, time < kTwoDigits ? 1 : 0)),
        Cell::number(e->gpu_hours, gpu_hour_words(e->gpu_hours)),
        mfu_cell(*e, several_precisions),
        e->cost.price_per_gpu_hour
            ? Cell::number(*e->cost.price_per_gpu_hour,
                           mark_imputed(unit_money(*e->cost.price_per_gpu_hour), e->cost))
            : Cell::unknown(),
        e->cost.total ? Cell::number(*e->cost.total, marked_money(*e->cost.total, *e))
                      : Cell::unknown(),
        e->range.total_usd ? Cell(range_phrase(*e)) : Cell::unknown(),
        difference_cell(*e, best, report.estimates)};
    if (e == &best) std::ranges::transform(row, row.begin(), &Cell::strong);
    table.add_row(std::move(row));
  }
  for (const Estimator::Failure& each : report.failures) {
    std::vector<Cell> row(table.columns().size(), Cell("-"));
    row.front() = each.accelerator;
    row.back() = "no answer";
    table.add_row(std::move(row));
  }
  return table;
}

namespace {

// What decides between the cheapest and the next one with as good a price.
std::string reason_sentence(const Estimate& best, const Estimate& next,
                            std::span<const Estimate> all) {
  const std::string winner = platform_label(best, all), other = platform_label(next, all);
  if (!best.cost.price_per_gpu_hour || !next.cost.price_per_gpu_hour) return {};
  const double price = *best.cost.price_per_gpu_hour / *next.cost.price_per_gpu_hour;
  const double hours = best.gpu_hours / next.gpu_hours;
  constexpr double kAlike = 0.005;
  if (hours < 1 && std::abs(price - 1) < kAlike) {
    return fmt::format("{} needs {:.0f}% fewer GPU-hours than {}, at the same price per hour.",
                       winner, 100 * (1 - hours), other);
  }
  if (hours < 1 && price >= 1) {
    return fmt::format("{} needs {:.0f}% fewer GPU-hours than {}, at {:.2g}x the price per hour.",
                       winner, 100 * (1 - hours), other, price);
  }
  if (price < 1 && hours >= 1) {
    return fmt::format(
        "{} costs {:.0f}% less per GPU-hour than {}, for {:.2g} times its GPU-hours.", winner,
        100 * (1 - price), other, hours);
  }
  return fmt::format("{} needs fewer GPU-hours than {}, and each costs less.", winner, other);
}

}  // namespace

std::vector<std::string> comparison_sentences(const Report& report) {
  std::vector<std::string> out;
  const std::vector<const Estimate*> order = sort_platforms(report.estimates);
  const Estimate& best = *order.front();
  if (order.size() < 2 || !best.cost.total) return out;
  const Estimate& next = *order[1];
  if (next.cost.total && next.memory.fits &&
      price_evidence(next.cost) == price_evidence(best.cost)) {
    if (std::string reason = reason_sentence(best, next, report.estimates); !reason.empty())
      out.push_back(reason);
  } else if (!next.memory.fits) {
    out.push_back(fmt::format("Only {} {}.", platform_label(best, report.estimates),
                              may_fit(next.memory) ? "is likely to fit" : "has enough memory"));
  }
  std::string lone;
  for (const Estimate* e : order) {
    if (price_evidence(e->cost) != PriceEvidence::one_quote) continue;
    quantity::append_item(
        lone, fmt::format("{} ({})", platform_label(*e, report.estimates), e->cost.provider));
  }
  if (!lone.empty()) out.push_back("Only one seller quotes " + lone + ".");
  std::string cheaper;
  for (const Estimate* e : order) {
    const PriceEvidence evidence = price_evidence(e->cost);
    if (evidence == price_evidence(best.cost) || !e->cost.total || !e->memory.fits) continue;
    if (*e->cost.total >= *best.cost.total) continue;
    quantity::append_item(cheaper, fmt::format("{} {}", platform_label(*e, report.estimates),
                                               marked_money(*e->cost.total, *e)));
  }
  if (!cheaper.empty()) out.push_back("Cheaper at less certain prices: " + cheaper + ".");
  if (report.scenario != nullptr && report.scenario->has(Field::cost_prices)) {
    out.push_back("Only platforms in --price are compared. Add others with --accelerator.");
  }
  std::string late;
  for (const Estimate* e : order) {
    if (missed_deadline(report, *e) > 0 && e != &best) {
      quantity::append_item(late, platform_label(*e, report.estimates));
    }
  }
  if (!late.empty()) out.push_back("The deadline is missed on " + late + ".");
  std::string idle;
  for (const Estimate* e : order) {
    const double unused = idle_gpus(*e);
    if (unused <= 0) continue;
    idle +=
        fmt::format("{}{} ({} of {})", idle.empty() ? "" : ", ",
                    platform_label(*e, report.estimates), grouped(unused, 0), grouped(e->gpus, 0));
  }
  if (!idle.empty()) {
    out.push_back("GPUs stay idle, because the batch does not divide over all, on " + idle +
                  ". Set --gpus or --global-batch.");
  }
  return out;
}

namespace {

// The words of a default, from the assumption and the whole answer.
using DefaultWords = std::string (*)(const Assumption& assumed, const Report& report,
                                     const Estimate& e);

std::string default_tokens(const Assumption&, const Report& report, const Estimate& e) {
  std::string text = tokens_of_run(e.tokens.total);
  if (e.tokens.compute_optimal) text += ", compute-optimal";
  if (e.tokens.published) text += ", as " + model_title(e.model) + " was trained on";
  if (report.example) {
    text += fmt::format(" ({}: {})", report.example->name,
                        format_number(report.example->tokens, NumberKind::count));
  }
  return text;
}

struct DefaultLine {
  Field field;
  DefaultWords words;
};

// Fields whose defaults matter most, in that order.
constexpr DefaultLine kDefaultLines[] = {
    {Field::model_name,
     [](const Assumption& a, const Report& report, const Estimate&) {
       return fmt::format("{} is read as {}", report.scenario->text(Field::model_name), a.value);
     }},
    {Field::data_tokens, default_tokens},
    {Field::rollout_steps, [](const Assumption& a, const Report&,
                              const Estimate&) { return assumed_value_words(a) + " rounds"; }},
    {Field::rollout_prompts,
     [](const Assumption& a, const Report&, const Estimate&) {
       return assumed_value_words(a) + " prompts per round";
     }},
    {Field::rollout_response_tokens,
     [](const Assumption& a, const Report&, const Estimate&) {
       return fmt::format("Responses of {} tokens on average", assumed_value_words(a));
     }},
    {Field::rollout_samples_per_prompt,
     [](const Assumption& a, const Report&, const Estimate&) {
       const std::string count = assumed_value_words(a);
       return fmt::format("{} response{} per prompt", count, count == "1" ? "" : "s");
     }},
    {Field::data_samples, [](const Assumption& a, const Report&,
                             const Estimate&) { return assumed_value_words(a) + " samples"; }},
    {Field::data_text_tokens_per_sample,
     [](const Assumption& a, const Report& report, const Estimate& e) {
       if (!report.scenario->has(Field::data_samples)) return std::string();
       return fmt::format("Samples of {} tokens{}", assumed_value_words(a),
                          e.tokens.vision > 0 ? " of text" : "");
     }},
    {Field::data_image_size,
     [](const Assumption& a, const Report&, const Estimate& e) {
       return e.tokens.vision > 0 ? fmt::format("Images of {} pixels", a.value) : std::string();
     }},
    {Field::data_images_per_sample,
     [](const Assumption&, const Report&, const Estimate& e) {
       return e.model.params_vision > 0 && !(e.tokens.vision > 0)
                  ? std::string("No images in the data")
                  : std::string();
     }},
    {Field::efficiency_stack,
     [](const Assumption& a, const Report& report, const Estimate&) {
       if (report.scenario->has(Field::efficiency_stack)) return std::string();
       return a.value == "typical" ? std::string("Software: not specified, so a typical stack")
                                   : "Software: " + a.value;
     }},
    {Field::efficiency_production_overhead,
     [](const Assumption&, const Report&, const Estimate& e) {
       const double useful = e.performance.production_overhead;
       return fmt::format("Evaluations and restarts take {:.0f}% of the time", 100 * (1 - useful));
     }},
    {Field::cost_utilization,
     [](const Assumption& a, const Report&, const Estimate& e) {
       if (!e.cost.own) return std::string();
       return fmt::format("Machines in use {} of the time, and paid for when idle",
                          assumed_value_words(a));
     }},
    {Field::hardware_deadline,
     [](const Assumption&, const Report& report, const Estimate& e) {
       constexpr double kWellWithin = 0.5;
       const double deadline = report.scenario->number_or_default(Field::hardware_deadline);
       return e.wall_clock_seconds < kWellWithin * deadline
                  ? "Cluster: cheapest whole nodes within " + time_words(deadline)
                  : "Cluster: sized to finish within " + time_words(deadline);
     }},
    {Field::train_precision,
     [](const Assumption& a, const Report&, const Estimate&) { return "Precision: " + a.value; }},
    {Field::data_seq_length,
     [](const Assumption& a, const Report&, const Estimate& e) {
       const auto sample = std::ranges::find(
           e.assumptions, field_info(Field::data_text_tokens_per_sample).path, &Assumption::path);
       const bool is_sample = sample != e.assumptions.end() && sample->value == a.value;
       return is_sample ? std::string()
                        : fmt::format("Sequences of {} tokens", assumed_value_words(a));
     }},
    {Field::train_global_batch,
     [](const Assumption& a, const Report& report, const Estimate& e) {
       const double per_sample =
           workload::method_row(workload::method_named(report.scenario->text(Field::train_method)))
               .sequences_per_sample;
       return fmt::format(
           "Batches of {} sequences{}", assumed_value_words(a),
           per_sample == 1
               ? ""
               : fmt::format(" ({} pairs)", grouped(e.layout.global_batch / per_sample, 0)));
     }},
    {Field::model_vision_encoder, [](const Assumption& a, const Report&,
                                     const Estimate&) { return "Vision encoder: " + a.value; }},
    {Field::train_recipe,
     [](const Assumption& a, const Report&, const Estimate&) { return "Training: " + a.value; }},
};

}  // namespace

Table main_defaults(const Report& report) {
  constexpr std::size_t kNamed = 5;
  const Estimate& e = report.estimates[cheapest_index(report.estimates)];
  Table table({{.title = "", .overflow = Overflow::wrap}, number_column("")});
  if (report.scenario == nullptr) return table;
  for (const auto& [field, words] : kDefaultLines) {
    if (table.rows().size() == kNamed) break;
    const auto found = std::ranges::find(e.assumptions, field_info(field).path, &Assumption::path);
    if (found == e.assumptions.end()) continue;
    std::string text = words(*found, report, e);
    if (text.empty()) continue;
    std::string flag(field_info(field).flag);
    // The flag takes the share that is left.
    if (field == Field::efficiency_production_overhead) {
      flag += fmt::format(" {:.2g}", e.performance.production_overhead);
    }
    table.add_row({std::move(text), std::move(flag)});
  }
  return table;
}

std::string published_words(const Report& report) {
  if (!report.published || !contradiction_sentence(report).empty()) return {};
  const Estimate* e = published_estimate(report);
  const double hours = report.published->gpu_hours;
  return fmt::format(
      "{} GPU-hours on {}{}", format_number(hours, NumberKind::count),
      report.published->accelerator,
      e == nullptr ? "" : fmt::format(", {:.2g} times the estimate", hours / e->gpu_hours));
}

std::string accuracy_words(const Report& report, const Estimate& e) {
  const auto& quality = e.performance.quality;
  if (!quality) return {};
  if (quality->own && quality->rows > 0) {
    return fmt::format("typical error {:.0f}%, calibrated to {} step{} of your own",
                       100 * quality->median_error, quality->rows, quality->rows == 1 ? "" : "s");
  }
  if (quality->rows == 0) {
    return "no measured run of this kind" +
           (report.unseen
                ? fmt::format(". On new sources: median error {:.0f}%", 100 * report.unseen->median)
                : std::string());
  }
  const std::string text = fmt::format("half of runs within {:.0f}%", 100 * quality->median_error);
  if (!report.unseen) return text;
  constexpr double kManySources = 10;
  if (report.unseen->sources < kManySources) {
    return text + fmt::format(", half of {:g} new sources within {:.0f}%", report.unseen->sources,
                              100 * report.unseen->median);
  }
  return text + fmt::format(", one new source in ten off by {:.1f}x", report.unseen->tenth_factor);
}

}  // namespace trcost::report
