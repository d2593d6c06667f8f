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

/// A value of the unknown that was tried. Without an answer `achieved` is empty and `meets` false.
struct Probe {
  double x = 0;
  bool meets = false;
  std::optional<double> achieved;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
};

/// Tries values of an unknown, and keeps the nearest one and the error of the smallest one.
class Prober {
 public:
  using Setter = std::function<void(Scenario&, double)>;
  Prober(const Catalog& catalog, const SolveRequest& request, std::string_view accelerator,
         Setter set);

  Probe at(double x);
  /// The probe nearest to the target so far, empty if none had an answer.
  [[nodiscard]] const std::optional<Probe>& nearest() const { return nearest_; }
  [[nodiscard]] double target() const { return target_->value; }
  /// Number of values that were tried.
  [[nodiscard]] int tried() const { return tried_; }
  /// Values with an answer in rising order, thinned to kMostTrials, with `answer` among them.
  [[nodiscard]] std::vector<SolveTrial> trials(double answer) const;
  /// Throws the error of the smallest value without an answer.
  [[noreturn]] void rethrow() const;

 private:
  void keep_error(double x, const Error& error);

  Estimator estimator_;
  const SolveTarget* target_;
  std::string accelerator_;
  Scenario scenario_;
  Setter set_;
  bool sizes_;  ///< clusters for a time, which have to keep the same training
  Estimate estimate_;
  std::optional<Probe> nearest_;
  std::optional<Error> error_;
  double error_at_ = 0;  ///< the value that error_ is of
  int tried_ = 0;
  std::vector<SolveTrial> trials_;
};

/// Result of a search.
struct Found {
  bool solved = false;
  Probe probe;                  ///< the answer, or the nearest that exists
  std::optional<Probe> beyond;  ///< one unit further
  bool constant = false;        ///< the unknown does not change the target's column
  std::string problem;
  std::vector<SolveChoice> choices;
};

/// Relative width to which an unknown is solved. The last bits of a double are rounding errors of
/// the estimate.
inline constexpr double kFinest = 1e-14;

/// Whether values a little beyond an answer may meet the target again.
enum class Beyond { search, known };

/// Brackets the target on `grid` (ascending), of which it tries no more than it needs, and narrows,
/// to whole numbers if `whole`, else to the relative width `finest`. Then searches beyond the
/// answer, unless it is known to be the last one.
Found solve_by_bracket(Prober& prober, const std::vector<double>& grid, bool whole,
                       double finest = kFinest, Beyond beyond = Beyond::search);
/// Options of a scan.
struct ScanFor {
  double node = 0;  ///< accelerators rented together, or 0 if the unknown is not a cluster size
  bool cheapest =
      false;  ///< prefer the least cost among those that meet the target to the least time
  std::optional<double> sized = {};  ///< size for the deadline, the answer if it meets the target
};
/// Tries all `sizes` (ascending), then whole numbers around those that meet the target.
Found solve_by_scan(Prober& prober, const std::vector<double>& sizes, const ScanFor& wanted);

}  // namespace trcost::study
