// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Collects defaults and warnings. Does nothing when disabled.
class Notes {
 public:
  explicit Notes(bool wanted) : wanted_(wanted) {}

  [[nodiscard]] bool wanted() const { return wanted_; }
  /// Notes a default with the reason in the table of fields.
  void fallback(Field field, double value);
  void fallback(Field field, std::string_view value);
  /// Notes a default with another reason and its source.
  void add(Field field, double value, std::string why, std::string source);
  void add(Field field, std::string_view value, std::string why, std::string source);
  void add(Assumption assumption);
  void warn(std::string text);
  /// Appends the notes of another collection.
  void append(Notes&& other);

  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;

 private:
  bool wanted_;
};

}  // namespace trcost::estimation
