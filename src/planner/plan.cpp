// SPDX-License-Identifier: Apache-2.0
#include "planner/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "catalog/layout/layout.h"
#include "planner/bounds.h"
#include "planner/search.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::planner {
namespace {

struct MemoryItem {
  double MemoryUse::*bytes;
  std::string_view name;
};

constexpr MemoryItem kMemoryItems[] = {
    {&MemoryUse::weights, "weights"},         {&MemoryUse::gradients, "gradients"},
    {&MemoryUse::optimizer, "optimizer"},     {&MemoryUse::activations, "activations"},
    {&MemoryUse::logits, "logits"},           {&MemoryUse::overhead, "overhead"},
    {&MemoryUse::resident, "resident models"}};

const MemoryItem& largest_item(const MemoryUse& use) {
  return *std::ranges::max_element(kMemoryItems, {},
                                   [&](const MemoryItem& each) { return use.*each.bytes; });
}

[[noreturn]] void throw_too_large(const StepModel& model, const PlanRequest& request,
                                  const Plan& least) {
  const std::string chip = model.platform().accelerator->name;
  const double most = std::min(kMostGpus, std::max(16384.0, 64 * request.gpus));
  const std::optional<double> enough = smallest_cluster(model, request, most);
  const MemoryItem& largest = largest_item(least.memory);
  const double node = std::max(1.0, model.platform().system->gpus_per_node);
  throw TooLarge(
      fmt::format("the training does not fit on {} {}: it needs {} per GPU, but {} is usable. The "
                  "largest part is {}, {}",
                  grouped(request.gpus, 0), chip,
                  format_number(least.memory.total, NumberKind::bytes),
                  format_number(least.memory.capacity, NumberKind::bytes), largest.name,
                  format_number(least.memory.*largest.bytes, NumberKind::bytes)),
      enough ? fmt::format("the smallest {} that fits is {}: --gpus {}, or --gpu {}x{}",
                           *enough > node ? "number of GPUs in whole nodes" : "number of GPUs",
                           grouped(*enough, 0), format_exact(*enough), format_exact(*enough), chip)
             : fmt::format("no cluster of up to {} GPUs fits it with these settings",
                           grouped(most, 0)));
}

// Throws usage for degrees that contradict the cluster, else no_answer.
[[noreturn]] void throw_indivisible(const PlanRequest& r) {
  const std::string chain = product_words(r);
  const double product = r.product();
  const std::string gpus = format_exact(r.gpus);
  if (chain.empty()) {
    throw Error(ErrorKind::no_answer, fmt::format("no layout of {} GPUs divides the model", gpus),
                "change the number of GPUs");
  }
  const double rest = r.gpus / product;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} = {}, but there are {} GPUs, and no degree left open takes the factor "
                  "{}",
                  chain, format_exact(product), gpus, format_exact(rest)),
      r.dp ? fmt::format("--dp {} would use them all", format_exact(*r.dp * rest))
           : "change a degree, or the number of GPUs",
      "--gpus");
}

// Share of the memory that a plan leaves free, if it can: by default so much that four of five
// published peaks would stay within the capacity. More would make every plan slower, and a layout
// that does not fit is soon changed.
double free_share(const StepModel& model, const PlanRequest& request) {
  const double spread = memory_recipe(model.platform()).spread;
  return request.memory_margin.value_or(1 - portable_exp(-kNormalP80 * spread));
}

// Sets the partition of experts and whether the margin is used, which are known once a layout is
// chosen.
Plan with_resolved_layout(const StepModel& model, const PlanRequest& request, Plan plan) {
  const bool experts = model.workload().language.moe.has_value();
  const auto resolve = [&](Layout& l) { l.etp = experts ? expert_tensor_parallel(l) : 0; };
  resolve(plan.layout);
  if (plan.runner_up) resolve(*plan.runner_up);
  MemoryUse& use = plan.memory;
  use.tight = use.fits && use.total > use.capacity * (1 - free_share(model, request));
  return plan;
}

// Finds the best layout that leaves the margin free, else the best that fits.
bool find_best_layout(Bounds& bounds, const PlanRequest& request, Idle idle, RunnerUp runner_up,
                      Plan& plan) {
  const double margin = free_share(bounds.model(), request);
  const auto find = [&](LayoutSearch& search) {
    return runner_up == RunnerUp::find ? search.run(plan) : search.run_best_only(plan);
  };
  LayoutSearch search(bounds, request, idle, margin, false);
  if (find(search)) return true;
  LayoutSearch at_risk(bounds, request, idle, margin, true);
  return search.any_fits() && find(at_risk);
}

