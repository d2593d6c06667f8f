// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "study/sweep/columns.h"
#include "trcost/sweep.h"

namespace trcost::study {

/// Tells which row of the grid a written line is about.
class SweepLineReader {
 public:
  /// The plan and the writer, which splits its lines, have to outlive it.
  SweepLineReader(const SweepPlan& plan, const RowWriter& writer);

  /// The row of a line (without its end), by the values of its axes as they are written; nothing
  /// where the line is no row of the plan's part of the grid. Quick where rows come in grid order.
  std::optional<std::uint64_t> row(std::string_view line);
  /// Whether the line that row() read last has an answer.
  [[nodiscard]] bool answered() const { return answered_; }

 private:
  // Where the last line stands on an axis, and how that value is written.
  struct Place {
    std::size_t cell = 0;  ///< of the line
    std::uint64_t at = 0;
    std::string written;
  };

  bool move_to(std::size_t axis, std::string_view cell);
  void write(const SweepAxis& axis, std::uint64_t at);
  [[nodiscard]] std::optional<std::uint64_t> search(std::size_t axis, std::string_view cell);

  const SweepPlan& plan_;
  const RowWriter& writer_;
  SweepTable table_;
  std::vector<Place> places_;
  std::vector<std::uint64_t> at_;
  std::vector<std::string_view> cells_;
  std::string written_;
  std::string unknown_;  ///< as the writer has it
  bool answered_ = false;
};

}  // namespace trcost::study
