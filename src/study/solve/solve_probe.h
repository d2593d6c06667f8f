// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/error.h"
#include "trcost/solve.h"

namespace trcost::study {

/// A value of the unknown that was tried. Without an answer `achieved` is empty and it meets
/// nothing.
struct Probe {
  double x = 0;
  bool meets = false;
  std::optional<double> achieved;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
};

/// Tries values of an unknown and remembers what it needs when none will do.
class Prober {
 public:
  using Setter = std::function<void(Scenario&, double)>;
  Prober(const Catalog& catalog, const SolveRequest& request, std::string_view accelerator,
         Setter set);

  Probe at(double x);
  /// The probe so far that came nearest to the target; empty when none had an answer.
  [[nodiscard]] const std::optional<Probe>& nearest() const { return nearest_; }
  /// How many values were tried.
  [[nodiscard]] int tried() const { return tried_; }
  /// What was tried and had an answer, by value, thinned to kMostTrials; `answer` stays.
  [[nodiscard]] std::vector<SolveTrial> trials(double answer) const;
  /// Throws what the first value without an answer threw.
  [[noreturn]] void rethrow() const;

 private:
  Estimator estimator_;
  const SolveTarget* target_;
  std::string accelerator_;
  Scenario scenario_;
  Setter set_;
  bool sizes_;  ///< clusters for a time, which steps of another training do not meet
  Estimate estimate_;
  std::optional<Probe> nearest_;
  std::optional<Error> error_;
  int tried_ = 0;
  std::vector<SolveTrial> trials_;
};

/// Where a search ended.
struct Found {
  bool solved = false;
  Probe probe;                  ///< the answer, or the nearest that exists
  std::optional<Probe> beyond;  ///< one unit further
  bool constant = false;        ///< the unknown does not change what is sought
  std::string problem;
  std::vector<SolveChoice> choices;
};

/// Brackets on `grid` (ascending) and bisects, to whole numbers when `whole`.
Found solve_by_bracket(Prober& prober, const std::vector<double>& grid, bool whole);
/// What a scan looks for beside the target.
struct ScanFor {
  double node = 0;        ///< accelerators rented together, 0 where the unknown is no cluster size
  bool cheapest = false;  ///< the least cost of those that meet the target, else the least time
  std::optional<double> sized = {};  ///< the answer where it meets the target: what a deadline gets
};
/// Tries every one of `sizes` (ascending), then whole numbers below the first that meets the
/// target.
Found solve_by_scan(Prober& prober, const std::vector<double>& sizes, const ScanFor& wanted);

}  // namespace trcost::study
