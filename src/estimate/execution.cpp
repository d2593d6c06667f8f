// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "estimate/platform.h"
#include "trcost/error.h"
#include "trcost/quantity.h"

namespace trcost {
namespace {

constexpr double kMostGpus = 1e7;
// Of one training cluster: xAI's Colossus in Memphis, 200,000 H100, H200 and GB200 since February 2025
// (x.ai/colossus). Clusters beyond it are answered, with a warning.
constexpr double kLargestCluster = 200'000;
constexpr double kUsualMfu = 0.4;  // of large runs, Llama 3: 0.38 to 0.43 (arXiv:2407.21783, table 4)

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
  return optimizer_steps(work, execution.plan.layout) * execution.step_seconds / useful;
}

// Whole units; beyond 32 of them the next size with at most five significant binary digits, since
// clusters like 1,009 nodes divide into no layout.
double cluster_size(double units, double gpus_per_unit) {
  constexpr double kMantissa = 32;
  double grid = 1;
  while (units / grid > kMantissa) grid *= 2;
  return std::ceil(units / grid) * grid * gpus_per_unit;
}

// What a cluster is a multiple of: whole nodes, and all the degrees that are given.
double cluster_unit(const Scenario& scenario, double gpus_per_node) {
  double product = 1;
  for (const Field field : {Field::layout_tp, Field::layout_pp, Field::layout_cp}) {
    product *= scenario.number_or(field, 1);
  }
  if (product > kMostGpus) return product;
  return static_cast<double>(std::lcm(static_cast<std::int64_t>(std::max(1.0, gpus_per_node)),
                                      static_cast<std::int64_t>(product)));
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

double optimizer_steps(const ResolvedWork& work, const Layout& layout) {
  return std::max(1.0, work.tokens.total / tokens_per_step(work, layout));
}

namespace {

// The share of the time that is useful on `gpus`; all of it while nothing can be said of a cluster
// that is too small to get on at all.
double first_useful_share(const UsefulShare& useful, double gpus) {
  try {
    return useful(gpus);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::no_answer) throw;
    return 1;
  }
}

// The search for the cluster that meets the deadline.
class Sizing {
 public:
  Sizing(const Scenario& scenario, const ResolvedWork& work, const StepModel& model,
         const UsefulShare& useful)
      : scenario_(scenario),
        work_(work),
        model_(model),
        useful_(useful),
        deadline_(scenario.number_or_default(Field::hardware_deadline)),
        unit_(cluster_unit(scenario, model.platform().system->gpus_per_node)),
        flops_(work.flops_per_token.total() * work.tokens.total) {}

  Execution run(Notes& notes) {
    double mfu = first_mfu();
    double gpus = 0;
    Execution out;
    constexpr int kMostRounds = 24;
    for (int round = 0; round < kMostRounds; ++round) {
      const double share = round == 0 ? first_useful_share(useful_, unit_) : useful_(gpus);
      const double size = cluster_size(std::max(1.0, std::ceil(needed(mfu, share) / unit_)), unit_);
      // Later rounds only grow: the size that a speed asks for has that speed or less.
      const double next = round < 2 ? size : std::max(gpus, size);
      if (next > kMostGpus) refuse(next);
      if (next == gpus && round > 0) {
        if (wall_seconds(work_, out, share) <= deadline_) break;
        gpus = cluster_size(gpus / unit_ + 1, unit_);
      } else {
        gpus = next;
      }
      try {
        out = execute(scenario_, work_, model_, gpus);
      } catch (const Error& error) {
        if (error.kind != ErrorKind::no_answer) throw;
        return smallest(gpus, error, notes);
      }
      mfu = out.mfu;
    }
    notes.add(Field::hardware_gpus, gpus, "the fewest whole nodes that meet the deadline",
              model_.platform().system->title);
    if (gpus > kLargestCluster && notes.wanted()) warn_about_size(gpus, notes);
    return out;
  }

 private:
  [[nodiscard]] double first_mfu() const {
    return scenario_.number_or(Field::efficiency_mfu, kUsualMfu);
  }

  [[nodiscard]] double needed(double mfu, double share) const {
    return flops_ / (peak_of(model_) * mfu * share * deadline_);
  }

  // Where the size that meets the deadline does not hold the training, which `error` says.
  Execution smallest(double gpus, const Error& error, Notes& notes) const {
    const double least =
        smallest_cluster(model_, resolve_request(scenario_, work_, gpus), kMostGpus);
    if (least <= gpus) throw Error(error);
    Execution out = execute(scenario_, work_, model_, least);
    notes.add(Field::hardware_gpus, least, "the smallest cluster that holds the model", "memory");
    return out;
  }

  // What fewer accelerators would do: as many as a usual efficiency asks for, or as many as the
  // largest known cluster has.
  [[nodiscard]] std::string alternative() const {
    const double most = std::exp2(std::floor(std::log2(kLargestCluster / unit_))) * unit_;
    const double usual =
        cluster_size(std::max(1.0, std::ceil(needed(first_mfu(), 1) / unit_)), unit_);
    const double gpus = std::min(most, usual);
    try {
      const double seconds =
          wall_seconds(work_, execute(scenario_, work_, model_, gpus), useful_(gpus));
      return fmt::format("{} take about {}", format_exact(gpus),
                         format_number(seconds, NumberKind::duration, 2));
    } catch (const Error&) {
      return fmt::format("{} would take about {} at an MFU of {}", format_exact(gpus),
                         format_number(deadline_ * needed(first_mfu(), 1) / gpus,
                                       NumberKind::duration, 2),
                         format_number(first_mfu(), NumberKind::fraction, 2));
    }
  }

  void warn_about_size(double gpus, Notes& notes) const {
    notes.warn(fmt::format("meeting --deadline takes {} accelerators, more than the largest known "
                           "cluster of {:.0f} (xAI Colossus, 2025); {}",
                           format_exact(gpus), kLargestCluster, alternative()));
  }

  [[noreturn]] void refuse(double gpus) const {
    const bool possible = deadline_ * needed(first_mfu(), 1) / kMostGpus <=
                          field_info(Field::hardware_deadline).highest;
    throw Error(ErrorKind::no_answer,
                fmt::format("finishing within {} would take about {} {}, and at most {} can be asked "
                            "for",
                            format_number(deadline_, NumberKind::duration),
                            format_number(gpus, NumberKind::count, 2),
                            model_.platform().accelerator->name, format_exact(kMostGpus)),
                alternative() + (possible ? ": give a longer --deadline, or a smaller question"
                                          : ": no --deadline is long enough; ask for fewer "
                                            "parameters or tokens"));
  }

  const Scenario& scenario_;
  const ResolvedWork& work_;
  const StepModel& model_;
  const UsefulShare& useful_;
  double deadline_;
  double unit_;   ///< a cluster is a multiple of it
  double flops_;  ///< of the whole training
};

}  // namespace

Execution resolve_execution(const Scenario& scenario, const ResolvedWork& work,
                            const StepModel& model, const UsefulShare& useful, Notes& notes) {
  if (const auto gpus = scenario.number(Field::hardware_gpus)) {
    return execute(scenario, work, model, *gpus);
  }
  if (const auto gpus = gpus_of_degrees(scenario)) {
    notes.add(Field::hardware_gpus, *gpus, "the degrees given multiply to it", "the layout");
    return execute(scenario, work, model, *gpus);
  }
  if (!scenario.has(Field::hardware_deadline)) {
    const double deadline = scenario.number_or_default(Field::hardware_deadline);
    notes.add({"hardware.deadline", format_number(deadline, NumberKind::duration), "",
               std::string(field_info(Field::hardware_deadline).rule), "trcost default"});
  }
  return Sizing(scenario, work, model, useful).run(notes);
}

}  // namespace trcost
