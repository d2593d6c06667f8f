// SPDX-License-Identifier: Apache-2.0
#include "planner/planner.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "planner/search.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::planner {
namespace {

// What would still let it in on so many.
std::string way_in(const StepModel& model) {
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

[[noreturn]] void fail_too_large(const StepModel& model, const PlanRequest& request,
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
                                   format_exact(*enough), way_in(model))
                     : fmt::format("no cluster of up to {} GPUs holds it either: free a degree, "
                                   "or take an accelerator with more memory{}",
                                   format_exact(most), way_in(model)));
}

// A question of degrees that contradict the cluster is malformed; otherwise no layout is an answer.
[[noreturn]] void fail_indivisible(const PlanRequest& r) {
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

// What only a chosen layout says: the experts' split, and whether it leaves the margin free.
Plan told(const StepModel& model, const PlanRequest& request, Plan plan) {
  const bool experts = model.workload().language.moe.has_value();
  const auto resolve = [&](Layout& l) { l.etp = experts ? expert_tensor_parallel(l) : 0; };
  resolve(plan.layout);
  if (plan.runner_up) resolve(*plan.runner_up);
  MemoryUse& use = plan.memory;
  use.tight = use.fits && use.total > use.capacity * (1 - request.memory_margin);
  return plan;
}

// The best layout that leaves the margin free, else the best that fits.
bool best_layout(const StepModel& model, const PlanRequest& request, Idle idle, Plan& plan) {
  LayoutSearch search(model, request, idle, request.memory_margin);
  if (search.run(plan)) return true;
  return search.any_fits() && LayoutSearch(model, request, idle, 0).run(plan);
}

}  // namespace

std::optional<Plan> fitting_plan(const StepModel& model, const PlanRequest& asked) {
  check_request(model, asked);
  PlanRequest request = asked;
  request.gpus = asked.gpus_at_work();
  Plan result;
  if (!best_layout(model, request, Idle::none, result)) return std::nullopt;
  return told(model, request, result);
}

Plan plan(const StepModel& model, const PlanRequest& asked) {
  if (std::optional<Plan> fitting = fitting_plan(model, asked)) return *std::move(fitting);
  PlanRequest request = asked;
  request.gpus = asked.gpus_at_work();
  Plan result;
  const bool exists = LayoutSearch(model, request, Idle::none, 0).least_memory(result);
  if (exists && (request.complete() || request.allow_too_large)) {
    return told(model, request, result);
  }
  if (exists) fail_too_large(model, request, result);
  fail_indivisible(request);
}

Plan plan_with_idle(const StepModel& model, const PlanRequest& request) {
  if (request.complete() || request.dp) return plan(model, request);
  check_request(model, request);
  Plan result;
  if (best_layout(model, request, Idle::some, result)) return told(model, request, result);
  return plan(model, request);  // says why nothing fits
}

}  // namespace trcost::planner
