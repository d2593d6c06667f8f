// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>

#include "study/solve_probe.h"

namespace trcost {
namespace {

// Beyond so many times the fewest that meet a time, sizes only cost more.
constexpr double kFurthest = 8;
// So many sizes are tried besides the coarse ones: each whole number where they are enough, else in
// equal steps. A size takes about 0.1 ms.
constexpr double kMostFine = 20000;
// Sizes below this part of the work of the best size over the time are not fast enough.
constexpr double kPerhapsFaster = 0.9;

bool better(const Probe& a, const Probe& b, bool cheapest) {
  if (cheapest && a.total_usd && b.total_usd && *a.total_usd != *b.total_usd) {
    return *a.total_usd < *b.total_usd;
  }
  if (!cheapest && a.wall_clock_seconds != b.wall_clock_seconds) {
    return a.wall_clock_seconds < b.wall_clock_seconds;
  }
  return a.x < b.x;
}

SolveChoice choice(std::string what, const Probe& probe) {
  return {std::move(what), probe.x, probe.wall_clock_seconds, probe.total_usd};
}

// Sizes that were tried, ascending.
std::vector<Probe> coarse_scan(Prober& prober, const std::vector<double>& sizes, bool cheapest) {
  std::vector<Probe> tried;
  double first = 0;
  for (const double size : sizes) {
    if (cheapest && first > 0 && size > kFurthest * first) break;
    tried.push_back(prober.at(size));
    if (first == 0 && tried.back().meets) first = size;
  }
  return tried;
}

// The sizes between which the fewest and the best are looked for.
struct Window {
  double low = 1, high = 1;
};

// A time: from what perfect scaling would take to twice the first size that is in time. Anything
// else: around the fastest size that meets it.
Window window_of(const std::vector<Probe>& tried, std::size_t first, std::size_t best, bool cheapest) {
  const auto at = [&](std::size_t i) { return tried[std::min(i, tried.size() - 1)].x; };
  if (!cheapest) return {at(best < 2 ? 0 : best - 2), at(best + 2)};
  double low = at(first < 3 ? 0 : first - 3);
  double work = kFurthest * tried[first].x * tried[first].wall_clock_seconds;
  for (const Probe& probe : tried) {
    if (probe.achieved) work = std::min(work, probe.x * probe.wall_clock_seconds);
  }
  // A size in time takes no longer than the first one, nearly the time asked for, did.
  low = std::min(low, kPerhapsFaster * work / tried[first].wall_clock_seconds);
  return {std::max(1.0, std::floor(low)), std::ceil(2 * tried[first].x)};
}

// Sizes of the window that meet the target, one by one or in steps of whole nodes; the step.
double fine_scan(Prober& prober, const Window& window, double node, std::vector<Probe>& meeting) {
  const double width = window.high - window.low;
  double step = 1;
  if (width > kMostFine) step = std::ceil(width / kMostFine / node) * node;
  const double begin = step == 1 ? window.low : std::ceil(window.low / step) * step;
  for (double size = begin; size <= window.high; size += step) {
    Probe probe = prober.at(size);
    if (probe.meets) meeting.push_back(std::move(probe));
  }
  return step;
}

}  // namespace

Found solve_by_scan(Prober& prober, const std::vector<double>& sizes, double node, bool cheapest) {
  const std::vector<Probe> tried = coarse_scan(prober, sizes, cheapest);
  const auto is_better = [&](const Probe& a, const Probe& b) {
    return a.meets != b.meets ? a.meets : better(a, b, cheapest);
  };
  const auto first = std::ranges::find_if(tried, [](const Probe& probe) { return probe.meets; });
  Found found;
  if (first == tried.end()) {
    if (!prober.nearest()) prober.rethrow();
    found.probe = *prober.nearest();
    found.problem = "no allowed value reaches the target";
    return found;
  }
  std::vector<Probe> meeting;
  std::ranges::copy_if(tried, std::back_inserter(meeting), [](const Probe& p) { return p.meets; });
  Window window{first->x, first->x};
  double step = 1;
  if (node > 0) {
    const auto best = std::ranges::min_element(tried, is_better);
    window = window_of(tried, static_cast<std::size_t>(first - tried.begin()),
                       static_cast<std::size_t>(best - tried.begin()), cheapest);
    step = fine_scan(prober, window, node, meeting);
    std::ranges::sort(meeting, {}, &Probe::x);
  }
  const Probe& best = *std::ranges::min_element(meeting, is_better);
  found.solved = true;
  found.probe = best;
  // Of sizes that were not all tried the best is only that of those that were.
  const auto named = [&](const char* what, double x) {
    const bool all = node == 0 || x <= node || (step == 1 && x >= window.low && x < window.high);
    return std::string(what) + (all ? "" : " of the sizes tried");
  };
  found.choices.push_back(choice(named(cheapest ? "least cost" : "least time", best.x), best));
  found.choices.push_back(choice(named("fewest", meeting.front().x), meeting.front()));
  if (node > 0) {
    const auto whole = std::ranges::find_if(
        meeting, [&](const Probe& probe) { return std::fmod(probe.x, node) == 0; });
    if (whole != meeting.end()) found.choices.push_back(choice("fewest whole nodes", *whole));
  }
  return found;
}

}  // namespace trcost
