// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::study {

/// One axis of a grid: a scenario field and the values that it takes, in order and without repeats.
class SweepAxis {
 public:
  /// Equal steps that are computed as they are needed, because they are too many to be listed.
  struct Range {
    double start = 0;
    double step = 0;
    double scale = 0;  ///< power of ten that makes start and step whole, or 0 if none does
    double last = 0;   ///< upper bound of all values
    std::uint64_t count = 0;
  };

  /// Reads `PATH=VALUES`. The field's flag may stand for its path. VALUES is a list of items
  /// separated by commas, or `@FILE` with one item per line (blank lines and lines that start with
  /// # are skipped). An item is a value as people write it for the field or, for numbers,
  /// `a..b:step` (b included when a step meets it) or `a..b:xF` with a factor F above 1. Throws
  /// Error (usage) for an unknown field, an empty or infinite axis, a repeated value and a value
  /// outside the field's range.
  static SweepAxis parse(std::string_view text);
  /// Names of a text field, unchecked.
  SweepAxis(const FieldInfo& field, std::vector<std::string> words);
  SweepAxis(const FieldInfo& field, std::vector<double> numbers);
  SweepAxis(const FieldInfo& field, const Range& range);

  [[nodiscard]] const FieldInfo& field() const { return *field_; }
  [[nodiscard]] bool numeric() const { return is_numeric(field_->kind); }
  [[nodiscard]] std::uint64_t size() const;
  /// Value in base units. In a range it is the exact decimal if start and step have at most nine
  /// decimals.
  [[nodiscard]] double number(std::uint64_t at) const;
  [[nodiscard]] const std::string& word(std::uint64_t at) const { return words_[at]; }
  void set(Scenario& scenario, std::uint64_t at) const;
  /// Position of the number that format_exact writes as `exact`.
  [[nodiscard]] std::optional<std::uint64_t> find_number(std::string_view exact) const;
  /// Keeps the values for which `keep` is true. `monotone` promises that it changes at most once
  /// along the axis. Returns false for a range without that promise.
  bool filter(const std::function<bool(std::uint64_t)>& keep, bool monotone);

 private:
  const FieldInfo* field_;
  std::vector<double> numbers_;
  std::vector<std::string> words_;
  std::optional<Range> range_;
};

}  // namespace trcost::study
