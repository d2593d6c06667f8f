// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/deadline_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>

namespace trcost::estimation {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMantissa = 32, kRoundMantissa = 4;
// Beyond so many times the best size, or the first one where none ran, nothing is expected.
constexpr double kHopeless = 8;
constexpr double kNeverRan = 64;
constexpr double kPerhapsFaster = 0.93;
constexpr double kOctave = 2;
constexpr double kFinest = 16;
constexpr double kWiderRange = 4.0 / 3;
// Round sizes are looked at up to so many times the cheapest so far.
constexpr double kFurther = 4;
constexpr double kFarBelow = 16;
constexpr std::size_t kMostFarBelow = 16;
// Fewer accelerators are worth so much of the GPU-hours: they are easier to get.
constexpr double kWorthwhile = 0.97;

// The step of the grid that `units` lie in: 1 up to `mantissa`, 2 up to twice that, and so on.
double step_of(double units, double mantissa) {
  double step = 1;
  while (units / step > mantissa) step *= 2;
  return step;
}

class Walk {
 public:
  Walk(const ClusterSizes& sizes, const WallClock& wall_clock, double deadline)
      : sizes_(sizes), wall_clock_(wall_clock), deadline_(deadline) {}

  SizeChoice run(double start) {
    climb(start);
    if (!met()) {
      look_below(start);
      if (!met()) return choice_;
    }
    descend();
    fill(*choice_.fewest);
    look_further();
    finer();
    if (met()) look_beside();
    choose();
    return choice_;
  }

 private:
  void look(double gpus) {
    if (enough_looks() || seen_.contains(gpus)) return;
    const double seconds = seen_[gpus] = wall_clock_(gpus);
    if (seconds == kInfinity) return;
    least_work_ = std::min(least_work_, gpus * seconds);
    if (!choice_.shortest || seconds < choice_.shortest->seconds)
      choice_.shortest = {gpus, seconds};
    if (seconds <= deadline_ && (!met() || gpus < *choice_.fewest)) choice_.fewest = gpus;
  }

  [[nodiscard]] bool met() const { return choice_.fewest.has_value(); }
  [[nodiscard]] bool enough_looks() const {
    return seen_.size() >= static_cast<std::size_t>(kMostSizesTried);
  }

  // Sizes below this would have to be clearly faster than any that was looked at.
  [[nodiscard]] double too_few() const {
    return least_work_ < kInfinity ? kPerhapsFaster * least_work_ / deadline_ : 0;
  }

  // Round sizes, which most layouts divide, up to the first that meets the deadline.
  void climb(double start) {
    for (double n = sizes_.round_at_least(start); n <= kMostGpus && !enough_looks();
         n = sizes_.round_after(n)) {
      look(n);
      const auto& best = choice_.shortest;
      if (met() || n > (best ? kHopeless * best->gpus : kNeverRan * start)) return;
    }
  }

  void descend() {
    for (double n = sizes_.round_before(*choice_.fewest); n > 0 && n >= too_few();
         n = sizes_.round_before(n)) {
      if (enough_looks()) return;
      look(n);
    }
  }

  // The sizes in the octave below one that meets it, up to the first that does; then again
  // downwards, since one of them may have shown that fewer are enough.
  void fill(double most) {
    const double low = sizes_.at_least(most / kOctave);
    for (double n = low; n < *choice_.fewest && !enough_looks(); n = sizes_.after(n)) {
      if (n >= too_few()) look(n);
    }
    const std::size_t last = seen_.size() + kMostFarBelow;
    for (double n = sizes_.before(*choice_.fewest); n > 0 && n >= too_few() && seen_.size() < last;
         n = sizes_.before(n)) {
      look(n);
    }
  }

  // Round sizes above it, as far as they take fewer GPU-hours.
  void look_further() {
    double cheapest = *choice_.fewest;
    for (double n = sizes_.round_after(cheapest);
         n <= std::min(kFurther * cheapest, kMostGpus) && !enough_looks();
         n = sizes_.round_after(n)) {
      look(n);
      if (work(n) < work(cheapest)) cheapest = n;
    }
  }

