// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/deadline_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "trcost/layout.h"

namespace trcost::estimation {
namespace {

// The smallest number with so many binary digits that is at least `units`.
double at_least_on_grid(double units, double most_units_by_one) {
  const double whole = std::max(1.0, std::ceil(units));
  double step = 1;
  while (whole / step > most_units_by_one) step *= 2;
  return std::ceil(whole / step) * step;
}

constexpr double kAllDigits = 32, kRoundDigits = 4;

constexpr double kAsGood = 0.97;  // fewer accelerators are easier to get

}  // namespace

double ClusterSizes::at_least(double gpus) const {
  return at_least_on_grid(gpus / unit_, kAllDigits) * unit_;
}

double ClusterSizes::after(double gpus) const {
  return at_least((std::floor(gpus / unit_) + 1) * unit_);
}

double ClusterSizes::round_at_least(double gpus) const {
  return at_least_on_grid(gpus / unit_, kRoundDigits) * unit_;
}

double ClusterSizes::round_after(double gpus) const {
  return round_at_least((std::floor(gpus / unit_) + 1) * unit_);
}

std::optional<double> SizesTried::fewest() const {
  for (const auto& [gpus, each] : seconds) {
    if (each <= deadline_seconds) return gpus;
  }
  return std::nullopt;
}

std::optional<double> SizesTried::best() const {
  const double least = least_work_in_time();
  for (const auto& [gpus, each] : seconds) {
    if (each <= deadline_seconds && kAsGood * gpus * each <= least) return gpus;
  }
  return std::nullopt;
}

std::optional<double> SizesTried::fastest() const {
  const auto shortest =
      std::ranges::min_element(seconds, {}, [](const auto& tried) { return tried.second; });
  if (shortest == seconds.end() || shortest->second == kNoTime) return std::nullopt;
  return shortest->first;
}

double SizesTried::least_work() const {
  double least = kNoTime;
  for (const auto& [gpus, each] : seconds) least = std::min(least, gpus * each);
  return least;
}

double SizesTried::least_work_in_time() const {
  double least = kNoTime;
  for (const auto& [gpus, each] : seconds) {
    if (each <= deadline_seconds) least = std::min(least, gpus * each);
  }
  return least;
}

double SizesTried::limit(double gpus) const {
  const std::optional<double> known = fewest();
  if (!known) return kNoTime;
  const double as_good = least_work_in_time() / kAsGood / gpus;
  return gpus < *known ? std::max(deadline_seconds, as_good) : as_good;
}

SizesTried size_for_deadline(const ClusterSizes& sizes, const WallClock& wall_clock, double start,
                             double deadline_seconds) {
  // Nothing faster is expected beyond so many times the fastest size, or the first if none ran.
  constexpr double kHopeless = 8, kNeverRan = 64;
  constexpr double kFurther = 4;           // above the cheapest, for fewer GPU-hours
  constexpr double kPerhapsFaster = 0.93;  // of the GPU-hours of the cheapest size so far
  constexpr double kWider = 4.0 / 3;
  constexpr double kFarBelow = 4, kFarthestBelow = 16;
  SizesTried tried{deadline_seconds, {}, {}};
  const auto enough = [&] { return tried.seconds.size() >= std::size_t{kMostSizesTried}; };
  const auto look = [&](double gpus) {
    if (enough() || tried.seconds.contains(gpus)) return;
    const double limit = tried.limit(gpus);
    const double found = wall_clock(gpus, limit);
    tried.seconds[gpus] = found;
    if (found == kNoTime && limit < kNoTime) tried.dear.insert(gpus);
  };
  const auto least_enough = [&] { return kPerhapsFaster * tried.least_work() / deadline_seconds; };

  for (double n = sizes.round_at_least(start); n <= kMostGpus && !enough();
       n = sizes.round_after(n)) {
    const auto fastest = tried.fastest();
    if (tried.fewest() || n > (fastest ? kHopeless * *fastest : kNeverRan * start)) break;
    look(n);
  }
  if (!tried.fewest()) {
    // A smaller cluster may be faster, or one near the fastest.
    for (double n = sizes.round_at_least(start / kFarthestBelow); n < start;
         n = sizes.round_after(n)) {
      look(n);
    }
    const auto fastest = tried.fastest();
    if (!fastest) return tried;
    for (double n = sizes.after(*fastest / kWider); n <= std::min(kWider * *fastest, kMostGpus);
         n = sizes.after(n)) {
      look(n);
    }
    if (!tried.fewest()) return tried;
  }
  double cheapest = *tried.fewest();
  for (double n = sizes.round_at_least(least_enough());
       n <= std::min(kFurther * cheapest, kMostGpus) && !enough(); n = sizes.round_after(n)) {
    look(n);
    if (n > cheapest && n * tried.seconds[n] < cheapest * tried.seconds[cheapest]) cheapest = n;
  }
  // Also above the fewest, as long as a round size takes fewer GPU-hours.
  const auto last = [&] {
    const double fewest = *tried.fewest();
    const bool is_cheapest = fewest * tried.seconds[fewest] <= tried.least_work();
    return is_cheapest ? fewest : std::min(kWider * fewest, kMostGpus);
  };
  for (double n = sizes.at_least(std::max(least_enough(), *tried.fewest() / kFarBelow));
       n <= last() && !enough(); n = sizes.after(n)) {
    look(n);
  }
  // Between the fewest and the size below it, in steps down to one unit.
  constexpr double kSteps = 16;
  const auto found = tried.seconds.find(*tried.fewest());
  double below = found == tried.seconds.begin() ? 0 : std::prev(found)->first;
  for (double step = kNoTime; step > sizes.unit() && !enough(); below = *tried.fewest() - step) {
    step = std::ceil((*tried.fewest() - below) / sizes.unit() / kSteps) * sizes.unit();
    for (double n = below + step; n < *tried.fewest() && !enough(); n += step) {
      if (n >= least_enough()) look(n);
    }
  }
  return tried;
}

}  // namespace trcost::estimation
