// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/size_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "estimate/cluster/deadline_search.h"
#include "quantity/quantity.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

// MFU of large runs, Llama 3: 0.38 to 0.43 (arXiv:2407.21783, table 4). The search begins there.
constexpr double kUsualMfu = 0.4;

// The unit of cluster sizes: whole nodes, and multiples of the given degrees.
double cluster_unit(const Degrees& given, double gpus_per_node) {
  const double split = given.product();
  const double experts = 1.0 * given.ep.value_or(1) * given.etp.value_or(1) * given.pp.value_or(1);
  if (split > kMostGpus || experts > kMostGpus) return std::max(split, experts);
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  const std::int64_t degrees = std::lcm(whole(split), whole(experts));
  return static_cast<double>(std::lcm(whole(std::max(1.0, gpus_per_node)), degrees));
}

// The search for the cluster that meets the deadline.
class ClusterSizing {
 public:
  ClusterSizing(const Task& task, const UsefulShare& useful)
      : task_(task),
        useful_(useful),
        mfu_(task.fixed.mfu),
        deadline_(task.fixed.deadline),
        sizes_(cluster_unit(task.fixed.layout, task.platform().system->gpus_per_node)),
        flops_(task.work().flops_per_token.total() * task.amounts.tokens.total) {}

  Execution run(Notes& notes) {
    // Even at their peak more than the largest cluster would be needed.
    const double usual = needed(mfu_.value_or(kUsualMfu));
    if (needed(mfu_.value_or(1)) > kMostGpus || sizes_.at_least(usual) > kMostGpus)
      refuse_size(notes);
    double start = sizes_.round_at_least(usual);
    if (start > kMostGpus) start = sizes_.at_least(usual);
    std::optional<double> smallest;
    const double first = start, first_seconds = wall_clock(first, kNoTime);
    if (!mfu_ && first_seconds == kNoTime) {
      smallest = smallest_cluster(task_.model(), request_for(task_, start), kMostGpus);
      start = std::max(start, smallest.value_or(start));
    }
    const auto time_of = [&](double gpus, double limit) {
      return gpus == first ? first_seconds : wall_clock(gpus, limit);
    };
    const SizesTried tried = size_for_deadline(sizes_, time_of, start, deadline_);
    const std::optional<double> fewest = tried.fewest();
    if (!fewest) {
      const std::optional<double> fastest = tried.fastest();
      if (!fastest) refuse_all(start);
      if (sizes_.after(*fastest) > kMostGpus) refuse_size(notes);
      return run_fastest(*fastest, tried.seconds.at(*fastest), notes);
    }
    if (mfu_) {
      note(*tried.best(), *fewest, smallest, notes);
      return execute(task_, *tried.best());
    }
    return choose(tried, smallest, notes);
  }

 private:
  struct TimedRun {
    Execution execution;
    double seconds;
  };

  // The best size that --gpus answers in time and at the same cost, where some accelerators may
  // stay idle; else the cheapest in time, and the best of all without one.
  Execution choose(SizesTried tried, std::optional<double> smallest, Notes& notes) {
    constexpr int kMostConfirmed = 16;
    constexpr double kSameCost = 1.03;
    const double fewest = *tried.fewest();
    double gpus = *tried.best();
    std::optional<Execution> chosen;
    double least = kNoTime;
    std::set<double> looked;
    for (int i = 0; i < kMostConfirmed && tried.best(); ++i) {
      const double next = *tried.best();
      std::optional<TimedRun> run = given_cluster(next, runner_up_for(notes));
      const double work = run && run->seconds <= deadline_ ? next * run->seconds : kNoTime;
      if (work < least) {
        least = work;
        gpus = next;
        chosen = std::move(run->execution);
      }
      if (work <= kSameCost * next * tried.seconds[next]) break;
      // Sizes near a refused one have not been looked at unless it was the fewest.
      constexpr double kNear = 4.0 / 3;
      for (double n = sizes_.after(next); n <= std::min(kNear * next, kMostGpus);
           n = sizes_.after(n)) {
        if (!looked.insert(n).second || tried.seconds.contains(n)) continue;
        tried.seconds[n] = wall_clock(n, kNoTime);
      }
      tried.seconds.erase(next);
      for (const double n : tried.dear) tried.seconds[n] = wall_clock(n, kNoTime);
      tried.dear.clear();
    }
    note(gpus, fewest, smallest, notes);
    return chosen ? *std::move(chosen) : *execute_fitting(task_, gpus);
  }

