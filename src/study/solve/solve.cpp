// SPDX-License-Identifier: Apache-2.0
#include "trcost/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/cluster/size_cluster.h"
#include "estimate/columns/estimate_columns.h"
#include "planner/plan.h"
#include "quantity/layers.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/statistics.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "study/solve/solve_probe.h"
#include "text/column.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

bool is_whole(const FieldInfo& info) {
  return info.kind == FieldKind::integer || info.kind == FieldKind::count;
}

// The field's range in factors of at most 8, both ends included.
std::vector<double> geometric_grid(double lowest, double highest, bool whole) {
  constexpr double kFactor = 8;
  std::vector<double> grid;
  for (double x = lowest; x < highest; x *= kFactor) grid.push_back(whole ? std::floor(x) : x);
  grid.push_back(highest);
  return grid;
}

// A value that meets the target, and a little more of it, which mostly misses it.
std::vector<double> grid_above(double value, const FieldInfo& info) {
  constexpr double kFactors[] = {1, 1.001, 1.02};
  std::vector<double> grid;
  for (const double factor : kFactors) {
    const double x = std::clamp(std::round(factor * value), info.lowest, info.highest);
    if (grid.empty() || x > grid.back()) grid.push_back(x);
  }
  return grid;
}

std::vector<double> field_grid(const FieldInfo& info) {
  // The grid of a range from 0 begins at 1e-5, or at 1 for whole numbers.
  constexpr double kSmallest = 1e-5;
  const bool whole = is_whole(info);
  const double lowest = info.lowest > 0 ? info.lowest : (whole ? 1 : kSmallest);
  std::vector<double> grid = geometric_grid(lowest, info.highest, whole);
  const bool zero =
      info.lowest == 0 && info.kind != FieldKind::fraction && info.kind != FieldKind::money;
  if (zero) grid.insert(grid.begin(), 0.0);
  return grid;
}

// All sizes of one node, then whole nodes, of which from 8 on those with at most three significant
// binary digits.
std::vector<double> cluster_sizes(double node) {
  std::vector<double> sizes;
  for (double gpus = 1; gpus < node; ++gpus) sizes.push_back(gpus);
  double step = 1;
  for (double nodes = 1; nodes * node <= kMostGpus; nodes += step) {
    sizes.push_back(nodes * node);
    if (nodes >= 8 * step) step *= 2;
  }
  return sizes;
}

std::vector<double> scanned_values(const FieldInfo& info) {
  constexpr double kDense = 64;
  std::vector<double> values;
  for (double x = info.lowest; x <= std::min(kDense, info.highest); ++x) values.push_back(x);
  for (double x = 2 * kDense; x <= info.highest && x <= kMostGpus; x *= 2) values.push_back(x);
  return values;
}

// Throws that no cluster is fast enough. The hint of the estimate names flags that solve for GPUs
// does not have.
[[noreturn]] void refuse_time(const Error& error) {
  const bool of_others = error.hint.find("--deadline") != std::string::npos ||
                         error.hint.find("--gpus") != std::string::npos;
  if (error.kind != ErrorKind::no_answer || !of_others) throw Error(error);
  throw Error(
      error.kind, error.message,
      "use a longer time, fewer tokens or a larger --global-batch. `trcost estimate --gpus N` "
      "tells how long N GPUs take",
      error.location);
}

// The cluster that a deadline of the same time gets, so that both commands have one answer. Empty
// if the time does not decide the cluster size. Throws as the estimate does.
std::optional<double> deadline_size(const SolveRequest& request, const Catalog& catalog,
                                    std::string_view accelerator) {
  const bool cluster = request.unknown->field == Field::hardware_gpus;
  if (!cluster || !request.target.deadline() || !request.base.stages.empty() ||
      request.base.has(Field::layout_dp)) {
    return std::nullopt;
  }
  Scenario timed = request.base;
  timed.clear(Field::hardware_gpus);
  timed.set_number(Field::hardware_deadline, request.target.value);
  Estimate found;
  try {
    Estimator(catalog, {.assumptions = false, .derivations = false, .range = false})
        .run_one(timed, accelerator, found);
  } catch (const Error& error) {
    refuse_time(error);
  }
  return found.gpus;
}

Found search(Prober& prober, const SolveRequest& request, const System& system,
             std::optional<double> sized, std::optional<double> meets) {
  const FieldInfo& info = *request.unknown;
  if (meets) {
    Found found =
        solve_by_bracket(prober, grid_above(*meets, info), is_whole(info), kFinest, Beyond::known);
    if (found.solved) return found;
  }
  if (field_meaning(info.field).solve_by == SolveBy::bracket) {
    return solve_by_bracket(prober, field_grid(info), is_whole(info));
  }
  const bool cheapest = request.target.deadline();
  const bool cluster = info.field == Field::hardware_gpus;
  const double node = std::max(1.0, system.gpus_per_node);
  return solve_by_scan(prober, cluster ? cluster_sizes(node) : scanned_values(info),
                       {cluster ? node : 0, cheapest, sized});
}

