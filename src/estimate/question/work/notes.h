// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost::estimation {

/// Collects what the user did not say; costs nothing when nobody wants to read it.
class Notes {
 public:
  explicit Notes(bool wanted) : wanted_(wanted) {}

  [[nodiscard]] bool wanted() const { return wanted_; }
  /// The table's own reason for a field's default.
  void fallback(Field field, double value);
  void fallback(Field field, std::string_view value);
  /// Another reason, with its source.
  void add(Field field, double value, std::string why, std::string source);
  void add(Field field, std::string_view value, std::string why, std::string source);
  void add(Assumption assumption);
  void warn(std::string text);
  /// What another said, after what is here.
  void append(Notes&& other);

  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;

 private:
  bool wanted_;
};

}  // namespace trcost::estimation
