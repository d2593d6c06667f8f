// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "study/sweep/plan.h"
#include "trcost/estimate.h"

namespace trcost::study {

/// Computes rows of a grid one after another, in one thread.
class SweepWorker {
 public:
  SweepWorker(const SweepPlan& plan, const Catalog& catalog);

  /// Selects a row, which is fast for the next one.
  void go_to(std::uint64_t index);
  /// Computes the selected row: its estimate, or why there is none.
  const SweepRow& compute();
  /// Whether the row meets the conditions on results.
  [[nodiscard]] bool kept() const;

 private:
  void set_axis(std::size_t axis);

  const SweepPlan& plan_;
  Estimator estimator_;
  Scenario scenario_;
  Estimate out_;
  std::string error_;
  std::vector<std::uint64_t> at_;
  SweepRow row_;
  bool started_ = false;
  bool stale_ = false;  ///< fields that follow from the axes are those of another row
};

}  // namespace trcost::study
