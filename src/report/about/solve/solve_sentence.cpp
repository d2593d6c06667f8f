// SPDX-License-Identifier: Apache-2.0
// The answer of `solve` in sentences.
#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "estimate/columns/estimate_columns.h"
#include "quantity/suggest.h"
#include "report/about/solve/solve.h"
#include "report/page/money_facts.h"
#include "report/page/wording.h"
#include "scenario/fields.h"

namespace trcost::report {
namespace {

std::string in_words(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '_', ' ');
  return out;
}

std::string platform_of(const Solution& solution) {
  if (!solution.estimate || solution.estimate->accelerator_title.empty()) {
    return solution.accelerator;
  }
  return solution.estimate->accelerator_title;
}

std::string value_words(const FieldInfo& info, double value) {
  constexpr int kDigits = 3;
  const NumberKind kind = number_kind(info.kind);
  if (kind == NumberKind::integer) return grouped(value, 0);
  if (kind == NumberKind::duration) return time_words(value);
  if (info.field == Field::cost_price_per_gpu_hour) return unit_money(value);
  return format_number(value, kind, kDigits);
}

bool seeks(const Solution& solution, Field field) {
  return std::ranges::any_of(solution.values,
                             [&](const auto& each) { return each.first->field == field; });
}

// The size that was found, which the shape of the model meets within a percent.
std::string sought_model_phrase(const Solution& solution) {
  const auto sought = std::ranges::find(solution.values, Field::model_params,
                                        [](const auto& each) { return each.first->field; });
  return fmt::format("a model of {} parameters", format_number(sought->second, NumberKind::count));
}

// `603B tokens`, or `603B tokens (3 epochs)` where a sought number is of one epoch.
std::string token_words(const Solution& solution) {
  const std::string text =
      format_number(solution.estimate->tokens.total, NumberKind::count) + " tokens";
  const double epochs = solution.scenario.number_or_default(Field::data_epochs);
  return epochs > 1 ? fmt::format("{} ({} epochs)", text, format_exact(epochs)) : text;
}

std::string fleet_words(const Estimate& e) {
  return fmt::format("{} GPU{} for {}", grouped(e.gpus, 0), e.gpus == 1 ? "" : "s",
                     time_words(e.wall_clock_seconds));
}

std::string cost_words(const Estimate& e) {
  return e.cost.total ? mark_imputed(brief_money(*e.cost.total), e.cost) : "an unknown amount";
}

std::string budget_sentence(const SolveReport& report, const Solution& best) {
  const Estimate& e = *best.estimate;
  const std::string budget = typed_money(report.target.value);
  const std::string platform = platform_of(best);
  if (seeks(best, Field::data_tokens) || seeks(best, Field::model_params)) {
    return fmt::format("{} trains {} on {}{}, on {}: {}.", budget,
                       seeks(best, Field::model_params) && e.one_model
                           ? sought_model_phrase(best)
                           : model_phrase(e.model, e.medium),
                       token_words(best), best.values.size() > 1 ? " (compute-optimal)" : "",
                       platform, fleet_words(e));
  }
  const auto& [info, value] = best.values.front();
  if (info->field == Field::rollout_steps) {
    return fmt::format("{} pays for {} rounds of {} on {}: {}.", budget, grouped(value, 0),
                       model_phrase(e.model, e.medium), platform, fleet_words(e));
  }
  if (info->field == Field::cost_price_per_gpu_hour) {
    return fmt::format("{} is enough at up to {} per GPU-hour on {}: {}.", budget,
                       value_words(*info, value), platform, fleet_words(e));
  }
  return fmt::format("{} pays for {} {} on {}: {}.", budget, value_words(*info, value),
                     field_title(*info), platform, fleet_words(e));
}

std::string time_sentence(const SolveReport& report, const Solution& best) {
  const Estimate& e = *best.estimate;
  const std::string time = time_words(report.target.value);
  if (seeks(best, Field::hardware_gpus)) {
    return fmt::format("Training {} on {} tokens within {} takes {} GPUs of {} and costs about {}.",
                       model_phrase(e.model, e.medium),
                       format_number(e.tokens.total, NumberKind::count), time, grouped(e.gpus, 0),
                       platform_of(best), cost_words(e));
  }
  return fmt::format("Within {}, {} GPUs of {} train {} on {} tokens. This costs about {}.", time,
                     grouped(e.gpus, 0), platform_of(best), model_phrase(e.model, e.medium),
                     format_number(e.tokens.total, NumberKind::count), cost_words(e));
}

std::string rented_sentence(const ClusterRun& run, const Solution& best) {
  const std::string cost = run.usd ? brief_money(*run.usd) : "an unknown price";
  const Estimate& e = *best.estimate;
  const bool model_sought = seeks(best, Field::model_params);
  return fmt::format(
      "{} GPUs of {} for {} cost about {}. After failures and overheads, they train {} on {} "
      "tokens{}.",
      grouped(run.gpus, 0), platform_of(best), time_words(run.seconds), cost,
      model_sought ? sought_model_phrase(best) : model_phrase(e.model, e.medium),
      format_number(e.tokens.total, NumberKind::count),
      best.values.size() > 1 ? " (compute-optimal)" : "");
}

// The model and tokens for a number of FLOPs.
std::string flops_sentence(const SolveReport& report, const Solution& best) {
  const Estimate& e = *best.estimate;
  return fmt::format("{} train {} on {} tokens{}. On {} this takes {} and costs about {}.",
                     flop_words(report.target.value), model_phrase(e.model, e.medium),
                     format_number(e.tokens.total, NumberKind::count),
                     best.values.size() > 1 ? " (compute-optimal)" : "", platform_of(best),
                     fleet_words(e), cost_words(e));
}

std::string other_sentence(const SolveReport& report, const Solution& best) {
  std::string values;
  for (const auto& [info, value] : best.values) {
    values += fmt::format("{}{} {}", values.empty() ? "" : " and ", field_title(*info),
                          value_words(*info, value));
  }
  const EstimateColumn& target = *report.target.column;
  return fmt::format("On {}, {} gives {} of {}.", platform_of(best), values, target_name(target),
                     brief_words(*best.achieved, target.display, 3));
}

// Whether the deadline that sizes the cluster was set by the user.
std::string deadline_sentence(const Solution& best, const Scenario& asked) {
  if (asked.has(Field::hardware_gpus) || asked.has(Field::hardware_deadline)) return {};
  if (seeks(best, Field::hardware_gpus) || seeks(best, Field::hardware_deadline)) return {};
  const double seconds = best.scenario.number_or_default(Field::hardware_deadline);
  if (!best.scenario.has(Field::hardware_deadline)) {
    return fmt::format("Clusters are sized to finish within {} (--deadline).", time_words(seconds));
  }
  return fmt::format(
      "The budget exceeds the price of the largest known clusters for 30 days, so the deadline is "
      "{} (--deadline).",
      time_words(seconds));
}

// How far the time of the run lies around its median.
std::string time_range_sentence(const SolveReport& report, const Solution& best) {
  if (report.target.column->role != ColumnRole::wall_clock || !best.estimate) return {};
  const Estimate& e = *best.estimate;
  if (!(e.range.gpu_hours.p10 > 0) || !(e.gpu_hours > 0)) return {};
  const double per_hour = e.wall_clock_seconds / e.gpu_hours;
  return fmt::format("Four in five such runs take {} to {}.",
                     time_words(e.range.gpu_hours.p10 * per_hour),
                     time_words(e.range.gpu_hours.p90 * per_hour));
}

// Names the platforms that reach more than the one of the answer, at less certain prices.
std::string less_certain_sentence(const SolveReport& report, const Solution& best) {
  const bool tokens = !seeks(best, Field::model_params);
  const bool amounts = !tokens || seeks(best, Field::data_tokens);
  if (report.target.column->role != ColumnRole::total || !amounts) return {};
  std::string more;
  for (const Solution* each : sort_solutions(report)) {
    if (!each->solved || !each->estimate || each == &best) continue;
    const Estimate& e = *each->estimate;
    if (e.flops.model <= best.estimate->flops.model) continue;
    quantity::append_item(more,
                          fmt::format("{} {} ({})", platform_of(*each),
                                      seeks(best, Field::model_params)
                                          ? format_number(e.model.params_total, NumberKind::count)
                                          : format_number(e.tokens.total, NumberKind::count),
                                      evidence_mark(price_evidence(e.cost))));
  }
  return more.empty() ? more
                      : (tokens ? "More tokens" : "Larger models") +
                            (" at less certain prices: " + more + ".");
}

std::string confidence_sentence(const SolveTarget& target) {
  if (target.column->role != ColumnRole::total) return {};
  if (target.confidence == SolveTarget::kMedian) {
    return "About half of such runs exceed the budget. With --confidence 0.9, one in ten does.";
  }
  return fmt::format("{} of such runs stay within the budget.",
                     format_number(target.confidence, NumberKind::fraction, 2));
}

}  // namespace

