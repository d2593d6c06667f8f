// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trcost {

/// Rows of the grid from `begin` to `end`, and the lines that a file has of them.
struct SweepSample {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string lines;
};

/// Places of a long file of rows to be computed again, chosen while its lines go by: a few rows in
/// each of many equal parts of the grid, and rows on both sides of gaps, where a condition that has
/// changed shows. The same file gives the same places.
class SweepSamples {
 public:
  /// Rows `begin` to `end` of the grid; more rows than all samples together.
  SweepSamples(std::uint64_t begin, std::uint64_t end);

  /// The next line, its end included, and its row.
  void add(std::uint64_t row, std::string_view line);
  /// After the last line.
  [[nodiscard]] std::vector<SweepSample> take();

 private:
  void add_gap(std::uint64_t row, std::string_view line);

  std::vector<SweepSample> parts_;  ///< in order, without overlap
  std::size_t part_ = 0;            ///< the first that may still grow
  std::vector<SweepSample> gaps_;   ///< two to a gap
  std::uint64_t gap_count_ = 0;
  std::uint64_t next_;              ///< row after the last line's
  std::string last_line_;
};

}  // namespace trcost
