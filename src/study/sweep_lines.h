// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/sweep.h"

namespace trcost {

/// How the rows of a file that can be continued are written.
enum class SweepLines : std::uint8_t { csv, json };

/// The names of a row's values: the axes that were asked for under their JSON paths, the columns,
/// then `error`.
std::vector<std::string> sweep_columns(const SweepPlan& plan);

/// Tells which row of the grid a written line is about.
class SweepLineReader {
 public:
  /// The plan has to outlive it.
  SweepLineReader(const SweepPlan& plan, SweepLines lines);

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

  bool split(std::string_view line);
  bool move_to(std::size_t axis, std::string_view cell);
  void write(const SweepAxis& axis, std::uint64_t at);
  [[nodiscard]] std::optional<std::uint64_t> search(std::size_t axis, std::string_view cell);

  const SweepPlan& plan_;
  bool json_;
  std::vector<std::string> keys_;  ///< `"path":` of every cell of a JSON line
  std::vector<Place> places_;
  std::vector<std::uint64_t> at_;
  std::vector<std::string_view> cells_;
  std::string written_;
  bool answered_ = false;
};

}  // namespace trcost
