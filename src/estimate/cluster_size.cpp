// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trcost {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMantissa = 32;
constexpr double kRoundMantissa = 8;
// The longest way that is gone at once, since a slow size may only be an awkward one.
constexpr double kLongestJump = 2;
// Beyond so many times the best size, or the first one where none ran, nothing is expected.
constexpr double kHopeless = 4;
constexpr double kNeverRan = 64;
constexpr double kPerhapsFaster = 0.93;
constexpr double kMuch = 1.5;
constexpr double kFinest = 16;
constexpr double kWiderRange = 4.0 / 3;
constexpr double kFarBelow = 16;
constexpr double kWorthwhile = 0.97;
constexpr int kMostUpwards = 24, kMostUpwardsAgain = 12;

// The step of the grid that `units` lie in: 1 up to 32, 2 up to 64, and so on.
double step_of(double units) {
  double step = 1;
  while (units / step > kMantissa) step *= 2;
  return step;
}

class Walk {
 public:
  Walk(const ClusterSizes& sizes, const WallClock& wall_clock, double deadline)
      : sizes_(sizes), wall_clock_(wall_clock), deadline_(deadline) {}

  SizeChoice run(double start) {
    double gpus = upwards(start, kLongestJump, kMostUpwards);
    if (gpus == 0) gpus = upwards(start, 1, kMostUpwardsAgain);
    if (gpus == 0) {
      look_below(start);
      gpus = choice_.shortest_gpus;
      if (gpus == 0 || choice_.shortest_seconds > deadline_) return choice_;
    }
    choice_.fewest = finer(downwards(gpus));
    choice_.gpus = cheaper(choice_.fewest);
    return choice_;
  }

 private:
  double look(double gpus) {
    const double seconds = wall_clock_(gpus);
    ++looks_;
    if (seconds < choice_.shortest_seconds || choice_.shortest_gpus == 0) {
      if (seconds < kInfinity) {
        choice_.shortest_gpus = gpus;
        choice_.shortest_seconds = seconds;
      }
    }
    least_work_ = std::min(least_work_, gpus * seconds);
    return seconds;
  }

  [[nodiscard]] bool enough_looks() const { return looks_ >= kMostSizesTried; }

  // The first size that meets the deadline, of all or with some left out; 0 if none.
  double upwards(double start, double longest_jump, int most) {
    const int last = std::min(kMostSizesTried, looks_ + most);
    for (double gpus = start; gpus <= kMostGpus && looks_ < last;) {
      if (look(gpus) <= deadline_) return gpus;
      const bool ran = choice_.shortest_gpus > 0;
      if (gpus > (ran ? kHopeless * choice_.shortest_gpus : kNeverRan * start)) return 0;
      const double jump = ran ? std::min(enough(), longest_jump * gpus) : longest_jump * gpus;
      gpus = std::max(sizes_.after(gpus), sizes_.at_least(std::min(jump, kMostGpus)));
    }
    return 0;
  }

  // Sizes below this would have to be faster than any that was looked at.
  [[nodiscard]] double enough() const {
    return least_work_ < kInfinity ? least_work_ / deadline_ : 0;
  }

  // Below a size that meets it: halves what is left out as long as that is much, then up from the
  // smallest that may be enough, and down as far as a smaller one may still be.
  double downwards(double gpus) {
    double begin = sizes_.at_least(enough());
    while (gpus > kMuch * begin && !enough_looks() && look(begin) > deadline_) {
      const double middle = sizes_.at_least(std::sqrt(begin * gpus));
      if (middle >= gpus) break;
      (look(middle) <= deadline_ ? gpus : begin) = middle;
      begin = std::max(begin, sizes_.at_least(enough()));
    }
    for (double n = begin; n < gpus && !enough_looks(); n = sizes_.after(n)) {
      if (look(n) <= deadline_) gpus = n;
    }
    begin = std::min(begin, gpus);
    const double far = gpus / kMuch;
    for (double n = sizes_.before(begin); n > far && n >= kPerhapsFaster * enough();
         n = sizes_.before(n)) {
      if (enough_looks()) break;
      if (look(n) <= deadline_) gpus = n;
    }
    return gpus;
  }

  // Between the fewest of the grid and the size before it, in at most kFinest steps, and again
  // within the last of them, down to one unit.
  double finer(double fewest) {
    double below = sizes_.before(fewest), step = kInfinity;
    while (step > sizes_.unit()) {
      step = std::ceil((fewest - below) / sizes_.unit() / kFinest) * sizes_.unit();
      for (double n = below + step; n < fewest && !enough_looks(); n += step) {
        if (n >= kPerhapsFaster * enough() && look(n) <= deadline_) fewest = n;
      }
      below = fewest - step;
    }
    return fewest;
  }

  // Where nothing met the deadline a smaller cluster may still be faster: the shortest time is said.
  void look_below(double start) {
    for (double n = sizes_.before(start); n > start / kFarBelow; n = sizes_.before(n)) {
      if (sizes_.is_round(n) && !enough_looks()) look(n);
    }
    const double best = choice_.shortest_gpus;
    for (double n = sizes_.after(best / kWiderRange); n < std::min(kWiderRange * best, kMostGpus);
         n = sizes_.after(n)) {
      if (enough_looks()) return;
      look(n);
    }
  }

  // A larger size that takes clearly fewer GPU-hours: of all sizes, where those seen so far show that
  // there are such, else of round ones, which divide best.
  double cheaper(double fewest) {
    double best = fewest;
    double work = fewest * wall_clock_(fewest);
    const bool all = kWorthwhile * work > least_work_;
    for (double n = sizes_.after(fewest); n <= std::min(kWiderRange * fewest, kMostGpus);
         n = sizes_.after(n)) {
      if (enough_looks()) break;
      if (!all && !sizes_.is_round(n)) continue;
      const double seconds = look(n);
      if (seconds > deadline_ || n * seconds > kWorthwhile * work) continue;
      best = n;
      work = n * seconds;
    }
    return best;
  }

  const ClusterSizes& sizes_;
  const WallClock& wall_clock_;
  double deadline_;
  double least_work_ = kInfinity;  // accelerators x seconds
  int looks_ = 0;
  SizeChoice choice_;
};

}  // namespace

double ClusterSizes::at_least(double gpus) const {
  const double units = std::max(1.0, std::ceil(gpus / unit_));
  const double step = step_of(units);
  return std::ceil(units / step) * step * unit_;
}

double ClusterSizes::after(double gpus) const {
  return at_least((std::floor(gpus / unit_) + 1) * unit_);
}

double ClusterSizes::before(double gpus) const {
  const double units = std::ceil(gpus / unit_) - 1;
  if (units < 1) return 0;
  // A power of two belongs to the finer grid below it, and rounding down stays on a grid.
  const double step = step_of(units);
  return std::floor(units / step) * step * unit_;
}

bool ClusterSizes::is_round(double gpus) const {
  const double units = gpus / unit_;
  double step = 1;
  while (units / step >= kRoundMantissa) step *= 2;
  return step > 1 && std::fmod(units, step) == 0;
}

SizeChoice size_for_deadline(const ClusterSizes& sizes, const WallClock& wall_clock, double start,
                             double deadline_seconds) {
  return Walk(sizes, wall_clock, deadline_seconds).run(start);
}

}  // namespace trcost
