// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "quantity/layers.h"
#include "study/sweep/kept_row.h"

namespace trcost::study {

/// The rows that no other row beats: nowhere worse, and better somewhere. Rows that are equal in
/// all objectives stay together. With one or two objectives a row costs O(log n), with more O(n) of
/// the frontier's different points.
class ParetoFrontier {
 public:
  /// Whether a row with these objectives (lower is better) is beaten.
  [[nodiscard]] bool beats(const std::vector<double>& objectives) const;
  /// Adds a row that is not beaten, and drops those that it beats. The change of kept_bytes().
  std::int64_t insert(KeptRow&& row);
  /// All rows, point by point; the frontier is empty then.
  std::vector<KeptRow> take();

 private:
  using Points = std::map<std::vector<double>, std::vector<KeptRow>>;  // in lexicographic order
  std::uint64_t drop_beaten(Points::iterator by);
  Points points_;
};

}  // namespace trcost::study