  // Accelerators that meet the deadline at this MFU, without failures.
  [[nodiscard]] double needed(double mfu) const {
    return flops_ / (step_peak_flops(task_.model()) * mfu * deadline_);
  }

  // Seconds with all `gpus` at work. Infinite if the size has no layout, is interrupted too often
  // to get on, or takes steps that are another training. Possibly infinite beyond `limit`.
  double wall_clock(double gpus, double limit) {
    try {
      if (mfu_) {
        const double busy = deadline_ * needed(*mfu_) / gpus;
        return busy / useful_(gpus, busy);
      }
      const Amounts& amounts = task_.amounts;
      const std::optional<Execution> found =
          execute_below(task_, gpus, most_busy(gpus, limit) / amounts.tokens.total);
      if (!found) return kNoTime;
      const auto given_batch =
          amounts.global_batch_given ? std::optional(amounts.global_batch) : std::nullopt;
      if (!same_training(found->plan.layout.global_batch, given_batch,
                         batch_token_cost(task_, *found))) {
        other_training_ = true;
        return kNoTime;
      }
      const double busy = wall_seconds(task_, *found, 1);
      return busy / useful_(working_gpus(*found), busy);
    } catch (const Error&) {
      return kNoTime;  // the degrees given do not divide it
    }
  }

  [[nodiscard]] double most_busy(double gpus, double limit) const {
    return limit == kNoTime ? kNoTime : most_busy_seconds(useful_, gpus, limit);
  }

