// SPDX-License-Identifier: Apache-2.0
#include "planner/contenders.h"
#include "catalog/layout/layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace trcost::planner {
namespace {

// Range of scores and number of structures among which the runner-up is searched (choices).
constexpr double kRunnerUpRange = 1.03;
constexpr std::size_t kMostKept = 8;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// Degrees that partition the model, without replicas and stages per rank.
LayoutDegrees model_split(const Layout& l) {
  LayoutDegrees split = l;
  for (const Dimension& each : kDimensions) {
    if (each.partitions == PartitionedUnit::nothing) split.*each.in = 1;
  }
  return split;
}

// Degrees that break ties between layouts, in order.
constexpr auto kTieBreakDegrees = [] {
  constexpr auto counts = [](const Dimension& each) { return each.tie_break_rank > 0; };
  std::array<Dimension, std::ranges::count_if(kDimensions, counts)> out = {};
  std::ranges::copy_if(kDimensions, out.begin(), counts);
  std::ranges::sort(out, {}, &Dimension::tie_break_rank);
  return out;
}();

// Order of layouts with tied scores: simpler ones first, and no two layouts are equal.
auto complexity(const Layout& l) {
  std::array<int, kTieBreakDegrees.size()> degrees = {};
  std::ranges::transform(kTieBreakDegrees, degrees.begin(),
                         [&](const Dimension& each) { return l.*each.in; });
  return std::tuple(degrees, l.sharding, l.recompute, l.micro_batch, model_split(l));
}

bool same_structure(const Layout& a, const Layout& b) {
  return model_split(a) == model_split(b) && a.sharding == b.sharding && a.recompute == b.recompute;
}

}  // namespace

Contenders::Contenders() {
  found_.reserve(kMostKept + 1);
}

bool Contenders::better(const Contender& a, const Contender& b) {
  const bool tied = std::abs(a.score - b.score) <= kTie * b.score;
  return tied ? complexity(a.layout) < complexity(b.layout) : a.score < b.score;
}

void Contenders::add(const Layout& layout, const StepTime& time, double penalty) {
  const Contender now{layout, time, time.seconds / layout.global_batch * penalty};
  const auto same = std::find_if(found_.begin(), found_.end(), [&](const Contender& c) {
    return same_structure(c.layout, layout);
  });
  if (same != found_.end()) {
    if (!better(now, *same)) return;
    found_.erase(same);
  }
  const auto after = std::find_if(found_.begin(), found_.end(),
                                  [&](const Contender& c) { return better(now, c); });
  found_.insert(after, now);
  if (found_.size() > kMostKept) found_.pop_back();
}

double Contenders::best_score() const {
  return found_.empty() ? kUnbounded : found_.front().score;
}

double Contenders::reach() const {
  return best_score() * kRunnerUpRange;
}

double Contenders::limit() const {
  const double best = best_score();
  double runner_up = kUnbounded;
  for (std::size_t i = 1; i < found_.size(); ++i) {
    if (found_[i].per_sequence() < found_.front().per_sequence()) continue;
    runner_up = found_[i].score;
    break;
  }
  return std::max(best * (1 + kTie), std::min(runner_up, best * kRunnerUpRange));
}

void Contenders::store_best(Plan& plan) const {
  const Contender& best = found_.front();
  plan.layout = best.layout;
  plan.time = best.time;
  plan.runner_up.reset();
  plan.runner_up_seconds = 0;
  // A layout that is faster but scores worse, by its batch or its parallelism, is not the
  // runner-up.
  for (std::size_t i = 1; i < found_.size() && !plan.runner_up; ++i) {
    const Contender& other = found_[i];
    if (other.layout.gpus() != best.layout.gpus()) continue;
    if (other.per_sequence() < best.per_sequence()) continue;
    plan.runner_up = other.layout;
    plan.runner_up_seconds = other.time.seconds;
  }
}

}  // namespace trcost::planner
