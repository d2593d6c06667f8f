// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/estimate.h"
#include "trcost/sweep.h"

namespace trcost::study {

/// Computes rows of a grid one after another; one per thread.
class SweepWorker {
 public:
  SweepWorker(const SweepPlan& plan, const Catalog& catalog);

  /// Goes to a row, which is cheap when it is the next one.
  void go_to(std::uint64_t index);
  /// Computes the row: its estimate, or why there is none.
  const SweepRow& compute();
  /// Whether the row meets the conditions on results.
  [[nodiscard]] bool kept() const;

 private:
  void set_axis(std::size_t axis);
  void estimate();

  const SweepPlan& plan_;
  Estimator estimator_;
  Scenario scenario_;
  Estimate out_;
  std::string error_;
  std::vector<std::uint64_t> at_;
  SweepRow row_;
  bool started_ = false;
};

}  // namespace trcost::study