std::string field_title(const FieldInfo& info) {
  switch (info.field) {
    case Field::model_params:
      return "parameters";
    case Field::data_tokens:
      return "tokens";
    case Field::rollout_steps:
      return "rounds";
    case Field::hardware_gpus:
      return "GPUs";
    case Field::hardware_deadline:
      return "time";
    case Field::cost_price_per_gpu_hour:
      return "$/GPU-hour";
    case Field::efficiency_mfu:
      return "MFU";
    case Field::data_seq_length:
      return "sequence length";
    default:
      return in_words(info.path.substr(info.path.find('.') + 1));
  }
}

std::string target_name(const EstimateColumn& column) {
  if (column.role == ColumnRole::model_flops) return "model FLOPs";
  return in_words(column.heading());
}

std::vector<const Solution*> sort_solutions(const SolveReport& report) {
  std::vector<const Solution*> out;
  for (const Solution& each : report.solutions) out.push_back(&each);
  const bool budget = report.target.column->role == ColumnRole::total;
  std::ranges::stable_sort(out, {}, [&](const Solution* s) {
    if (!s->estimate) return std::tuple(true, PriceEvidence::estimated, 0.0);
    const Estimate& e = *s->estimate;
    return std::tuple(!s->solved, price_evidence(e.cost),
                      budget ? -e.flops.model : e.cost.total.value_or(e.gpu_hours));
  });
  return out;
}

