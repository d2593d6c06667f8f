// SPDX-License-Identifier: Apache-2.0
// Best layouts that a search has found.
#pragma once

#include <vector>

#include "planner/plan.h"
#include "quantity/layers.h"

namespace trcost::planner {

/// Relative difference below which scores are tied, far below the accuracy of the model.
inline constexpr double kTie = 1e-9;

/// Layouts of different structures, the best first.
class Contenders {
 public:
  Contenders();

  /// Adds a layout if it is the best of its structure so far. `penalty`: factor on its time per
  /// sequence.
  void add(const Layout& layout, const StepTime& time, double penalty);
  [[nodiscard]] bool empty() const { return found_.empty(); }
  /// Score of the best, infinite if there is none.
  [[nodiscard]] double best_score() const;
  /// Score beyond which a layout is neither the best nor the runner-up.
  [[nodiscard]] double limit() const;
  /// Score beyond which a layout will be neither, whatever else is found.
  [[nodiscard]] double reach() const;
  /// Score beyond which a layout is not the best.
  [[nodiscard]] double best_limit() const { return best_score() * (1 + kTie); }
  /// Sets layout, time and runner-up of a plan. Needs at least one contender.
  void store_best(Plan& plan) const;

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

}  // namespace trcost::planner