  // Between the fewest of the grid and the size before it, in at most kFinest steps, and again
  // within the last of them, down to one unit.
  void finer() {
    double below = sizes_.before(*choice_.fewest), step = kInfinity;
    while (step > sizes_.unit()) {
      step = std::ceil((*choice_.fewest - below) / sizes_.unit() / kFinest) * sizes_.unit();
      for (double n = below + step; n < *choice_.fewest && !enough_looks(); n += step) {
        if (n >= too_few()) look(n);
      }
      below = *choice_.fewest - step;
    }
  }

  // All sizes up to a third larger, where one of those seen takes fewer GPU-hours.
  void look_beside() {
    if (work(*choice_.fewest) <= least_work_) return;
    around(*choice_.fewest, *choice_.fewest * kWiderRange);
  }

  void around(double from, double to) {
    for (double n = from; n <= std::min(to, kMostGpus) && !enough_looks(); n = sizes_.after(n)) {
      look(n);
    }
  }

  // Where no round size met the deadline, a smaller cluster may still be faster, or one beside the
  // fastest.
  void look_below(double start) {
    for (double n = sizes_.round_before(sizes_.round_at_least(start)); n > start / kFarBelow;
         n = sizes_.round_before(n)) {
      look(n);
    }
    if (!choice_.shortest) return;
    const double best = choice_.shortest->gpus;
    around(sizes_.after(best / kWiderRange), kWiderRange * best);
  }

  [[nodiscard]] double work(double gpus) const {
    const auto known = seen_.find(gpus);
    return known == seen_.end() ? kInfinity : gpus * known->second;
  }

  // Of those that meet the deadline the one with the fewest accelerators whose GPU-hours are about
  // the least.
  void choose() {
    double least = kInfinity;
    for (const auto& [gpus, seconds] : seen_) {
      if (seconds <= deadline_) least = std::min(least, gpus * seconds);
    }
    for (const auto& [gpus, seconds] : seen_) {
      if (seconds > deadline_ || kWorthwhile * gpus * seconds > least) continue;
      choice_.gpus = gpus;
      return;
    }
  }

  const ClusterSizes& sizes_;
  const WallClock& wall_clock_;
  double deadline_;
  double least_work_ = kInfinity;  // accelerators x seconds
  std::map<double, double> seen_;  // seconds by size
  SizeChoice choice_;
};

// The smallest size of the grid with so many binary digits that has at least so many units.
double on_grid(double units, double mantissa) {
  const double whole = std::max(1.0, std::ceil(units));
  const double step = step_of(whole, mantissa);
  return std::ceil(whole / step) * step;
}

// The size before it on the same grid; 0 where there is none.
double before_on_grid(double units, double mantissa) {
  const double fewer = std::ceil(units) - 1;
  if (fewer < 1) return 0;
  // A power of two belongs to the finer grid below it, and rounding down stays on a grid.
  const double step = step_of(fewer, mantissa);
  return std::floor(fewer / step) * step;
}

}  // namespace

double ClusterSizes::at_least(double gpus) const {
  return on_grid(gpus / unit_, kMantissa) * unit_;
}

double ClusterSizes::after(double gpus) const {
  return at_least((std::floor(gpus / unit_) + 1) * unit_);
}

double ClusterSizes::before(double gpus) const {
  return before_on_grid(gpus / unit_, kMantissa) * unit_;
}

double ClusterSizes::round_at_least(double gpus) const {
  return on_grid(gpus / unit_, kRoundMantissa) * unit_;
}

double ClusterSizes::round_after(double gpus) const {
  return round_at_least((std::floor(gpus / unit_) + 1) * unit_);
}

double ClusterSizes::round_before(double gpus) const {
  return before_on_grid(gpus / unit_, kRoundMantissa) * unit_;
}

SizeChoice size_for_deadline(const ClusterSizes& sizes, const WallClock& wall_clock, double start,
                             double deadline_seconds) {
  return Walk(sizes, wall_clock, deadline_seconds).run(start);
}

}  // namespace trcost::estimation
