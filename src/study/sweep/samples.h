// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::study {

/// Rows of the grid from `begin` to `end`, and the lines that a file has of them.
struct SweepSample {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string lines;
};

/// Whether a file has a row.
struct SweepEdge {
  std::uint64_t row = 0;
  bool kept = false;
};

/// Places of a long file of rows to be computed again, chosen while its lines go by: a few rows in
/// each of many equal parts of the grid, single lines, and neighbours along an axis of which one is
/// kept and the other is not, where a condition that has changed shows. The same file gives the
/// same places.
class SweepSamples {
 public:
  /// Rows `begin` to `end` of a grid with axes of these sizes, the last one fastest. More rows than
  /// all samples together. No sizes where all rows are kept.
  SweepSamples(std::uint64_t begin, std::uint64_t end, const std::vector<std::uint64_t>& sizes);

  /// The next line, its end included, and its row.
  void add(std::uint64_t row, std::string_view line);
  /// After the last line.
  [[nodiscard]] std::vector<SweepSample> take();
  [[nodiscard]] std::vector<SweepEdge> edges() const;

 private:
  struct Axis {
    std::uint64_t size = 0;
    std::uint64_t stride = 0;  ///< rows from one value to the next
    std::uint64_t count = 0;   ///< of edges, of which some are held
    std::vector<SweepEdge> edges = {};
  };

  void add_single(std::uint64_t row, std::string_view line);
  void mark(std::uint64_t row, bool kept);

  std::uint64_t begin_;
  std::uint64_t next_;              ///< row after the last line's
  std::vector<SweepSample> parts_;  ///< in order, without overlap
  std::size_t part_ = 0;            ///< the first that may still grow
  std::vector<SweepSample> singles_;
  std::uint64_t line_count_ = 0;
  std::vector<Axis> axes_;
  std::vector<bool> kept_;  ///< of the last rows, a ring
};

}  // namespace trcost::study
