// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inverse question: the value of one field at which a result reaches a target.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trcost/estimate.h"
#include "trcost/scenario.h"
#include "trcost/tokens.h"

namespace trcost {

namespace text {
template <class Subject>
struct Column;
}  // namespace text
namespace text {
enum class ColumnRole : std::uint8_t;
}  // namespace text
using EstimateColumn = text::Column<Estimate>;

/// Target of a result: at most `value`, or at least `value` if more is better.
struct SolveTarget {
  const EstimateColumn* column = nullptr;
  double value = 0;
  bool at_least = false;
  static constexpr double kMedian = 0.5;
  /// Chance that a total stays within `value`. Other targets are met at the median.
  double confidence = kMedian;

  /// The column of an estimate, for a total at the quantile of `confidence`: as the range of the
  /// total, lognormal on either side of the median. Empty if unknown.
  [[nodiscard]] std::optional<double> reached(const Estimate& estimate) const;
  /// Whether `reached` needs the range of the estimate.
  [[nodiscard]] bool needs_range() const;
  /// Whether the target is the time of the training.
  [[nodiscard]] bool deadline() const;
};
SolveTarget solve_target(std::string_view column, double value);
SolveTarget solve_target(text::ColumnRole role, double value);

/// The field of a path such as `data.tokens`, or of a flag with or without dashes. Throws Error
/// (usage) for an unknown field, with a suggestion, and for one that is not a number.
const FieldInfo& solve_field(std::string_view word);

/// The question. Without `unknown`, parameters and tokens are both sought, paired by the scaling
/// law (compute_optimal in trcost/tokens.h).
struct SolveRequest {
  Scenario base;
  SolveTarget target;
  const FieldInfo* unknown = nullptr;
};

/// One of several answers for a cluster size or a layout.
struct SolveChoice {
  std::string what;  ///< `as --deadline`, `least cost`, `fewest`
  double value = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
};

/// A value that was tried, and the target's column there.
struct SolveTrial {
  double value = 0;
  double achieved = 0;
};
/// Upper bound of the trials that a solution keeps, evenly spaced, with the answer among them.
inline constexpr std::size_t kMostTrials = 100;

/// The answer for one platform.
struct Solution {
  std::string accelerator;
  int estimates = 0;  ///< made for this platform, at most kMostEstimates
  bool solved = false;
  std::string problem;  ///< why there is no answer, in which case the rest is the nearest value
  std::vector<std::pair<const FieldInfo*, double>> values;  ///< of the unknown, or of the pair
  std::optional<double> achieved;                           ///< the target's column at the answer
  std::optional<double> beyond;  ///< one unit further, which misses the target
  std::optional<double> beyond_achieved;
  Scenario scenario;                 ///< with the answer put in: replayable
  std::optional<Estimate> estimate;  ///< of that scenario
  std::vector<SolveChoice> choices;
  std::vector<SolveTrial> searched;  ///< by value, each once
};

/// Upper bound of the estimates for a platform.
inline constexpr int kMostEstimates = 1200;

/// Solves for one platform.
///
/// A field with a monotone effect is bracketed on a geometric grid over its allowed range and
/// bisected to the last whole unit (counts, integers) or to double precision. The answer is the
/// largest value that meets the target if smaller ones meet it too, else the smallest. Values a
/// little beyond it are tried as well, because defaults such as the batch size move in steps.
/// Cluster sizes, layout degrees and batch sizes are scanned, GPUs in steps that get finer around
/// the sizes that meet the target. The answer is the cheapest if the target is a time, else the
/// fastest. The cluster for a time is that of a deadline, in whole nodes, and `choices` has the
/// smallest and the cheapest of all sizes. A pair of parameters and tokens is bracketed along the
/// scaling law, then its tokens with the parameters fixed. Throws the error of the estimate if no
/// value has an answer.
class Solver {
 public:
  explicit Solver(const Catalog& catalog);
  Solution solve(const SolveRequest& request, std::string_view accelerator);

 private:
  const Catalog* catalog_;
};

/// The time that a budget needs on the largest known cluster, in whole months of 30 days, if the
/// default deadline is too short for it and the scenario sets neither deadline nor cluster. Empty
/// if the default deadline does, or for another question.
std::optional<double> deadline_for_budget(const SolveRequest& request, const Catalog& catalog,
                                          std::string_view accelerator);

/// Compute and cost of a cluster in a given time.
struct ClusterRun {
  double gpus = 0;
  double seconds = 0;
  double peak_flops = 0;  ///< of one accelerator in the precision used
  double mfu = 0;
  double flops = 0;  ///< gpus x peak x MFU x seconds, nothing lost
  double gpu_hours = 0;
  std::optional<double> price;
  std::optional<double> usd;  ///< gpu_hours x price
  double goodput = 1;
  double production_overhead = 1;
  double realised_flops = 0;        ///< flops x goodput x production overhead
  ComputeOptimal optimal;           ///< by the scaling law for `flops`
  ComputeOptimal realised_optimal;  ///< for `realised_flops`
  double reference_ratio = 0;       ///< flops over kReferenceFlops
};

/// Training compute of Llama-3.1-405B, usually quoted as 4e25 (3.8e25 in arXiv:2407.21783, section
/// 1).
inline constexpr double kReferenceFlops = 4e25;
inline constexpr std::string_view kReferenceName = "Llama-3.1-405B";

/// Computes `gpus x peak x MFU x seconds` with MFU, goodput and price of the estimate.
ClusterRun cluster_run(const Estimate& estimate, double seconds);

/// A cluster size of one platform.
struct ClusterPoint {
  std::string accelerator;
  double gpus = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
  bool chosen = false;    ///< the size of the estimate
  bool frontier = false;  ///< no other point is both faster and cheaper
};

/// Cost and time of a training on smaller and larger clusters: for every estimate its own cluster
/// and those from an eighth to eight times of it that have an answer, in whole nodes. Empty for a
/// scenario of several stages, whose clusters differ.
std::vector<ClusterPoint> cluster_curve(const Scenario& scenario, const Catalog& catalog,
                                        std::span<const Estimate> estimates);

}  // namespace trcost
