// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inverse question: which value of one field brings a result to a target.

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

/// What a result is to reach: at most `value`, or at least it where more is better.
struct SolveTarget {
  const EstimateColumn* column = nullptr;
  double value = 0;
  bool at_least = false;
  /// Whether it is the time that the training takes.
  [[nodiscard]] bool deadline() const;
};
SolveTarget solve_target(std::string_view column, double value);
SolveTarget solve_target(text::ColumnRole role, double value);

/// `data.tokens`, or the flag without its dashes: `tokens`. Throws Error (usage) with a
/// did-you-mean for an unknown field and for one that is no number.
const FieldInfo& solve_field(std::string_view word);

/// The question. Without `unknown` parameters and tokens are both sought, as the scaling law pairs
/// them (compute_optimal in trcost/tokens.h).
struct SolveRequest {
  Scenario base;
  SolveTarget target;
  const FieldInfo* unknown = nullptr;
};

/// One of several answers when a cluster size or a layout is sought.
struct SolveChoice {
  std::string what;  ///< `as --deadline`, `least cost`, `fewest`
  double value = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
};

/// A value that was tried on the way, and what the target's column was there.
struct SolveTrial {
  double value = 0;
  double achieved = 0;
};
/// So many are kept of those that were tried, evenly over them, the answer among them.
inline constexpr std::size_t kMostTrials = 100;

/// The answer for one platform.
struct Solution {
  std::string accelerator;
  int estimates = 0;  ///< that were made for it, at most kMostEstimates
  bool solved = false;
  std::string problem;  ///< why there is no answer; the rest is then the nearest that exists
  std::vector<std::pair<const FieldInfo*, double>> values;  ///< of the unknown, or of the pair
  std::optional<double> achieved;                           ///< the target's column at the answer
  std::optional<double> beyond;  ///< one unit further, where the target is missed
  std::optional<double> beyond_achieved;
  Scenario scenario;                 ///< with the answer put in: replayable
  std::optional<Estimate> estimate;  ///< of that scenario
  std::vector<SolveChoice> choices;
  std::vector<SolveTrial> searched;  ///< by value, each once
};

/// A solver makes no more estimates than this for a platform.
inline constexpr int kMostEstimates = 1200;

/// Solves for one platform.
///
/// A field whose effect is monotone is bracketed on a geometric grid over its allowed range and
/// bisected to the last whole unit (counts, integers) or to double precision: the largest value
/// that meets the target where less of the field meets it too, else the smallest. Small steps back,
/// such as those of the default batch size, are looked for beyond the answer. Cluster sizes, layout
/// degrees and batch sizes have no such order: they are scanned, GPUs in steps that get finer
/// around the sizes that meet the target, at the end one by one, and the cheapest is taken when the
/// target is a time, else the fastest. The cluster for a time is the one that a deadline gets, in
/// whole nodes; the fewest and the cheapest of all numbers stand in `choices`. Throws what the
/// estimate throws when no value has an answer.
class Solver {
 public:
  explicit Solver(const Catalog& catalog);
  Solution solve(const SolveRequest& request, std::string_view accelerator);

 private:
  const Catalog* catalog_;
};

/// What a cluster computes and costs in a given time.
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

/// Training compute of Llama-3.1-405B: 3.8e25 in arXiv:2407.21783, section 1, which is quoted as
/// 4e25.
inline constexpr double kReferenceFlops = 4e25;
inline constexpr std::string_view kReferenceName = "Llama-3.1-405B";

/// The estimate gives MFU, goodput and price; `flops = gpus x peak x MFU x seconds`.
ClusterRun cluster_run(const Estimate& estimate, double seconds);

/// A cluster size of one platform.
struct ClusterPoint {
  std::string accelerator;
  double gpus = 0;
  double wall_clock_seconds = 0;
  std::optional<double> total_usd;
  bool chosen = false;    ///< what the estimate answers
  bool frontier = false;  ///< nothing known is both sooner and cheaper
};

/// The same training on smaller and larger clusters: what time costs.
/// Of every estimate its own cluster, and those from an eighth to eight times of it that have an
/// answer, in whole nodes. Empty for a scenario of several stages, whose clusters differ.
std::vector<ClusterPoint> cluster_curve(const Scenario& scenario, const Catalog& catalog,
                                        std::span<const Estimate> estimates);

}  // namespace trcost
