// SPDX-License-Identifier: Apache-2.0
// A grid of scenarios, one estimate each, in grid order whatever the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost {

namespace study {
class SweepAxisParser;
}  // namespace study

namespace text {
template <class Subject>
struct Column;
}  // namespace text
using EstimateColumn = text::Column<Estimate>;

/// One axis of a grid: a scenario field and the values that it takes, in order and without repeats.
class SweepAxis {
 public:
  /// From `PATH=VALUES`; the field's flag may stand for its path. VALUES is a list of items
  /// separated by commas, or `@FILE` with one item per line (blank lines and lines that start with
  /// # are skipped). An item is a value as people write it for the field or, for numbers,
  /// `a..b:step` (b included when a step meets it) or `a..b:xF` with a factor F above 1. Throws
  /// Error (usage) for an unknown field, an empty or infinite axis, a repeated value and a value
  /// outside the field's range.
  static SweepAxis parse(std::string_view text);
  /// Names of a text field; not checked.
  SweepAxis(const FieldInfo& field, std::vector<std::string> words);

  [[nodiscard]] const FieldInfo& field() const { return *field_; }
  [[nodiscard]] bool numeric() const { return is_numeric(field_->kind); }
  [[nodiscard]] std::uint64_t size() const;
  /// In base units. The value of a linear range is its exact decimal where start and step have at
  /// most nine decimals.
  [[nodiscard]] double number(std::uint64_t at) const;
  [[nodiscard]] const std::string& word(std::uint64_t at) const { return words_[at]; }
  void set(Scenario& scenario, std::uint64_t at) const;
  /// Position of the value that is written `exact`: a word, or a number as format_exact gives it.
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view exact) const;
  /// Keeps the values for which `keep` is true; `monotone` promises that it changes at most once
  /// along the axis, which a range that is too long to be listed needs. False where it cannot be
  /// done.
  bool filter(const std::function<bool(std::uint64_t)>& keep, bool monotone);

 private:
  struct Linear {
    double start = 0;
    double step = 0;
    double scale = 0;  ///< power of ten that makes start and step whole; 0: none does
    double last = 0;   ///< no value is above
    std::uint64_t count = 0;
  };
  SweepAxis() = default;
  friend class study::SweepAxisParser;
  const FieldInfo* field_ = nullptr;
  std::vector<double> numbers_;
  std::vector<std::string> words_;
  std::optional<Linear> linear_;
};

/// Part `part` of `parts` contiguous parts, from 1.
struct SweepShard {
  std::uint64_t part = 1;
  std::uint64_t parts = 1;
};
/// Parses `2/8`; throws Error (usage).
SweepShard parse_shard(std::string_view text);

/// What to sweep, as it is written.
struct SweepRequest {
  Scenario base;                   ///< everything that does not vary
  std::vector<std::string> vary;   ///< `PATH=VALUES`; the last one changes fastest
  std::vector<std::string> where;  ///< `NAME>=VALUE`, all of them true
  std::string select;              ///< columns separated by commas; empty: all
  std::string sort;                ///< `COLUMN`, `-COLUMN` or `COLUMN:desc`, separated by commas
  std::string pareto;              ///< columns separated by commas
  std::optional<std::uint64_t> top;
  std::optional<SweepShard> shard;
  /// Fields that stand beside `vary` on the command line: an axis that excludes one is refused,
  /// where it takes the place of what only a file gives.
  std::vector<Field> fixed;
};

enum class Comparison : std::uint8_t { less, at_most, equal, unequal, at_least, more };

/// A condition on a result; false where the value is unknown.
struct ResultCondition {
  /// Null: the row's error, empty where there is an answer.
  const EstimateColumn* column = nullptr;
  Comparison comparison = Comparison::equal;
  double number = 0;
  std::string text;
};

/// What rows are ordered by: an axis, or a column of the result.
struct SweepKey {
  std::optional<std::size_t> axis;
  const EstimateColumn* column = nullptr;
  bool descending = false;
};

/// The last column of every row: why a scenario has no answer, else empty. It may be selected, and
/// stands last all the same; `error=` and `error!=` of --where are rows without and with one.
inline constexpr std::string_view kErrorColumn = "error";

/// A checked grid. Rows are numbered in grid order: the axes as nested loops, the last one fastest.
/// Several platforms that are compared without being varied are the fastest axis.
class SweepPlan {
 public:
  /// Throws Error (usage) for everything that is wrong with the request, names of catalog entries
  /// included, before a row is computed; grids of more than 1e12 rows need a shard.
  SweepPlan(SweepRequest request, const Catalog& catalog);

  [[nodiscard]] const Scenario& base() const { return base_; }
  [[nodiscard]] const std::vector<SweepAxis>& axes() const { return axes_; }
  /// How many of the axes were asked for; the platforms' own axis comes after them.
  [[nodiscard]] std::size_t named_axes() const { return named_axes_; }
  [[nodiscard]] const std::vector<ResultCondition>& conditions() const { return conditions_; }
  /// The columns after the axes: those selected, or all but those that an axis stands for.
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

  /// Positions on the axes of row `index`.
  void locate(std::uint64_t index, std::span<std::uint64_t> at) const;
  /// The row with these positions.
  [[nodiscard]] std::uint64_t index_of(std::span<const std::uint64_t> at) const;
  /// The platform of a row.
  [[nodiscard]] std::string_view accelerator(std::span<const std::uint64_t> at) const;

 private:
  void add_axes(const SweepRequest& request);
  void replace_excluded(const std::vector<Field>& fixed);
  void add_platforms(const Catalog& catalog);
  void check_names(const Catalog& catalog) const;
  void add_conditions(const std::vector<std::string>& where);
  void add_columns(std::string_view select);
  void add_order(const SweepRequest& request);
  void find_range();
  void measure(const std::optional<SweepShard>& shard);

  Scenario base_;
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

/// One computed row.
struct SweepRow {
  std::uint64_t index = 0;
  std::span<const SweepAxis> axes;
  std::span<const std::uint64_t> at;   ///< position on each axis
  const Estimate* estimate = nullptr;  ///< null where there is no answer
  std::string_view accelerator;
  std::string_view error;  ///< why there is none, one line
};

/// Appends one row to `out`; called from several threads at a time.
using SweepRenderer = std::function<void(const SweepRow& row, std::string& out)>;

struct SweepRun {
  unsigned threads = 0;                     ///< 0: as many as there are cores
  const std::atomic<bool>* stop = nullptr;  ///< set from a signal handler
  std::uint64_t begin = 0;                  ///< rows to compute, by their number
  std::uint64_t end = 0;
  /// A few times a second, from the caller's thread.
  std::function<void(std::uint64_t done)> progress;
};

struct SweepOutcome {
  std::uint64_t computed = 0;  ///< rows of the grid
  std::uint64_t written = 0;   ///< rows given to `write`
  std::uint64_t failed = 0;    ///< rows without an answer
  std::string first_error;     ///< of the first one
  bool interrupted = false;    ///< by `stop`; what was written is a beginning of the whole
};

/// Computes rows and gives them to `write` in pieces that end where a row ends: in grid order, or
/// as sort, pareto and top say. Memory is bounded by the rows that sort, pareto and top keep. An
/// exception of `write` ends the sweep and is passed on.
SweepOutcome run_sweep(const SweepPlan& plan, const Catalog& catalog, const SweepRun& run,
                       const SweepRenderer& render,
                       const std::function<void(std::string_view)>& write);

}  // namespace trcost
