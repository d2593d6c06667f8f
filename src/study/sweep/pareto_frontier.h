// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "quantity/layers.h"

namespace trcost::study {

/// Value that rows are ordered by. A text is empty for a number, and the number 0 for a text.
struct KeyValue {
  bool known = false;
  double number = 0;
  std::string text;
};

/// A row that --sort, --top or --pareto keeps.
struct KeptRow {
  std::uint64_t index = 0;
  std::vector<KeyValue> keys;
  std::vector<double> objectives;  ///< lower is better
  std::string bytes;

  /// Bytes that the row takes in memory, to within what the allocator adds.
  [[nodiscard]] std::uint64_t size() const {
    return sizeof(KeptRow) + keys.size() * sizeof(KeyValue) + bytes.size();
  }
};

/// The rows that no other row beats: nowhere worse, and better somewhere. Rows that are equal in
/// all objectives stay together. With one or two objectives a row costs O(log n), with more O(n) of
/// the frontier's different points.
class ParetoFrontier {
 public:
  /// Whether a row with these objectives (lower is better) is beaten.
  [[nodiscard]] bool beats(const std::vector<double>& objectives) const;
  /// Adds a row that is not beaten, and drops those that it beats. Returns the change in bytes.
  std::int64_t insert(KeptRow&& row);
  /// Moves out all rows, point by point.
  std::vector<KeptRow> take();

 private:
  using Points = std::map<std::vector<double>, std::vector<KeptRow>>;  // in lexicographic order
  std::uint64_t drop_beaten(Points::iterator by);
  Points points_;
};

}  // namespace trcost::study
