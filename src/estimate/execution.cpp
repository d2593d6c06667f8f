// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog/choices.h"
#include "estimate/execution.h"
#include "estimate/execution_notes.h"
#include "estimate/pipeline_data.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "scenario/dimensions.h"
#include "trcost/error.h"

namespace trcost {
namespace {

std::optional<int> degree(const Scenario& scenario, Field field) {
  const auto value = scenario.number(field);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

template <class T, std::size_t kCount>
std::optional<T> choice_of(const Scenario& scenario, Field field,
                           const Choice<T> (&words)[kCount]) {
  if (!scenario.has(field)) return std::nullopt;
  return value_of(words, scenario.text(field));
}

}  // namespace

double peak_flops(const StepModel& model, Precision precision) {
  return model.platform().accelerator->peak_flops[static_cast<std::size_t>(precision)];
}

double peak_flops(const StepModel& model) {
  return peak_flops(model, model.platform().precision);
}

double with_recomputation(const StepTime& time) {
  return time.model_flops > 0 ? time.hardware_flops / time.model_flops : 1;
}

namespace {

Execution with_plan(const Scenario& scenario, const Prepared& prepared, double gpus, Plan plan) {
  const ResolvedWork& work = prepared.work;
  const StepModel& model = prepared.model;
  Execution out;
  out.gpus = gpus;
  const std::optional<double> mfu = scenario.number(Field::efficiency_mfu);
  out.mfu_given = mfu.has_value();
  out.plan = std::move(plan);
  const double tokens = tokens_per_step(work, out.plan.layout);
  out.model_flops = work.flops_per_token.total() * tokens;
  out.hardware_flops = out.model_flops * with_recomputation(out.plan.time);
  if (mfu) {
    out.step_seconds = out.model_flops / (gpus * peak_flops(model) * *mfu);
    return out;
  }
  out.data_wait =
      data_wait(scenario, work, *model.platform().stack, tokens / out.plan.time.seconds / gpus);
  out.step_seconds = out.plan.time.seconds * out.data_wait;
  return out;
}

double per_sequence(const Execution& execution) {
  return execution.step_seconds / execution.plan.layout.global_batch;
}

// On the accelerators that `get` plans for: all, or in a round with accelerators of its own for
// generation those that remain, at the split that takes least time. Empty where nothing fits.
template <class GetPlan>
std::optional<Execution> on_cluster(const Scenario& scenario, const Prepared& prepared, double gpus,
                                    const GetPlan& get) {
  const auto planned = [&](double learners) -> std::optional<Execution> {
    std::optional<Plan> plan = get(resolve_request(scenario, prepared.work, learners));
    if (!plan) return std::nullopt;
    return with_plan(scenario, prepared, learners, *std::move(plan));
  };
  if (!prepared.round) return planned(gpus);
  std::optional<Execution> best;
  std::optional<Error> unfit;
  const double node = prepared.model.platform().system->gpus_per_node;
  for (const double generating : generation_splits(*prepared.round, gpus, node)) {
    if (generating >= gpus) continue;
    try {
      std::optional<Execution> found = planned(gpus - generating);
      if (!found) continue;
      found->gpus = gpus;
      if (!add_phases(*prepared.round, generating, *found)) continue;
      if (!best || per_sequence(*found) < per_sequence(*best)) best = std::move(found);
    } catch (const Error& error) {
      if (error.kind != ErrorKind::no_answer) throw;
      unfit = error;
    }
  }
  if (!best && unfit) throw *unfit;
  return best;
}

[[noreturn]] void fail_to_generate(const Prepared& prepared, double gpus) {
  throw Error(
      ErrorKind::no_answer,
      fmt::format("{} accelerators do not hold what learns and what generates the responses "
                  "of a round on {}",
                  format_exact(gpus), prepared.model.platform().accelerator->name),
      "take more --gpus, another --placement, or shorter responses", "--gpus");
}

}  // namespace

Execution execute(const Scenario& scenario, const Prepared& prepared, double gpus) {
  std::optional<Execution> found =
      on_cluster(scenario, prepared, gpus, [&](PlanRequest request) -> std::optional<Plan> {
        // With a given MFU the layout is only shown, so the answer stands where nothing fits.
        request.allow_too_large = scenario.has(Field::efficiency_mfu);
        return prepared.plans->all(prepared.model, request);
      });
  if (!found) fail_to_generate(prepared, gpus);
  return *std::move(found);
}

std::optional<Execution> execute_fitting(const Scenario& scenario, const Prepared& prepared,
                                         double gpus) {
  const PlanRequest request = resolve_request(scenario, prepared.work, gpus);
  if (request.complete()) return execute(scenario, prepared, gpus);
  return on_cluster(scenario, prepared, gpus, [&](const PlanRequest& each) {
    return prepared.plans->fitting(prepared.model, each);
  });
}

namespace {

// As execute(), on as many of the accelerators as train fastest.
Execution execute_given(const Scenario& scenario, const Prepared& prepared, double gpus) {
  if (scenario.has(Field::efficiency_mfu)) return execute(scenario, prepared, gpus);
  std::optional<Execution> found =
      on_cluster(scenario, prepared, gpus, [&](const PlanRequest& request) -> std::optional<Plan> {
        return prepared.plans->with_idle(prepared.model, request);
      });
  if (!found) fail_to_generate(prepared, gpus);
  return *std::move(found);
}

}  // namespace

double wall_seconds(const ResolvedWork& work, const Execution& execution, double useful) {
  return optimizer_steps(work, execution.plan.layout) * execution.step_seconds / useful;
}

double working_gpus(const Execution& execution) {
  // Of a round some generate beside those of the layout.
  const bool all = execution.mfu_given || !execution.phases.empty();
  return all ? execution.gpus : execution.plan.layout.gpus();
}

double usual_batch(const ResolvedWork& work, double gpus) {
  if (work.usual_batch == 0) return work.global_batch;
  const double all = std::max(1.0, std::floor(work.tokens.total / work.seq_length));
  if (work.usual_batch_grows) {
    return std::min(all, cluster_global_batch(work.pretraining_batch, gpus));
  }
  // A sequence for each accelerator, within what recipes of the same data differ by: 128 to 512.
  constexpr double kMostGrowth = 4;
  const double each = std::min(gpus, kMostGrowth * work.usual_batch);
  return std::max(work.usual_batch, std::min(all, each));
}

std::optional<double> batch_token_cost(const ResolvedWork& work, const Execution& execution) {
  const double usual = usual_batch(work, execution.gpus);
  const double batch = execution.plan.layout.global_batch;
  if (work.workload.contrastive_batch > 0 || work.usual_batch == 0) return std::nullopt;
  if (batch <= usual) return 0;
  return batch_cost(batch, usual, work.critical_batch) - 1;
}

namespace {

// In steps of 9 %, finer than the fit: rows of a sweep and tries of a solver that differ by a few
// tokens ask for the same plan.
double in_steps(double critical_batch) {
  constexpr double kStepsPerDoubling = 8;
  return portable_pow(
      2, std::round(kStepsPerDoubling * portable_log2(critical_batch)) / kStepsPerDoubling);
}

}  // namespace

Degrees given_degrees(const Scenario& scenario) {
  Degrees given;
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    given.*kDimensions[i].given = degree(scenario, kDimensionFields[i]);
  }
  return given;
}

PlanRequest resolve_request(const Scenario& scenario, const ResolvedWork& work, double gpus) {
  PlanRequest request;
  request.gpus = gpus;
  if (work.global_batch_given) request.global_batch = work.global_batch;
  request.batch_hint = usual_batch(work, gpus);
  if (work.workload.contrastive_batch == 0) {
    request.critical_batch = in_steps(work.critical_batch);
  }
  static_cast<Degrees&>(request) = given_degrees(scenario);
  request.micro_batch = scenario.number(Field::train_micro_batch);
  request.sharding = choice_of(scenario, Field::layout_sharding, kShardings);
  request.recompute = choice_of(scenario, Field::layout_recompute, kRecomputes);
  request.context_kind = choice_of(scenario, Field::layout_context_kind, kContextKinds);
  request.recompute_layers = degree(scenario, Field::layout_recompute_layers);
  request.sequence_parallel = scenario.flag(Field::layout_sequence_parallel);
  request.memory_margin = scenario.number_or_default(Field::hardware_memory_margin);
  assume_no_virtual_stages(request);
  return request;
}

namespace {

// What the degrees multiply to, where the data-parallel one is among those given.
std::optional<double> gpus_of_degrees(const Scenario& scenario) {
  if (!scenario.has(Field::layout_dp)) return std::nullopt;
  return given_degrees(scenario).product();
}

}  // namespace

double tokens_per_step(const ResolvedWork& work, const Layout& layout) {
  return layout.global_batch * work.seq_length;
}

double optimizer_steps(const ResolvedWork& work, const Layout& layout) {
  return std::max(1.0, work.tokens.total / tokens_per_step(work, layout));
}

namespace {

// Where failures take much of the time, a part of the accelerators may be done sooner than all: the
// planner knows steps alone.
Execution with_fewer_failures(const Scenario& scenario, const Prepared& prepared, double gpus,
                              const UsefulShare& useful) {
  constexpr double kFewFailures = 0.85;
  constexpr double kParts[] = {15. / 16, 7. / 8, 3. / 4, 5. / 8};
  Execution best = execute_given(scenario, prepared, gpus);
  if (best.mfu_given || prepared.round) return best;
  const auto share = [&](const Execution& e) {
    return useful(working_gpus(e), wall_seconds(prepared.work, e, 1));
  };
  const auto wall = [&](const Execution& e) { return wall_seconds(prepared.work, e, share(e)); };
  if (share(best) > kFewFailures * useful(1, wall_seconds(prepared.work, best, 1))) return best;
  const double node = prepared.model.platform().system->gpus_per_node;
  for (const double part : kParts) {
    const double fewer = std::floor(gpus * part / node) * node;
    if (fewer < 1 || resolve_request(scenario, prepared.work, gpus).complete()) break;
    Execution found = execute_given(scenario, prepared, fewer);
    found.gpus = gpus;
    if (wall(found) < wall(best)) best = std::move(found);
  }
  return best;
}

Execution choose_execution(const Scenario& scenario, const Prepared& prepared,
                           const UsefulShare& useful, Notes& notes) {
  if (const auto gpus = scenario.number(Field::hardware_gpus)) {
    return with_fewer_failures(scenario, prepared, *gpus, useful);
  }
  if (const auto gpus = gpus_of_degrees(scenario)) {
    notes.add(Field::hardware_gpus, *gpus, "the degrees given multiply to it", "the layout");
    return execute(scenario, prepared, *gpus);
  }
  if (!scenario.has(Field::hardware_deadline)) {
    const double deadline = scenario.number_or_default(Field::hardware_deadline);
    notes.add({"hardware.deadline", format_number(deadline, NumberKind::duration), "",
               std::string(field_info(Field::hardware_deadline).rule), "trcost default"});
  }
  return size_cluster(scenario, prepared, useful, notes);
}

}  // namespace

Execution resolve_execution(const Scenario& scenario, const Prepared& prepared,
                            const UsefulShare& useful, Notes& notes) {
  const Execution out = choose_execution(scenario, prepared, useful, notes);
  note_execution(scenario, prepared, out, notes);
  return out;
}

}  // namespace trcost
