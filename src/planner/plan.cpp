// SPDX-License-Identifier: Apache-2.0
#include "planner/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "catalog/layout/layout.h"
#include "planner/search.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::planner {
namespace {

// Clauses on how the training would fit on the same GPUs.
std::string out_of_memory_hint(const StepModel& model) {
  const Stack& stack = *model.platform().stack;
  const Offload& offload = model.workload().offload;
  std::string out;
  if (!stack.can(dimension_of(&LayoutDegrees::tp)) &&
      !stack.can(dimension_of(&LayoutDegrees::pp))) {
    out = fmt::format(
        "; stack {} splits neither matrices nor layers over GPUs: --stack takes another",
        stack.name);
  }
  if (offload.optimizer && offload.activations) return out;
  return out + "; --offload all keeps optimizer and activations in the hosts' memory, more slowly";
}

[[noreturn]] void throw_too_large(const StepModel& model, const PlanRequest& request,
                                  const Plan& least) {
  const std::string chip = model.platform().accelerator->name;
  const double most = std::min(kMostGpus, std::max(16384.0, 64 * request.gpus));
  const std::optional<double> enough = smallest_cluster(model, request, most);
  throw Error(ErrorKind::no_answer,
              fmt::format("the training does not fit on {} {}: the best layout takes {} of the {} "
                          "that a plan may fill on each",
                          format_exact(request.gpus), chip,
                          format_number(least.memory.total, NumberKind::bytes),
                          format_number(least.memory.capacity, NumberKind::bytes)),
              enough ? fmt::format("the smallest cluster that holds it has {} GPUs{}",
                                   format_exact(*enough), out_of_memory_hint(model))
                     : fmt::format("no cluster of up to {} GPUs holds it either: free a degree, "
                                   "or take an accelerator with more memory{}",
                                   format_exact(most), out_of_memory_hint(model)));
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

// Sets the partition of experts and whether the margin is used, which are known once a layout is
// chosen.
Plan with_resolved_layout(const StepModel& model, const PlanRequest& request, Plan plan) {
  const bool experts = model.workload().language.moe.has_value();
  const auto resolve = [&](Layout& l) { l.etp = experts ? expert_tensor_parallel(l) : 0; };
  resolve(plan.layout);
  if (plan.runner_up) resolve(*plan.runner_up);
  MemoryUse& use = plan.memory;
  use.tight = use.fits && use.total > use.capacity * (1 - request.memory_margin);
  return plan;
}

// Finds the best layout that leaves the margin free, else the best that fits.
bool find_best_layout(const StepModel& model, const PlanRequest& request, Idle idle, Plan& plan) {
  LayoutSearch search(model, request, idle, request.memory_margin);
  if (search.run(plan)) return true;
  return search.any_fits() && LayoutSearch(model, request, idle, 0).run(plan);
}

// Whether a layout fits on `gpus` with the most thorough recomputation.
bool any_fits(const StepModel& model, PlanRequest request, double gpus) {
  request.gpus = gpus;
  const SearchSpace space(model, request);
  const double wanted = request.global_batch.value_or(request.batch_hint);
  for (const Structure& s : space.structures()) {
    BatchChoice batch;
    batch.micro_batch = request.micro_batch.value_or(1);
    // Enough micro-batches to fill the pipeline, unless the batch is smaller than that.
    const double m = std::max(1.0, std::floor(wanted / (batch.micro_batch * s.dp)));
    batch.global_batch = m * batch.micro_batch * s.dp;
    if (request.global_batch && batch.global_batch > wanted) continue;
    for (const Sharding sharding : space.shardings()) {
      const Layout l =
          space.layout(s, batch, request.vp.value_or(1), sharding, space.recomputes().back());
      if (model.memory(l).fits) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Plan> fitting_plan(const StepModel& model, const PlanRequest& given) {
  check_request(model, given);
  PlanRequest request = given;
  request.gpus = given.gpus_at_work();
  Plan result;
  if (!find_best_layout(model, request, Idle::none, result)) return std::nullopt;
  return with_resolved_layout(model, request, result);
}

Plan plan(const StepModel& model, const PlanRequest& given) {
  if (std::optional<Plan> fitting = fitting_plan(model, given)) return *std::move(fitting);
  PlanRequest request = given;
  request.gpus = given.gpus_at_work();
  Plan result;
  const bool exists = LayoutSearch(model, request, Idle::none, 0).least_memory(result);
  if (exists && (request.complete() || request.allow_too_large)) {
    return with_resolved_layout(model, request, result);
  }
  if (exists) throw_too_large(model, request, result);
  throw_indivisible(request);
}

Plan plan_with_idle(const StepModel& model, const PlanRequest& request) {
  if (request.complete() || request.dp) return plan(model, request);
  check_request(model, request);
  Plan result;
  if (find_best_layout(model, request, Idle::some, result))
    return with_resolved_layout(model, request, result);
  return plan(model, request);  // throws the reason
}

std::optional<double> smallest_cluster(const StepModel& model, const PlanRequest& request,
                                       double most) {
  const double node = std::max(1.0, model.platform().system->gpus_per_node);
  const double multiple = request.product();
  const auto fits = [&](double gpus) {
    return gpus <= most && divides(gpus, multiple) && any_fits(model, request, gpus);
  };
  for (double n = 1; n < node; n *= 2) {
    if (fits(n)) return n;
  }
  // Doubling finds a size that fits. Sizes between it and the last that did not are tried next.
  double too_small = 0;
  for (double nodes = 1; nodes * node <= most; nodes *= 2) {
    if (!fits(nodes * node)) {
      too_small = nodes;
      continue;
    }
    const double step = std::max(1.0, std::floor((nodes - too_small) / 256));
    for (double k = too_small + step; k < nodes; k += step) {
      if (fits(k * node)) return k * node;
    }
    return nodes * node;
  }
  return std::nullopt;
}

}  // namespace trcost::planner
