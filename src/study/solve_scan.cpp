// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "study/solve_probe.h"

namespace trcost {
namespace {

// Beyond so many times the fewest that meet a time, sizes only cost more.
constexpr double kFurthest = 8;
// Whole numbers below the first size that are tried one by one, else in steps.
constexpr double kMostFine = 768;

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

// Sizes that meet the target, ascending.
std::vector<Probe> coarse_scan(Prober& prober, const std::vector<double>& sizes, bool cheapest,
                               double& below) {
  std::vector<Probe> meeting;
  std::vector<double> missed;
  for (const double size : sizes) {
    if (cheapest && !meeting.empty() && size > kFurthest * meeting.front().x) break;
    Probe probe = prober.at(size);
    if (probe.meets) {
      meeting.push_back(std::move(probe));
    } else if (meeting.empty()) {
      missed.push_back(size);
    }
  }
  below = missed.size() < 3 ? 0 : missed[missed.size() - 3];
  return meeting;
}

// The same, one by one between `below` and the first size that meets the target.
void fine_scan(Prober& prober, std::vector<Probe>& meeting, double below, double node) {
  const double above = meeting.front().x;
  double step = 1;
  if (above - below > kMostFine) step = node;
  if ((above - below) / step > kMostFine) step = std::ceil((above - below) / step / kMostFine) * node;
  const double begin = above - std::floor((above - below - 1) / step) * step;
  std::vector<Probe> found;
  for (double size = begin; size < above; size += step) {
    Probe probe = prober.at(size);
    if (probe.meets) found.push_back(std::move(probe));
  }
  meeting.insert(meeting.begin(), found.begin(), found.end());
}

}  // namespace

Found solve_by_scan(Prober& prober, const std::vector<double>& sizes, double node, bool cheapest) {
  double below = 0;
  std::vector<Probe> meeting = coarse_scan(prober, sizes, cheapest, below);
  Found found;
  if (meeting.empty()) {
    if (!prober.nearest()) prober.rethrow();
    found.probe = *prober.nearest();
    found.problem = "no allowed value reaches the target";
    return found;
  }
  if (node > 0 && meeting.front().x > 1) fine_scan(prober, meeting, below, node);
  const auto best = std::ranges::min_element(
      meeting, [&](const Probe& a, const Probe& b) { return better(a, b, cheapest); });
  found.solved = true;
  found.probe = *best;
  found.choices.push_back(choice(cheapest ? "least cost" : "least time", *best));
  found.choices.push_back(choice("fewest", meeting.front()));
  if (node > 0) {
    const auto whole = std::ranges::find_if(
        meeting, [&](const Probe& probe) { return std::fmod(probe.x, node) == 0; });
    if (whole != meeting.end()) found.choices.push_back(choice("fewest whole nodes", *whole));
  }
  return found;
}

}  // namespace trcost