void set_pair(Scenario& scenario, double flop) {
  const ComputeOptimal pair = compute_optimal(flop);
  const FieldInfo& params = field_info(Field::model_params);
  const FieldInfo& tokens = field_info(Field::data_tokens);
  scenario.clear_excluded_by(Field::data_tokens);
  scenario.set_number(Field::model_params,
                      std::clamp(std::round(pair.params), params.lowest, params.highest));
  scenario.set_number(Field::data_tokens,
                      std::clamp(std::round(pair.tokens), tokens.lowest, tokens.highest));
}

// Fills the solution from the search and the estimate at its answer.
void finish(const Found& found, const SolveRequest& request, const Catalog& catalog,
            std::string_view accelerator, Solution& out) {
  out.accelerator = std::string(accelerator);
  out.solved = found.solved;
  out.problem = found.problem;
  if (found.beyond) {
    out.beyond = found.beyond->x;
    out.beyond_achieved = found.beyond->achieved;
  }
  out.choices = found.choices;
  out.scenario.set_text(Field::hardware_accelerator, accelerator);
  Estimator estimator(catalog);
  out.estimate.emplace();
  estimator.run_one(out.scenario, accelerator, *out.estimate);
  out.achieved = request.target.reached(*out.estimate);
}

void refuse_unknown_of_stages(const SolveRequest& request) {
  for (const Scenario::Stage& stage : request.base.stages) {
    if (request.unknown == nullptr || !stage.overrides.has(request.unknown->field)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("stage \"{}\" sets {} itself", stage.name, request.unknown->path),
                "leave it out of the stages, or solve for another field");
  }
}

// Refuses columns of an answer, such as dollars, as unknowns.
void refuse_outcome(std::string_view word) {
  constexpr std::string_view kDollars[] = {"budget", "cost", "total", "dollars", "usd"};
  if (std::ranges::find(kDollars, word) == std::end(kDollars) && find_column(word) == nullptr) {
    return;
  }
  throw Error(ErrorKind::usage,
              fmt::format("{} is what comes out, not an input to solve for", word.substr(0, 60)),
              "`trcost estimate` says it for a run. For a cluster set --gpus N --duration TIME "
              "without --for",
              "--for");
}

// Solves for one field. `meets`: a value that is known to meet the target.
Solution solve_unknown(const SolveRequest& request, const Catalog& catalog,
                       std::string_view accelerator, std::optional<double> meets = {}) {
  Solution out;
  out.scenario = request.base;
  const FieldInfo& unknown = *request.unknown;
  const std::string usual = catalog.accelerator(accelerator).system;
  const System& system = catalog.system(request.base.has(Field::hardware_system)
                                            ? request.base.text(Field::hardware_system)
                                            : std::string_view(usual));
  Prober prober(catalog, request, accelerator, [&](Scenario& scenario, double x) {
    scenario.set_number(unknown, x, unknown.flag);
  });
  Found found =
      search(prober, request, system, deadline_size(request, catalog, accelerator), meets);
  if (!found.solved && found.constant) {
    found.problem =
        fmt::format("{} does not change {} here", unknown.path, request.target.column->path);
  }
  out.scenario.set_number(unknown, found.probe.x, unknown.flag);
  out.values = {{&unknown, found.probe.x}};
  out.estimates = prober.tried() + 1;
  out.searched = prober.trials(found.probe.x);
  finish(found, request, catalog, accelerator, out);
  return out;
}

// Solves for the compute-optimal pair, whose parameters need no more digits than kPairDigits, then
// for its tokens to the last one with the parameters fixed.
Solution solve_pair(const SolveRequest& request, const Catalog& catalog,
                    std::string_view accelerator) {
  constexpr double kPairDigits = 1e-4;
  constexpr double kLeastFlop = 1e13;
  constexpr double kMostFlop = 1e34;
  Prober prober(catalog, request, accelerator, set_pair);
  const Found found =
      solve_by_bracket(prober, geometric_grid(kLeastFlop, kMostFlop, false), false, kPairDigits);
  Solution out;
  out.scenario = request.base;
  set_pair(out.scenario, found.probe.x);
  const FieldInfo& tokens = field_info(Field::data_tokens);
  const double params = *out.scenario.number(Field::model_params);
  const double near = *out.scenario.number(Field::data_tokens);
  if (found.solved) {
    SolveRequest fixed = request;
    fixed.base = out.scenario;
    fixed.unknown = &tokens;
    out = solve_unknown(fixed, catalog, accelerator, near);
  } else {
    finish(found, request, catalog, accelerator, out);
    out.values = {{&tokens, near}};
  }
  out.estimates += prober.tried();
  for (const SolveTrial& trial : prober.trials(found.probe.x)) {
    out.searched.push_back({compute_optimal(trial.value).tokens, trial.achieved});
  }
  std::ranges::sort(out.searched, {}, &SolveTrial::value);
  out.values.insert(out.values.begin(), {&field_info(Field::model_params), params});
  return out;
}

