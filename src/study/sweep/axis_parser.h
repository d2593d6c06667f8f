// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/sweep.h"

namespace trcost::study {

/// Reads the values of one axis.
class SweepAxisParser {
 public:
  SweepAxisParser(const FieldInfo& field, std::string_view argument);
  /// The axis of what follows `PATH=`.
  SweepAxis parse(std::string_view values);

 private:
  void add_list(std::string_view items);
  void add_file(const std::string& path);
  void add_item(std::string_view item);
  void add_range(std::string_view item, std::size_t dots);
  void add_linear(double first, double last, double step);
  void add_geometric(double first, double last, double factor);
  void add_number(double value);
  void add_word(std::string_view word);
  [[noreturn]] void refuse_long() const;
  // Where `value` of a range is not whole.
  void refuse_part(std::string_view what, double value) const;
  void check() const;
  [[noreturn]] void refuse(std::string message, std::string hint) const;

  SweepAxis axis_;
  std::string location_;  ///< as typed, for messages
  Scenario scratch_;      ///< checks values
};

}  // namespace trcost::study