  // The answer of --gpus, of which some may stay idle; empty if nothing runs.
  std::optional<TimedRun> given_cluster(double gpus, planner::RunnerUp runner_up) {
    try {
      // If fewer finish sooner because fewer fail, they are a size of their own.
      Execution e = execute_with_idle(task_, gpus, runner_up);
      const double busy = wall_seconds(task_, e, 1);
      const double seconds = busy / useful_(working_gpus(e), busy);
      return TimedRun{std::move(e), seconds};
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void note(double gpus, double fewest, std::optional<double> smallest, Notes& notes) {
    if (!notes.wanted()) return;
    const std::string& system = task_.platform().system->title;
    if (gpus == smallest) {
      notes.add(Field::hardware_gpus, gpus, "the smallest cluster that holds the model", "memory");
    } else if (gpus > fewest) {
      notes.add(Field::hardware_gpus, gpus,
                fmt::format("cheapest number of whole nodes that meets the deadline ({} would meet "
                            "it with more GPU-hours)",
                            format_exact(fewest)),
                system);
    } else {
      notes.add(Field::hardware_gpus, gpus, "about the fewest whole nodes that meet the deadline",
                system);
    }
    if (gpus > kLargestKnownCluster) {
      notes.warn(fmt::format(
          "meeting --deadline takes {} accelerators, more than the largest known "
          "cluster of {} (xAI Colossus, 2025). {}",
          grouped(gpus, 0), grouped(kLargestKnownCluster, 0), largest_known_hint(notes)));
    }
  }

  // A hint with the time of the largest known cluster, in whole units. It is planned if notes are
  // wanted.
  [[nodiscard]] std::string largest_known_hint(const Notes& notes) {
    const double gpus =
        std::max(1.0, std::floor(kLargestKnownCluster / sizes_.unit())) * sizes_.unit();
    const double usual = mfu_.value_or(kUsualMfu);
    std::optional<TimedRun> found;
    if (notes.wanted()) found = given_cluster(gpus, planner::RunnerUp::none);
    if (found) {
      return fmt::format("{} GPUs take about {}", grouped(gpus, 0),
                         format_number(found->seconds, NumberKind::duration, 2));
    }
    return fmt::format("{} GPUs would take about {} at an MFU of {}", grouped(gpus, 0),
                       format_number(deadline_ * needed(usual) / gpus, NumberKind::duration, 2),
                       format_number(usual, NumberKind::fraction, 2));
  }

  // The fastest size looked at, as --gpus answers it: some accelerators of it may better stay idle.
  Execution run_fastest(double gpus, double all_at_work, Notes& notes) {
    std::optional<TimedRun> found = given_cluster(gpus, runner_up_for(notes));
    if (found && found->seconds <= deadline_) {
      notes.add(Field::hardware_gpus, gpus, "meets the deadline, not all at work",
                task_.platform().system->title);
      return std::move(found->execution);
    }
    const double seconds = found ? found->seconds : all_at_work;
    throw Error(
        ErrorKind::no_answer,
        fmt::format(
            "no cluster of {} finishes within {}. The shortest time found is {}, on {} GPUs",
            task_.platform().accelerator->name, format_number(deadline_, NumberKind::duration),
            format_number(seconds, NumberKind::duration), grouped(gpus, 0)),
        other_training_ && !task_.amounts.global_batch_given
            ? "use a longer --deadline. --gpus N answers for larger clusters, whose larger batches "
              "need over twice the tokens for the same loss"
        : task_.amounts.global_batch_given
            ? "use a longer --deadline, or a larger --global-batch, which more GPUs can share"
            : "use a longer --deadline, or fewer tokens");
  }

  [[noreturn]] void refuse_all(double start) {
    if (other_training_ && !task_.amounts.global_batch_given) {
      throw Error(
          ErrorKind::no_answer,
          fmt::format(
              "no cluster of {} finishes within {} with a batch that needs at most twice the "
              "tokens for the same loss",
              task_.platform().accelerator->name, format_number(deadline_, NumberKind::duration)),
          "use a longer --deadline. --gpus N answers with larger batches and warns");
    }
    // Either says what is wrong with it.
    const Execution tried = execute(task_, start);
    useful_(start, wall_seconds(task_, tried, 1));
    throw Error(ErrorKind::no_answer,
                fmt::format("no cluster of {} runs this training with the specified batch",
                            task_.platform().accelerator->name),
                "use another --global-batch, or --gpus");
  }

  [[noreturn]] void refuse_size(const Notes& notes) {
    const double usual = needed(mfu_.value_or(kUsualMfu));
    const bool possible =
        deadline_ * usual / kMostGpus <= field_info(Field::hardware_deadline).highest;
    throw Error(ErrorKind::no_answer,
                fmt::format("finishing within {} would take about {} {}. The limit is {}",
                            format_number(deadline_, NumberKind::duration),
                            format_number(std::max(usual, 1.01 * kMostGpus), NumberKind::count, 2),
                            task_.platform().accelerator->name, grouped(kMostGpus, 0)),
                largest_known_hint(notes) +
                    (possible ? ". Use a longer --deadline, or fewer tokens"
                              : ". No --deadline is long enough: use fewer parameters or "
                                "tokens"));
  }

  const Task& task_;
  const UsefulShare& useful_;
  std::optional<double> mfu_;
  double deadline_;
  ClusterSizes sizes_;
  double flops_;                 ///< of the whole training
  bool other_training_ = false;  ///< some sizes run, but as another training
};

}  // namespace

Execution size_cluster(const Task& task, const UsefulShare& useful, Notes& notes) {
  return ClusterSizing(task, useful).run(notes);
}

}  // namespace trcost::estimation
