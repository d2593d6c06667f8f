// SPDX-License-Identifier: Apache-2.0
#include "trcost/goodput.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "trcost/numbers.h"
#include "trcost/quantity.h"

namespace trcost {
namespace {

// Llama 3 (arXiv:2407.21783, section 3.1.1): storage sustains 2 TB/s for 16,384 GPUs.
constexpr double kWriteBytesPerSecondPerGpu = 2e12 / 16384;
// Synchronising the ranks and handing the state over: the low end of the 5 to 30 s of asynchronous
// checkpoints (model.md 6).
constexpr double kHandOverSeconds = 5;
constexpr double kRestartSeconds = 300;      // detect, reschedule, load, warm up (model.md 6)
constexpr double kSpotRestartSeconds = 600;  // and wait for a new node (assumption)
constexpr double kHotRestartSeconds =
    90;                                // hot spares, in-memory recovery: 60 to 120 s (model.md 6)
constexpr double kAsyncFrom = 16384;   // GPUs at which the move to hot spares begins
constexpr double kAsyncUntil = 65536;  // and is complete; about 30,000 lies in the middle
constexpr double kRepairHours = 24;    // a failed node is away for a day (assumption)
constexpr double kSpotHoursPerNode = 24;  // between preemptions of a node (assumption)
constexpr double kLeastGoodput = 0.01;

constexpr std::string_view kLlama3 = "Llama 3: arXiv:2407.21783";
constexpr std::string_view kAssumption = "assumption";

double async_share(double gpus) {
  const double share = portable_log2(gpus / kAsyncFrom) / portable_log2(kAsyncUntil / kAsyncFrom);
  return std::clamp(share, 0.0, 1.0);
}

// Geometric mean of two times, weighted.
double between(double from, double to, double share) {
  if (share <= 0) return from;
  return portable_exp((1 - share) * portable_log(from) + share * portable_log(to));
}

}  // namespace

double gpu_hours_per_failure(double gpus, double hours, double failures) {
  return gpus * hours / failures;
}

double job_mtbf_seconds(double gpu_hours_per_failure, double gpus) {
  return kSecondsPerHour * gpu_hours_per_failure / gpus;
}

double young_interval(double stall_seconds, double mtbf_seconds) {
  return std::sqrt(2 * stall_seconds * mtbf_seconds);
}

double daly_interval(double stall_seconds, double mtbf_seconds) {
  if (stall_seconds >= 2 * mtbf_seconds) return mtbf_seconds;
  const double ratio = stall_seconds / (2 * mtbf_seconds);
  return young_interval(stall_seconds, mtbf_seconds) * (1 + std::sqrt(ratio) / 3 + ratio / 9) -
         stall_seconds;
}

double exponential_goodput(double interval_seconds, double stall_seconds, double restart_seconds,
                           double mtbf_seconds) {
  const double wall_over_work = mtbf_seconds / interval_seconds *
                                portable_exp(restart_seconds / mtbf_seconds) *
                                portable_expm1((interval_seconds + stall_seconds) / mtbf_seconds);
  return 1 / wall_over_work;
}

GoodputResult plan_goodput(const FailureInputs& inputs) {
  GoodputResult out;
  out.async_share = async_share(inputs.gpus);
  double rate = inputs.gpus / inputs.gpu_hours_per_failure;  // interruptions per hour
  if (inputs.spot) {
    out.preemption_gpu_hours = kSpotHoursPerNode * inputs.gpus_per_node;
    rate += inputs.gpus / out.preemption_gpu_hours;
  }
  out.mtbf_seconds = kSecondsPerHour / rate;
  const double written =
      kHandOverSeconds + inputs.checkpoint_bytes / (kWriteBytesPerSecondPerGpu * inputs.gpus);
  out.stall_seconds =
      inputs.stall_seconds.value_or(between(written, kHandOverSeconds, out.async_share));
  const double cold = inputs.spot ? kSpotRestartSeconds : kRestartSeconds;
  out.restart_seconds =
      inputs.restart_seconds.value_or(between(cold, kHotRestartSeconds, out.async_share));
  // A stall of 0 would ask for checkpoints without end.
  out.interval_seconds = inputs.interval_seconds.value_or(
      std::max(daly_interval(out.stall_seconds, out.mtbf_seconds), 1.0));
  const double in_repair = kRepairHours * inputs.gpus_per_node / inputs.gpu_hours_per_failure;
  out.spare_share = inputs.spare_share.value_or(out.async_share * std::min(in_repair, 0.5));
  out.goodput = (1 - out.spare_share) * exponential_goodput(out.interval_seconds, out.stall_seconds,
                                                            out.restart_seconds, out.mtbf_seconds);
  if (!(out.goodput >= kLeastGoodput)) {
    const bool slow_checkpoints = out.stall_seconds > out.mtbf_seconds;
    throw Error(
        ErrorKind::no_answer,
        fmt::format("a job of {} {}accelerator{} is interrupted every {}, too often to get on "
                    "(restart {}, checkpoint {})",
                    format_number(inputs.gpus, NumberKind::integer), inputs.spot ? "spot " : "",
                    inputs.gpus == 1 ? "" : "s",
                    format_number(out.mtbf_seconds, NumberKind::duration),
                    format_number(out.restart_seconds, NumberKind::duration),
                    format_number(out.stall_seconds, NumberKind::duration)),
        slow_checkpoints ? "take more accelerators, which write checkpoints faster, or give "
                           "--checkpoint-stall or --goodput"
        : inputs.spot    ? "take fewer accelerators, another --pricing, or give --goodput"
                         : "take fewer accelerators, or give --failure-gpu-hours, --restart, "
                           "--checkpoint-interval or --goodput");
  }
  return out;
}

std::vector<GoodputNote> goodput_notes(const FailureInputs& inputs, const GoodputResult& result) {
  std::vector<GoodputNote> notes;
  if (inputs.spot) {
    notes.push_back({"efficiency.failure_gpu_hours", result.preemption_gpu_hours, "GPU-hours",
                     "spot: every node is preempted once in 24 h, besides failures",
                     std::string(kAssumption)});
  }
  if (!inputs.stall_seconds) {
    notes.push_back({"efficiency.checkpoint_stall", result.stall_seconds, "s",
                     result.async_share > 0
                         ? "checkpoints become asynchronous from 16,384 to 65,536 accelerators"
                         : "5 s to synchronise, then the state at 0.122 GB/s per accelerator",
                     std::string(kLlama3) + ", storage of 2 TB/s for 16,384 GPUs"});
  }
  if (!inputs.restart_seconds) {
    std::string why = "detect, reschedule, load, warm up";
    if (inputs.spot) why = "and wait for a replacement of the preempted node";
    if (result.async_share > 0) {
      why =
          "hot spares and in-memory recovery, without which jobs above about 30,000 "
          "accelerators would hardly get on";
    }
    notes.push_back({"efficiency.restart", result.restart_seconds, "s", std::move(why),
                     "model.md 6 (assumption)"});
  }
  if (!inputs.spare_share && result.spare_share > 0) {
    notes.push_back({"cost.spares", result.spare_share, "",
                     "hot spares for the nodes that are in repair for a day",
                     std::string(kAssumption)});
  }
  return notes;
}

std::vector<Derivation> derive_goodput(const FailureInputs& inputs, const GoodputResult& result) {
  const auto s = [](double value) { return fmt::format("{:.4g} s", value); };
  std::vector<Derivation> steps;
  steps.push_back(
      {"time between interruptions M",
       inputs.spot ? "3600 / (GPUs / GPU-hours per failure + GPUs / GPU-hours per "
                     "preemption)"
                   : "3600 x GPU-hours per failure / GPUs",
       inputs.spot
           ? fmt::format("3600 / ({0:.6g} / {1:.6g} + {0:.6g} / {2:.6g})", inputs.gpus,
                         inputs.gpu_hours_per_failure, result.preemption_gpu_hours)
           : fmt::format("3600 x {:.6g} / {:.6g}", inputs.gpu_hours_per_failure, inputs.gpus),
       s(result.mtbf_seconds), std::string(kLlama3) + ", section 3.3.4"});
  steps.push_back({"checkpoint stall delta", "5 s + bytes / (0.122 GB/s x GPUs)",
                   fmt::format("5 + {:.4g} / (0.122e9 x {:.6g}), asynchronous share {:.2f}",
                               inputs.checkpoint_bytes, inputs.gpus, result.async_share),
                   s(result.stall_seconds), "model.md 6; arXiv:2407.21783"});
  steps.push_back(
      {"checkpoint interval tau",
       inputs.interval_seconds ? "given"
                               : "sqrt(2 delta M) (1 + 1/3 sqrt(delta/2M) + 1/9 "
                                 "delta/2M) - delta",
       fmt::format("delta = {:.4g}, M = {:.4g}", result.stall_seconds, result.mtbf_seconds),
       s(result.interval_seconds), "Daly 2006, eq. 37"});
  steps.push_back({"goodput", "(1 - spares) / ((M/tau) e^(R/M) (e^((tau+delta)/M) - 1))",
                   fmt::format("spares {:.4g}, M {:.4g}, tau {:.4g}, R {:.4g}, delta {:.4g}",
                               result.spare_share, result.mtbf_seconds, result.interval_seconds,
                               result.restart_seconds, result.stall_seconds),
                   fmt::format("{:.4f}", result.goodput), "Daly 2006, eq. 20"});
  return steps;
}

}  // namespace trcost
