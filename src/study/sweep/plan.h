// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/columns/estimate_columns.h"
#include "quantity/layers.h"
#include "study/sweep/axis.h"
#include "text/column.h"
#include "trcost/estimate.h"
#include "trcost/sweep.h"

namespace trcost::study {

enum class Comparison : std::uint8_t { less, at_most, equal, unequal, at_least, more };

/// A condition on a result, which an unknown value does not meet.
struct ResultCondition {
  /// Null for the row's error, which is empty if there is an answer.
  const EstimateColumn* column = nullptr;
  Comparison comparison = Comparison::equal;
  double number = 0;
  std::string text;
};

/// An axis or a column of the result by which rows are ordered.
struct SweepKey {
  std::optional<std::size_t> axis;
  const EstimateColumn* column = nullptr;
  bool descending = false;
};

/// The last column of every row, selected or not: why a scenario has no answer, else empty.
/// `error=` and `error!=` of --where keep rows without and with one.
inline constexpr std::string_view kErrorColumn = "error";

/// A checked grid. Rows are numbered in grid order: the axes as nested loops, the last one fastest.
/// Several platforms that are compared without being varied are the fastest axis.
class SweepPlan {
 public:
  /// Throws Error (usage) for everything that is wrong with the request, names of catalog entries
  /// included, before a row is computed. Grids of more than 1e12 rows need a shard.
  SweepPlan(SweepRequest request, const Catalog& catalog);

  [[nodiscard]] const Scenario& base() const { return base_; }
  [[nodiscard]] const std::vector<SweepAxis>& axes() const { return axes_; }
  /// Number of axes of the request, which come before the platforms' own axis.
  [[nodiscard]] std::size_t named_axes() const { return named_axes_; }
  [[nodiscard]] const std::vector<ResultCondition>& conditions() const { return conditions_; }
  /// The columns after the axes: those selected, or all but those that repeat an axis.
  [[nodiscard]] const std::vector<const EstimateColumn*>& columns() const { return columns_; }
  [[nodiscard]] bool selected() const { return selected_; }
  [[nodiscard]] const std::vector<SweepKey>& sort() const { return sort_; }
  [[nodiscard]] const std::vector<SweepKey>& pareto() const { return pareto_; }
  [[nodiscard]] std::optional<std::uint64_t> top() const { return top_; }
  /// Whether rows can be written as they come, in grid order.
  [[nodiscard]] bool streams() const { return sort_.empty() && pareto_.empty() && !top_; }
  /// Whether a column that is shown, ordered by or compared needs the range.
  [[nodiscard]] bool needs_range() const { return needs_range_; }

  [[nodiscard]] std::uint64_t size() const { return size_; }    ///< of the whole grid
  [[nodiscard]] std::uint64_t begin() const { return begin_; }  ///< of the shard
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] bool first_shard() const { return first_shard_; }
  [[nodiscard]] bool sharded() const { return sharded_; }

  /// Whether a value of the axis may change other fields.
  [[nodiscard]] bool derives(std::size_t axis) const;
  /// The scenario with these positions on the axes, platforms aside.
  [[nodiscard]] Scenario derive(std::span<const std::uint64_t> at) const;

  /// Writes the positions on the axes of row `index` into `at`.
  void locate(std::uint64_t index, std::span<std::uint64_t> at) const;
  /// The row with these positions.
  [[nodiscard]] std::uint64_t index_of(std::span<const std::uint64_t> at) const;
  /// The platform of a row.
  [[nodiscard]] std::string_view accelerator(std::span<const std::uint64_t> at) const;

 private:
  void add_axes(const SweepRequest& request);
  void clear_excluded(const std::vector<Field>& fixed);
  void add_platforms(const Catalog& catalog);
  void check_names(const Catalog& catalog) const;
  void add_conditions(const std::vector<std::string>& where);
  void add_columns(std::string_view select);
  void add_order(const SweepRequest& request);
  void set_size(const std::optional<SweepShard>& shard);

  Scenario base_;
  std::function<Scenario(const Scenario& axes)> derive_;
  std::vector<SweepAxis> axes_;
  std::size_t named_axes_ = 0;
  std::optional<std::size_t> platform_axis_;
  std::string platform_;
  std::vector<ResultCondition> conditions_;
  std::vector<const EstimateColumn*> columns_;
  std::vector<SweepKey> sort_;
  std::vector<SweepKey> pareto_;
  std::optional<std::uint64_t> top_;
  std::uint64_t size_ = 1;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  bool selected_ = false;
  bool needs_range_ = false;
  bool first_shard_ = true;
  bool sharded_ = false;
};

/// run_sweep() of a checked grid, for the rows from `run.begin` to `run.end`.
SweepOutcome run_plan(const SweepPlan& plan, const Catalog& catalog, const SweepRun& run,
                      const SweepRenderer& render,
                      const std::function<void(std::string_view)>& write);

}  // namespace trcost::study
