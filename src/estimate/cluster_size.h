// SPDX-License-Identifier: Apache-2.0
// How many accelerators a deadline asks for.
#pragma once

#include <functional>

#include "planner/planner.h"

namespace trcost {

/// A search for a size looks at no more of them than this, each a search for a layout.
inline constexpr int kMostSizesTried = 64;

/// Sizes that clusters come in: multiples of a unit; beyond 32 of them those with at most five
/// significant binary digits, since clusters of 1,009 nodes divide into no layout.
class ClusterSizes {
 public:
  /// `unit`: accelerators of a node, or the least common multiple of it and what a layout fixes.
  explicit ClusterSizes(double unit) : unit_(unit) {}
  [[nodiscard]] double unit() const { return unit_; }
  /// The smallest size of at least so many accelerators, the next one, and the one before (0 where
  /// there is none).
  [[nodiscard]] double at_least(double gpus) const;
  [[nodiscard]] double after(double gpus) const;
  [[nodiscard]] double before(double gpus) const;
  /// Whether the size is of three significant binary digits and more than seven units.
  [[nodiscard]] bool is_round(double gpus) const;

 private:
  double unit_;
};

/// Seconds that the training takes on so many accelerators; infinite where it does not run.
using WallClock = std::function<double(double gpus)>;

/// What a search for a size found.
struct SizeChoice {
  double gpus = 0;              ///< 0: no size meets the deadline
  double fewest = 0;            ///< the smallest size that meets it
  double shortest_gpus = 0;     ///< of all sizes looked at, the one that takes the least time; 0: none
  double shortest_seconds = 0;
};

/// The fewest accelerators that meet the deadline: sizes are looked at upwards from `start`, and down
/// from the first that meets it, since speed per accelerator is ragged (how a size factors
/// decides which layouts exist) and falls with size; then in finer and finer steps below the one found, to
/// one unit. A size up to a third larger is taken instead
/// where it costs at least 3 % fewer GPU-hours. Gives up at kMostGpus, where four times the
/// accelerators of the shortest time so far bring nothing, and after kMostSizesTried.
SizeChoice size_for_deadline(const ClusterSizes& sizes, const WallClock& wall_clock, double start,
                             double deadline_seconds);

}  // namespace trcost
