// SPDX-License-Identifier: Apache-2.0
// How many accelerators a deadline asks for.
#pragma once

#include <functional>
#include <optional>

#include "planner/plan.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// A search for a size looks at no more of them than this, each a search for a layout.
inline constexpr int kMostSizesTried = 64;

/// Sizes that clusters come in: multiples of a unit; beyond 32 of them those with at most five
/// significant binary digits, since clusters of 1,009 nodes divide into no layout.
class ClusterSizes {
 public:
  /// `unit`: accelerators of a node, or the least common multiple of it and what a layout fixes.
  explicit ClusterSizes(double unit) : unit_(unit) {}
  [[nodiscard]] double unit() const { return unit_; }
  /// The smallest size of at least so many accelerators, the next one, and the one before: 0 before
  /// the first.
  [[nodiscard]] double at_least(double gpus) const;
  [[nodiscard]] double after(double gpus) const;
  [[nodiscard]] double before(double gpus) const;
  /// The same of round sizes: 1, 2, 3, 4, 6, 8, 12, 16 units and so on, which divide best.
  [[nodiscard]] double round_at_least(double gpus) const;
  [[nodiscard]] double round_after(double gpus) const;
  [[nodiscard]] double round_before(double gpus) const;

 private:
  double unit_;
};

/// Seconds that the training takes on so many accelerators; infinite where it does not run.
using WallClock = std::function<double(double gpus)>;

/// A size that runs, and the time that it takes.
struct TimedSize {
  double gpus = 0;
  double seconds = 0;
};

/// What a search for a size found.
struct SizeChoice {
  std::optional<double> gpus;         ///< empty where no size meets the deadline
  std::optional<double> fewest;       ///< the smallest size that meets it
  std::optional<TimedSize> shortest;  ///< of all sizes looked at; empty where none runs
};

/// The size that meets the deadline: of those looked at the fewest accelerators whose GPU-hours are
/// within 3 % of the least. Speed per accelerator is ragged (how a size factors decides which
/// layouts exist) and falls with size, so round sizes are looked at first: upwards from `start` to
/// the first that meets it, down as long as fewer may be enough, and on to four times the cheapest;
/// then what lies between, in finer and finer steps to one unit. Gives up at kMostGpus, where eight
/// times the accelerators of the shortest time so far bring nothing, and after kMostSizesTried.
SizeChoice size_for_deadline(const ClusterSizes& sizes, const WallClock& wall_clock, double start,
                             double deadline_seconds);

}  // namespace trcost::estimation