const Solution* best_solution(const SolveReport& report) {
  const std::vector<const Solution*> sorted = sort_solutions(report);
  const bool found = !sorted.empty() && sorted.front()->solved && sorted.front()->estimate;
  return found ? sorted.front() : nullptr;
}

std::vector<std::string> solve_sentences(const SolveReport& report) {
  const Solution* best = best_solution(report);
  if (best == nullptr) return {"No platform reaches the target. The table has the nearest values."};
  const auto at = static_cast<std::size_t>(best - report.solutions.data());
  std::vector<std::string> out;
  const ColumnRole role = report.target.column->role;
  if (at < report.clusters.size()) {
    out.push_back(rented_sentence(report.clusters[at], *best));
  } else if (report.break_even) {
    const auto& [info, value] = best->values.front();
    const bool price = info->field == Field::cost_price_per_gpu_hour;
    out.push_back(
        fmt::format("{}{}{}, {}.{}", price ? "At " : "With ", value_words(*info, value),
                    price ? std::string(" per GPU-hour") : fmt::format(" {}", field_title(*info)),
                    report.target_words,
                    price ? fmt::format(" Below that price it costs less; `trcost list prices {}` "
                                        "has the prices now.",
                                        best->accelerator)
                          : std::string()));
  } else if (role == ColumnRole::total) {
    out.push_back(budget_sentence(report, *best) + commitment_sentence(*best->estimate));
  } else if (role == ColumnRole::wall_clock) {
    out.push_back(time_sentence(report, *best) + commitment_sentence(*best->estimate));
  } else if (report.target.column->path == "flops.model" &&
             (seeks(*best, Field::data_tokens) || seeks(*best, Field::model_params))) {
    out.push_back(flops_sentence(report, *best));
  } else {
    out.push_back(other_sentence(report, *best));
  }
  std::string more;
  for (const std::string& each :
       {report.break_even ? std::string() : confidence_sentence(report.target),
        report.break_even ? std::string() : time_range_sentence(report, *best),
        report.break_even ? std::string() : less_certain_sentence(report, *best),
        deadline_sentence(*best, scenario_from_json(report.scenario, "scenario"))}) {
    if (!each.empty()) more += (more.empty() ? "" : " ") + each;
  }
  if (!more.empty()) out.push_back(std::move(more));
  return out;
}

}  // namespace trcost::report
