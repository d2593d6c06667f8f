// SPDX-License-Identifier: Apache-2.0
// The cluster size that meets a deadline.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "quantity/layers.h"

namespace trcost::estimation {

/// Largest number of sizes that a search looks at, each a search for a layout.
inline constexpr int kMostSizesTried = 64;

/// Sizes that clusters come in: multiples of a unit, and beyond 32 of them those with at most five
/// significant binary digits, since clusters of 1,009 nodes divide into no layout.
class ClusterSizes {
 public:
  /// `unit`: accelerators of a node, or its least common multiple with the degrees of the layout
  /// that are given.
  explicit ClusterSizes(double unit) : unit_(unit) {}
  [[nodiscard]] double unit() const { return unit_; }
  /// The smallest size of at least `gpus` accelerators, and of more than `gpus`.
  [[nodiscard]] double at_least(double gpus) const;
  [[nodiscard]] double after(double gpus) const;
  /// As at_least() and after(), among the sizes that divide best: 1, 2, 3, 4, 6, 8, 12, 16 units
  /// and so on.
  [[nodiscard]] double round_at_least(double gpus) const;
  [[nodiscard]] double round_after(double gpus) const;

 private:
  double unit_;
};

/// Time of a training that does not run.
inline constexpr double kNoTime = std::numeric_limits<double>::infinity();

/// Seconds that the training takes on `gpus` accelerators. kNoTime if it does not run. Possibly
/// kNoTime if it takes more than `limit` seconds.
using WallClock = std::function<double(double gpus, double limit)>;

/// The sizes that a search has looked at.
struct SizesTried {
  double deadline_seconds = 0;
  std::map<double, double> seconds;  ///< by size, kNoTime for those that do not run
  std::set<double> dear;  ///< sizes without a time that take more GPU-hours than the best

  /// The fewest accelerators that meet the deadline.
  [[nodiscard]] std::optional<double> fewest() const;
  /// The fewest accelerators that meet the deadline with GPU-hours within 3 % of the least.
  [[nodiscard]] std::optional<double> best() const;
  /// The size with the shortest time; empty if none runs.
  [[nodiscard]] std::optional<double> fastest() const;
  /// Accelerators x seconds of the cheapest size, infinite if none runs.
  [[nodiscard]] double least_work() const;
  /// Time from which a size can be neither the fewest nor the best.
  [[nodiscard]] double limit(double gpus) const;

 private:
  [[nodiscard]] double least_work_in_time() const;
};

/// Looks for the size that meets a deadline. Speed per accelerator is ragged, since the factors of
/// a size decide which layouts exist, and falls with size. So round sizes come first: from `start`
/// to the first that meets the deadline, then from the smallest that may be enough to four
/// times the cheapest. Then all sizes that may do with fewer, at last to one unit.
/// Gives up at kMostGpus, at eight times the fastest size, and after kMostSizesTried.
SizesTried size_for_deadline(const ClusterSizes& sizes, const WallClock& wall_clock, double start,
                             double deadline_seconds);

}  // namespace trcost::estimation
