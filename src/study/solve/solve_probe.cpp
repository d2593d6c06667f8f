// SPDX-License-Identifier: Apache-2.0
#include "study/solve/solve_probe.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimate/cluster/execution.h"
#include "estimate/columns/estimate_columns.h"

namespace trcost::study {

Prober::Prober(const Catalog& catalog, const SolveRequest& request, std::string_view accelerator,
               Setter set)
    : estimator_(
          catalog,
          {.assumptions = false, .derivations = false, .range = request.target.needs_range()}),
      target_(&request.target),
      accelerator_(accelerator),
      scenario_(request.base),
      set_(std::move(set)),
      sizes_(request.target.deadline() && request.unknown != nullptr &&
             request.unknown->field == Field::hardware_gpus) {}

Probe Prober::at(double x) {
  Probe probe;
  probe.x = x;
  ++tried_;
  try {
    set_(scenario_, x);
    estimator_.run_one(scenario_, accelerator_, estimate_);
  } catch (const Error& error) {
    keep_error(x, error);
    return probe;
  }
  probe.achieved = target_->reached(estimate_);
  probe.wall_clock_seconds = estimate_.wall_clock_seconds;
  probe.total_usd = estimate_.cost.total;
  if (!probe.achieved) {
    keep_error(x, Error(ErrorKind::no_answer,
                        std::string(target_->column->path) + " is not known for " + accelerator_,
                        "where no price is known set --price, or --pricing own"));
    return probe;
  }
  const double value = *probe.achieved;
  trials_.push_back({x, value});
  probe.meets = target_->at_least ? value >= target_->value : value <= target_->value;
  if (sizes_ && !same_training(scenario_, estimate_)) probe.meets = false;
  const auto nearness = [&](const Probe& each) {
    return std::pair(std::abs(*each.achieved - target_->value), each.x);
  };
  if (!nearest_ || nearness(probe) < nearness(*nearest_)) nearest_ = probe;
  return probe;
}

void Prober::keep_error(double x, const Error& error) {
  if (error_ && error_at_ <= x) return;
  error_ = error;
  error_at_ = x;
}

std::vector<SolveTrial> Prober::trials(double answer) const {
  std::vector<SolveTrial> all = trials_;
  std::ranges::stable_sort(all, {}, &SolveTrial::value);
  const auto same = [](const SolveTrial& a, const SolveTrial& b) { return a.value == b.value; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  if (all.size() <= kMostTrials) return all;
  std::vector<SolveTrial> kept;
  std::size_t last = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t part = i * (kMostTrials - 1) / all.size();
    if (part == last && all[i].value != answer) continue;
    kept.push_back(all[i]);
    last = part;
  }
  return kept;
}

void Prober::rethrow() const {
  if (error_) throw Error(*error_);
  throw Error(ErrorKind::no_answer, "no value of the unknown has an answer");
}

}  // namespace trcost::study
