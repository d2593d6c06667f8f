// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/pareto_frontier.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace trcost::study {

namespace {

// Whether the first of two different points beats the second.
bool nowhere_worse(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, std::less_equal{});
}

bool at_most_two(const std::vector<double>& objectives) {
  return objectives.size() <= 2;
}

}  // namespace

// Points that beat another stand before it. With two objectives the second falls as the first
// rises, so that the nearest point before has the lowest second one and decides.
bool ParetoFrontier::beats(const std::vector<double>& objectives) const {
  const auto at = points_.lower_bound(objectives);
  if (at != points_.end() && at->first == objectives) return false;
  if (at == points_.begin()) return false;
  if (at_most_two(objectives)) return nowhere_worse(std::prev(at)->first, objectives);
  return std::any_of(points_.begin(), at,
                     [&](const auto& point) { return nowhere_worse(point.first, objectives); });
}

// Points that are beaten stand after the one that beats them, and with two objectives next to it.
std::uint64_t ParetoFrontier::drop_beaten(Points::iterator by) {
  std::uint64_t freed = 0;
  for (auto at = std::next(by); at != points_.end();) {
    if (nowhere_worse(by->first, at->first)) {
      for (const KeptRow& row : at->second) freed += row.size();
      at = points_.erase(at);
    } else if (at_most_two(by->first)) {
      break;
    } else {
      ++at;
    }
  }
  return freed;
}

std::int64_t ParetoFrontier::insert(KeptRow&& row) {
  const auto added = static_cast<std::int64_t>(row.size());
  const auto [at, fresh] = points_.try_emplace(row.objectives);
  at->second.push_back(std::move(row));
  return added - (fresh ? static_cast<std::int64_t>(drop_beaten(at)) : 0);
}

std::vector<KeptRow> ParetoFrontier::take() {
  std::vector<KeptRow> out;
  for (auto& [objectives, rows] : points_) std::ranges::move(rows, std::back_inserter(out));
  points_.clear();
  return out;
}

}  // namespace trcost::study
