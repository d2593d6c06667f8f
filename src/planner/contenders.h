// SPDX-License-Identifier: Apache-2.0
// The best layouts that a search has found.
#pragma once

#include <vector>

#include "planner/planner.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Layouts of different structures, the best first.
class Contenders {
 public:
  Contenders();

  /// Keeps it if it is the best of its structure so far. `penalty`: factor on its time per
  /// sequence.
  void add(const Layout& layout, const StepTime& time, double penalty);
  [[nodiscard]] bool empty() const { return found_.empty(); }
  /// Infinite where there is none.
  [[nodiscard]] double best_score() const;
  /// Whatever scores worse is neither the best nor the runner-up.
  [[nodiscard]] double limit() const;
  /// Layout, time and runner-up, of at least one contender.
  void tell(Plan& plan) const;

 private:
  struct Contender {
    Layout layout;
    StepTime time;
    double score = 0;
    [[nodiscard]] double per_sequence() const { return time.seconds / layout.global_batch; }
  };
  static bool better(const Contender& a, const Contender& b);
  std::vector<Contender> found_;
};

/// Relative difference far below any that the model means.
inline constexpr double kTie = 1e-9;

}  // namespace trcost::planner
