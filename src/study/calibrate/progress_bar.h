// SPDX-License-Identifier: Apache-2.0
// Progress bars of tqdm within a log: ` 10%|#  | 10/100 [01:23<12:27,  8.31s/it]`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::study {

/// Speed of the items that a bar counts.
struct BarSpeed {
  double seconds = 0;  ///< of one item, or 0 if no bar shows it
  double scatter = 0;  ///< between parts of the bar, relative
  int steps = 0;
};

/// The bars of a log, each identified by its label and its total.
class ProgressBars {
 public:
  /// Reads a line, which may contain a bar.
  void read(std::string_view line);
  /// Whether the longest bar is one of an epoch, as Lightning labels them. The bar of Hugging Face
  /// Trainer has no label. Bars with other labels (loading, tokenising) are ignored.
  [[nodiscard]] bool counts_epochs() const;
  /// Speed of the bar that ran longest, by its clock without the first tenth. If the clock, which
  /// has whole seconds, is too coarse, by the rate that the bar prints.
  [[nodiscard]] BarSpeed speed() const;

 private:
  struct Point {
    double count, seconds, each;  ///< `each`: seconds of an item as printed, or 0
  };
  struct Bar {
    std::string label;
    double total = 0;
    std::vector<Point> points;
    bool global_steps = false;  ///< an item is a step of the optimizer
  };
  [[nodiscard]] const Bar* longest() const;
  std::vector<Bar> bars_;
};

}  // namespace trcost::study