// Whether a layout fits on at most `gpus` with the most thorough recomputation. True for all larger
// numbers if it is for one, since more replicas need no more memory each.
bool any_fits(const StepModel& model, PlanRequest request, double gpus) {
  request.gpus = gpus;
  const SearchSpace space(model, request);
  const double wanted = request.global_batch.value_or(request.batch_hint);
  BatchChoice batch;
  batch.micro_batch = request.micro_batch.value_or(1);
  for (Structure s : space.partitions()) {
    double most = std::floor(gpus / s.gpus());
    if (request.global_batch) most = std::min(most, std::floor(wanted / batch.micro_batch));
    if (request.dp && *request.dp > most) continue;
    s.dp = request.dp ? *request.dp : space.whole_replicas(s, most);
    if (s.dp < 1) continue;
    // Enough micro-batches to fill the pipeline, unless the batch is smaller than that.
    const double m = std::max(1.0, std::floor(wanted / (batch.micro_batch * s.dp)));
    batch.global_batch = m * batch.micro_batch * s.dp;
    for (const Sharding sharding : space.shardings()) {
      const Layout l =
          space.layout(s, batch, request.vp.value_or(1), sharding, space.recomputes().back());
      if (model.memory(l).fits) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Plan> fitting_plan(Bounds& bounds, const PlanRequest& given) {
  check_request(bounds.model(), given);
  PlanRequest request = given;
  request.gpus = given.gpus_at_work();
  Plan result;
  if (!find_best_layout(bounds, request, Idle::none, RunnerUp::find, result)) return std::nullopt;
  return with_resolved_layout(bounds.model(), request, result);
}

std::optional<Plan> plan_below(Bounds& bounds, const PlanRequest& given, Idle idle,
                               const TimeLimit& limit) {
  check_request(bounds.model(), given);
  PlanRequest request = given;
  request.gpus = given.gpus_at_work();
  Plan result;
  LayoutSearch search(bounds, request, idle, free_share(bounds.model(), request), false);
  bool found = search.run_below(limit, result);
  if (found && result.time.seconds > limit(result.layout.gpus()) * result.layout.global_batch) {
    return std::nullopt;
  }
  const bool tight = !found && !search.any_leaves_margin() && search.any_fits();
  if (tight || search.may_miss_best()) {
    found = find_best_layout(bounds, request, idle, RunnerUp::none, result);
  }
  if (!found) return std::nullopt;
  return with_resolved_layout(bounds.model(), request, result);
}

Plan plan(Bounds& bounds, const PlanRequest& given) {
  if (std::optional<Plan> fitting = fitting_plan(bounds, given)) return *std::move(fitting);
  PlanRequest request = given;
  request.gpus = given.gpus_at_work();
  Plan result;
  const bool exists = LayoutSearch(bounds, request, Idle::none, 0, false).least_memory(result);
  // The layout with the least memory may be one that the search for the fastest leaves out.
  // A given micro-batch describes a job, which may run. A free one is chosen so that the job fits.
  const bool may_run = result.memory.fits || (request.micro_batch && may_fit(result.memory));
  if (exists && (request.complete() || request.allow_too_large || may_run)) {
    return with_resolved_layout(bounds.model(), request, result);
  }
  if (exists) throw_too_large(bounds.model(), request, result);
  throw_indivisible(request);
}

Plan plan_with_idle(Bounds& bounds, const PlanRequest& request, RunnerUp runner_up) {
  if (request.complete() || request.dp) return plan(bounds, request);
  check_request(bounds.model(), request);
  Plan result;
  if (find_best_layout(bounds, request, Idle::some, runner_up, result))
    return with_resolved_layout(bounds.model(), request, result);
  return plan(bounds, request);  // throws the reason
}

std::optional<Plan> fitting_plan(const StepModel& model, const PlanRequest& request) {
  Bounds bounds(model);
  return fitting_plan(bounds, request);
}

Plan plan(const StepModel& model, const PlanRequest& request) {
  Bounds bounds(model);
  return plan(bounds, request);
}

Plan plan_with_idle(const StepModel& model, const PlanRequest& request) {
  Bounds bounds(model);
  return plan_with_idle(bounds, request, RunnerUp::find);
}

std::optional<double> smallest_cluster(const StepModel& model, const PlanRequest& request,
                                       double most) {
  const double node = std::max(1.0, model.platform().system->gpus_per_node);
  // Units of one GPU within a node, else of a node. Doubling finds a size that fits, bisection the
  // smallest one.
  const double unit = any_fits(model, request, std::min(node, most)) ? 1 : node;
  double too_small = 0, enough = 1;
  while (!any_fits(model, request, enough * unit)) {
    too_small = enough;
    enough *= 2;
    if (too_small * unit >= most) return std::nullopt;
    enough = std::min(enough, std::floor(most / unit));
    if (enough <= too_small) return std::nullopt;
  }
  while (enough - too_small > 1) {
    const double middle = std::floor((too_small + enough) / 2);
    (any_fits(model, request, middle * unit) ? enough : too_small) = middle;
  }
  return enough * unit;
}

}  // namespace trcost::planner
