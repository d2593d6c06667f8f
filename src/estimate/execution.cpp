// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/platform.h"
#include "trcost/error.h"
#include "trcost/quantity.h"

namespace trcost {
namespace {

constexpr double kMostGpus = 1e7;

double peak_of(const StepModel& model) {
  const Platform& platform = model.platform();
  return platform.accelerator->peak_flops[static_cast<std::size_t>(platform.precision)];
}

std::optional<int> degree(const Scenario& scenario, Field field) {
  const auto value = scenario.number(field);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

template <class Choice>
std::optional<Choice> choice_of(const Scenario& scenario, Field field, int count,
                                std::string_view (*name)(Choice)) {
  if (!scenario.has(field)) return std::nullopt;
  for (int i = 0; i < count; ++i) {
    const auto choice = static_cast<Choice>(i);
    if (name(choice) == scenario.text(field)) return choice;
  }
  return std::nullopt;
}

Execution execute(const Scenario& scenario, const ResolvedWork& work, const StepModel& model,
                  double gpus) {
  Execution out;
  out.gpus = gpus;
  const std::optional<double> mfu = scenario.number(Field::efficiency_mfu);
  out.mfu_given = mfu.has_value();
  PlanRequest request = resolve_request(scenario, work, gpus);
  // With a given MFU the layout is only shown, so the answer stands where nothing fits.
  request.allow_too_large = out.mfu_given;
  out.plan = plan(model, request);
  const double flops = work.flops_per_token.total() * tokens_per_step(work, out.plan.layout);
  out.step_seconds = mfu ? flops / (gpus * peak_of(model) * *mfu) : out.plan.time.seconds;
  out.mfu = mfu ? *mfu : flops / (gpus * peak_of(model) * out.plan.time.seconds);
  return out;
}

double wall_seconds(const ResolvedWork& work, const Execution& execution, double useful) {
  const double steps = work.tokens.total / tokens_per_step(work, execution.plan.layout);
  return steps * execution.step_seconds / useful;
}

// Whole nodes; beyond 32 of them the next size with at most five significant binary digits, since
// clusters like 1,009 nodes divide into no layout.
double cluster_size(double nodes, double gpus_per_node) {
  constexpr double kMantissa = 32;
  double grid = 1;
  while (nodes / grid > kMantissa) grid *= 2;
  return std::ceil(nodes / grid) * grid * gpus_per_node;
}

}  // namespace

PlanRequest resolve_request(const Scenario& scenario, const ResolvedWork& work, double gpus) {
  PlanRequest request;
  request.gpus = gpus;
  if (work.global_batch_given) request.global_batch = work.global_batch;
  request.batch_hint = work.global_batch;
  request.tp = degree(scenario, Field::layout_tp);
  request.pp = degree(scenario, Field::layout_pp);
  request.vp = degree(scenario, Field::layout_vp);
  request.cp = degree(scenario, Field::layout_cp);
  request.ep = degree(scenario, Field::layout_ep);
  request.dp = degree(scenario, Field::layout_dp);
  request.micro_batch = scenario.number(Field::train_micro_batch);
  request.sharding = choice_of<Sharding>(scenario, Field::layout_sharding, 4, sharding_name);
  request.recompute = choice_of<Recompute>(scenario, Field::layout_recompute, 3, recompute_name);
  request.sequence_parallel = scenario.flag(Field::layout_sequence_parallel);
  return request;
}

namespace {

// tp x pp x cp x dp, where the data-parallel degree is among those given.
std::optional<double> gpus_of_degrees(const Scenario& scenario) {
  if (!scenario.has(Field::layout_dp)) return std::nullopt;
  double product = 1;
  for (const Field field :
       {Field::layout_tp, Field::layout_pp, Field::layout_cp, Field::layout_dp}) {
    product *= scenario.number_or(field, 1);
  }
  return product;
}

}  // namespace

double tokens_per_step(const ResolvedWork& work, const Layout& layout) {
  return layout.global_batch * work.seq_length;
}

Execution resolve_execution(const Scenario& scenario, const ResolvedWork& work,
                            const StepModel& model, const UsefulShare& useful, Notes& notes) {
  if (const auto gpus = scenario.number(Field::hardware_gpus)) {
    return execute(scenario, work, model, *gpus);
  }
  if (const auto gpus = gpus_of_degrees(scenario)) {
    notes.add(Field::hardware_gpus, *gpus, "the degrees given multiply to it", "the layout");
    return execute(scenario, work, model, *gpus);
  }
  const double deadline = scenario.number_or_default(Field::hardware_deadline);
  const double node = model.platform().system->gpus_per_node;
  if (!scenario.has(Field::hardware_deadline)) {
    notes.add({"hardware.deadline", format_number(deadline, NumberKind::duration), "",
               std::string(field_info(Field::hardware_deadline).rule), "trcost default"});
  }
  const double flops = work.flops_per_token.total() * work.tokens.total;
  constexpr double kFirstGuess = 0.4;
  double mfu = scenario.number_or(Field::efficiency_mfu, kFirstGuess);
  double gpus = 0;
  Execution out;
  constexpr int kMostRounds = 24;
  for (int round = 0; round < kMostRounds; ++round) {
    const double share = useful(std::max(node, gpus));
    const double needed = flops / (peak_of(model) * mfu * share * deadline);
    const double size = cluster_size(std::max(1.0, std::ceil(needed / node)), node);
    // Later rounds only grow: the size that a speed asks for has that speed or less.
    const double next = round < 2 ? size : std::max(gpus, size);
    if (next > kMostGpus) {
      throw Error(ErrorKind::no_answer,
                  fmt::format("more than {} accelerators would be needed for this deadline",
                              format_exact(kMostGpus)),
                  "give a longer --deadline, or a smaller question");
    }
    if (next == gpus && round > 0) {
      if (wall_seconds(work, out, share) <= deadline) break;
      gpus = cluster_size(gpus / node + 1, node);
    } else {
      gpus = next;
    }
    try {
      out = execute(scenario, work, model, gpus);
    } catch (const Error& error) {
      if (error.kind != ErrorKind::no_answer) throw;
      const double smallest =
          smallest_cluster(model, resolve_request(scenario, work, gpus), kMostGpus);
      if (smallest <= gpus) throw;
      gpus = smallest;
      out = execute(scenario, work, model, gpus);
      notes.add(Field::hardware_gpus, gpus, "the smallest cluster that holds the model", "memory");
      return out;
    }
    mfu = out.mfu;
  }
  notes.add(Field::hardware_gpus, gpus, "the fewest whole nodes that meet the deadline",
            model.platform().system->title);
  return out;
}

}  // namespace trcost