SolveTarget make_target(const EstimateColumn& column, double value) {
  return {&column, value, column.better == Better::higher};
}

}  // namespace

}  // namespace trcost::study

namespace trcost {

bool SolveTarget::deadline() const {
  return column->role == ColumnRole::wall_clock;
}

bool SolveTarget::needs_range() const {
  return column->of_range || confidence != kMedian;
}

std::optional<double> SolveTarget::reached(const Estimate& estimate) const {
  return column->role == ColumnRole::total ? total_at(estimate, confidence)
                                           : column->number(estimate);
}

std::optional<double> deadline_for_budget(const SolveRequest& request, const Catalog& catalog,
                                          std::string_view accelerator) {
  if (request.target.column->role != ColumnRole::total || !request.base.stages.empty() ||
      request.base.has(Field::hardware_deadline) || request.base.has(Field::hardware_gpus) ||
      (request.unknown != nullptr && request.unknown->field != Field::data_tokens &&
       request.unknown->field != Field::model_params)) {
    return std::nullopt;
  }
  // A small run tells the price of an hour.
  constexpr double kSmallFlop = 1e19;
  Scenario small = request.base;
  if (request.unknown == nullptr) {
    study::set_pair(small, kSmallFlop);
  } else {
    small.set_number(*request.unknown, request.unknown->field == Field::data_tokens ? 1e9 : 1e8,
                     "");
  }
  Estimate found;
  try {
    Estimator(catalog, {.assumptions = false, .derivations = false, .range = false})
        .run_one(small, accelerator, found);
  } catch (const Error&) {
    return std::nullopt;  // the search says why
  }
  if (!found.cost.price_per_gpu_hour) return std::nullopt;
  constexpr double kMonth = 30 * kSecondsPerDay;
  constexpr double kRoom = 1.25;  // clusters are sized in coarse steps
  const double seconds = kRoom * request.target.value / *found.cost.price_per_gpu_hour /
                         kLargestKnownCluster * kSecondsPerHour;
  if (seconds <= kMonth || seconds > field_info(Field::hardware_deadline).highest - kMonth) {
    return std::nullopt;
  }
  return std::ceil(seconds / kMonth) * kMonth;
}

SolveTarget solve_target(std::string_view path, double value) {
  const EstimateColumn& column = require_column(path);
  if (column.kind != ColumnKind::number) {
    throw Error(ErrorKind::usage, fmt::format("{} is not a number", path),
                "a target is a column with numbers, such as cost.total or wall_clock_seconds");
  }
  return make_target(column, value);
}

SolveTarget solve_target(ColumnRole role, double value) {
  return make_target(column_for(role), value);
}

const FieldInfo& solve_field(std::string_view word) {
  std::vector<std::string> known;
  for (const FieldInfo& info : fields()) {
    const std::string_view flag = info.flag.substr(2);
    if (word == info.path || word == flag || word == info.flag) {
      if (is_numeric(info.kind)) return info;
      throw Error(ErrorKind::usage, fmt::format("{} is no number to solve for", info.path),
                  "`trcost sweep` compares the values of any field");
    }
    if (is_numeric(info.kind))
      known.insert(known.end(), {std::string(info.path), std::string(flag)});
  }
  refuse_outcome(word);
  std::string hint = did_you_mean(word, known);
  if (hint.empty()) {
    hint = "any numeric field: tokens, params, gpus, price, mfu. `trcost help fields` has all";
  }
  throw Error(ErrorKind::usage, fmt::format("unknown field \"{}\"", word.substr(0, 60)), hint,
              "--for");
}

Solver::Solver(const Catalog& catalog) : catalog_(&catalog) {}

Solution Solver::solve(const SolveRequest& request, std::string_view accelerator) {
  study::refuse_unknown_of_stages(request);
  return request.unknown == nullptr ? study::solve_pair(request, *catalog_, accelerator)
                                    : study::solve_unknown(request, *catalog_, accelerator);
}

// C = GPUs x peak x MFU x seconds, as in Epoch AI, Estimating training compute (2022), method 2.
ClusterRun cluster_run(const Estimate& estimate, double seconds) {
  ClusterRun out;
  out.gpus = estimate.gpus;
  out.seconds = seconds;
  out.mfu = estimate.performance.mfu;
  out.peak_flops = estimate.work.peak_flop / estimate.work.busy_seconds;
  out.flops = out.gpus * out.peak_flops * out.mfu * seconds;
  out.gpu_hours = out.gpus * seconds / kSecondsPerHour;
  out.price = estimate.cost.price_per_gpu_hour;
  if (out.price) out.usd = out.gpu_hours * *out.price;
  out.goodput = estimate.performance.goodput;
  out.production_overhead = estimate.performance.production_overhead;
  out.realised_flops = out.flops * out.goodput * out.production_overhead;
  out.optimal = compute_optimal(out.flops);
  out.realised_optimal = compute_optimal(out.realised_flops);
  out.reference_ratio = out.flops / kReferenceFlops;
  return out;
}

}  // namespace trcost
