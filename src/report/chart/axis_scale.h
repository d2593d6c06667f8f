// SPDX-License-Identifier: Apache-2.0
// The scale of an axis: span, places of values as shares of it, and ticks with their words.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"

namespace trcost::report {

class AxisScale {
 public:
  explicit AxisScale(Curve::Axis axis) : axis_(std::move(axis)) {}

  /// Widens the span to a value. Ignores what the axis cannot show.
  void include(double value);
  /// Adds a margin around the values. A linear axis begins at 0 if the values are near it.
  void finish();
  /// Returns the place of a value between 0 and 1.
  [[nodiscard]] double share(double value) const;
  [[nodiscard]] std::vector<double> ticks() const;
  /// Returns a tick for people, without zeros behind its decimal point.
  [[nodiscard]] std::string words(double tick) const;
  [[nodiscard]] const std::string& title() const { return axis_.title; }

 private:
  [[nodiscard]] double unit() const;
  [[nodiscard]] std::vector<double> steps() const;
  [[nodiscard]] std::vector<double> decades() const;

  Curve::Axis axis_;
  double low_ = 0;
  double high_ = 0;
  bool any_ = false;
};

}  // namespace trcost::report
