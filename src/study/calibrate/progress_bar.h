// SPDX-License-Identifier: Apache-2.0
// Progress bars of tqdm within a log: ` 10%|#  | 10/100 [01:23<12:27,  8.31s/it]`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::study {

/// Speed of what a bar counts.
struct BarSpeed {
  double seconds = 0;  ///< of one; 0 where no bar says it
  double scatter = 0;  ///< between parts of the bar, relative
  int steps = 0;
};

/// The bars of a log, each told by its label and what it counts to.
class ProgressBars {
 public:
  /// A line, which may hold a bar.
  void read(std::string_view line);
  /// Whether the longest bar is one of an epoch, as Lightning labels them; that of Hugging Face
  /// Trainer has no label, and bars of other labels (loading, tokenising) do not count.
  [[nodiscard]] bool of_epochs() const;
  /// Of the bar that ran longest: by its clock, without the first tenth; by its own rate where the
  /// clock, in whole seconds, says too little.
  [[nodiscard]] BarSpeed speed() const;

 private:
  struct Point {
    double count, seconds, each;  ///< `each` as the bar prints it, 0 where it does not
  };
  struct Bar {
    std::string label;
    double total = 0;
    std::vector<Point> points;
  };
  [[nodiscard]] const Bar* longest() const;
  std::vector<Bar> bars_;
};

}  // namespace trcost::study
