// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cost/distribution.h"
#include "estimate/columns/estimate_columns.h"
#include "quantity/portable_math.h"
#include "report/about/solve/solve_parts.h"
#include "report/page/wording.h"
#include "trcost/report.h"

namespace trcost::report {

namespace {

std::string pair_words(const ComputeOptimal& pair) {
  return fmt::format("{} parameters on {} tokens", format_number(pair.params, NumberKind::count),
                     format_number(pair.tokens, NumberKind::count));
}

// A price that was sought is nobody's, though the estimate got it as one that is given.
void say_solved(const FieldInfo& info, Estimate& estimate) {
  if (info.field != Field::cost_price_per_gpu_hour && info.field != Field::cost_purchase_price) {
    return;
  }
  for (LineItem& item : estimate.cost.items) {
    if (item.part == Part::compute || item.part == Part::servers) item.source = "the price sought";
  }
}

// What the rent is at either end of a price that is a range.
std::string rent_range(const ClusterRun& run, const Scenario& scenario) {
  const Distribution* price = scenario.distribution(Field::cost_price_per_gpu_hour);
  if (price == nullptr) return {};
  constexpr double kLow = 0.1, kHigh = 0.9;
  const auto rent = [&](double share) {
    const double usd = portable_exp(log_quantile(*price, share)) * run.gpu_hours;
    return short_money(usd);
  };
  return fmt::format("; {} to {} (P10 to P90 of the price)", rent(kLow), rent(kHigh));
}

}  // namespace

std::string exact_line(const Solution& solution, const SolveTarget& target) {
  constexpr int kDigits = 6;
  std::string out = solution.accelerator + ":";
  for (const auto& [info, value] : solution.values) {
    out += fmt::format("{} {} = {}{}{}", out.back() == ':' ? "" : ",", info->path,
                       format_exact(value), info->unit.empty() ? "" : " ", info->unit);
  }
  if (!solution.achieved) return out;
  const std::string reached = brief_words(*solution.achieved, target.column->display, kDigits);
  out += fmt::format(" gives {} = {}", target.column->path, reached);
  if (!solution.beyond || !solution.beyond_achieved) return out;
  const std::string missed =
      brief_words(*solution.beyond_achieved, target.column->display, kDigits);
  const std::string wanted = brief_words(target.value, target.column->display, kDigits);
  out += reached == missed || wanted == missed
             ? fmt::format("; {} misses the target", format_exact(*solution.beyond))
             : fmt::format("; {} would give {}", format_exact(*solution.beyond), missed);
  return out;
}

std::vector<Estimate> solution_estimates(const SolveReport& report) {
  std::vector<Estimate> estimates;
  for (const Solution& solution : report.solutions) {
    if (!solution.estimate) continue;
    estimates.push_back(*solution.estimate);
    for (const auto& [info, value] : solution.values) say_solved(*info, estimates.back());
  }
  return estimates;
}

std::vector<std::string> solution_warnings(const SolveReport& report) {
  const std::vector<Estimate> estimates = solution_estimates(report);
  Report whole;
  whole.estimates = estimates;
  return warning_lines(whole);
}

std::vector<Fact> cluster_facts(const ClusterRun& run, const Solution& solution) {
  const auto percent = [](double share) { return format_number(share, NumberKind::fraction); };
  std::vector<Fact> facts;
  facts.push_back({"FLOP", fmt::format("{:.4g} = {} GPUs x {:.4g} FLOP/s x {} MFU x {} s",
                                       run.flops, grouped(run.gpus, 0), run.peak_flops,
                                       percent(run.mfu), grouped(run.seconds, 0))});
  facts.push_back({"cost", run.usd
                               ? fmt::format("{} = {} GPU-hours x {}{}", short_money(*run.usd),
                                             gpu_hour_words(run.gpu_hours), unit_money(*run.price),
                                             rent_range(run, solution.scenario))
                               : "n/a: no price is known; give --price"});
  facts.push_back({"against", fmt::format("{:.3g} times the 4e25 FLOP of {}", run.reference_ratio,
                                          kReferenceName)});
  facts.push_back({"trains", fmt::format("compute-optimal: {}", pair_words(run.optimal))});
  facts.push_back(
      {"realised",
       fmt::format("{:.4g} FLOP: goodput {} and production overhead {} of that", run.realised_flops,
                   percent(run.goodput), percent(run.production_overhead))});
  facts.push_back(
      {"then trains", fmt::format("compute-optimal: {}", pair_words(run.realised_optimal))});
  if (solution.estimate) {
    facts.push_back(
        {"as estimated",
         fmt::format(
             "{} on {} tokens: {:.4g} FLOP in {}, {}",
             solution.estimate->one_model
                 ? format_number(solution.estimate->model.params_total, NumberKind::count) +
                       " parameters"
                 : solution.estimate->model.name,
             format_number(solution.estimate->tokens.total, NumberKind::count),
             solution.estimate->flops.model,
             format_number(solution.estimate->wall_clock_seconds, NumberKind::duration),
             solution.estimate->cost.total ? short_money(*solution.estimate->cost.total) : "n/a")});
  }
  return facts;
}

}  // namespace trcost::report
