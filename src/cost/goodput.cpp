// SPDX-License-Identifier: Apache-2.0
#include "cost/goodput.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::cost {

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
constexpr double kAsyncUntil = 65536;  // and is complete. About 30,000 is in the middle
static_assert(kAsyncFrom == 16384 && kAsyncUntil == 65536);  // words in goodput_notes()
constexpr double kRepairHours = 24;  // a failed node is away for a day (assumption)
constexpr double kLeastSpare = 0.5;  // accelerators. Fewer count as none
constexpr double kLeastGoodput = 0.01;

constexpr std::string_view kLlama3 = "Llama 3: arXiv:2407.21783";
constexpr std::string_view kAssumption = "assumption";

// Weighted geometric mean of two times.
double interpolate_times(double from, double to, double share) {
  if (share <= 0) return from;
  return portable_exp((1 - share) * portable_log(from) + share * portable_log(to));
}

}  // namespace

double gpu_hours_per_failure(double gpus, double hours, double failures) {
  return gpus * hours / failures;
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

namespace {

// The hint never proposes more accelerators: the time between interruptions falls as fast as the
// writing of checkpoints.
[[noreturn]] void fail_no_progress(const FailureInputs& inputs, const GoodputResult& result) {
  const std::string job =
      fmt::format("a job of {} {}accelerator{}", format_number(inputs.gpus, NumberKind::integer),
                  inputs.spot ? "spot " : "", inputs.gpus == 1 ? "" : "s");
  if (1 - result.spare_share < kLeastGoodput) {
    throw Error(ErrorKind::no_answer,
                fmt::format("{} keeps {} of them as spares: none is left to work", job,
                            format_number(result.spare_share, NumberKind::fraction)),
                "use fewer --spares");
  }
  const auto time = [](double seconds) { return format_number(seconds, NumberKind::duration); };
  const double alone =
      (1 - result.spare_share) *
      exponential_goodput(std::max(daly_interval(result.stall_seconds, result.mtbf_seconds), 1.0),
                          result.stall_seconds, result.restart_seconds, result.mtbf_seconds);
  std::string hint = inputs.spot
                         ? "take fewer accelerators, another --pricing, or set "
                           "--preemption-hours or --goodput"
                         : "take fewer accelerators, or set --failure-gpu-hours or --goodput";
  const bool slow_checkpoints =
      result.stall_seconds > result.mtbf_seconds && result.restart_seconds <= result.mtbf_seconds;
  if (slow_checkpoints) {
    hint =
        "take fewer accelerators, or use a shorter --checkpoint-stall (faster storage, "
        "asynchronous checkpoints) or --goodput";
  } else if (inputs.interval_seconds && alone >= kLeastGoodput) {
    hint = fmt::format("use a shorter --checkpoint-interval: about {} is the best",
                       time(daly_interval(result.stall_seconds, result.mtbf_seconds)));
  }
  throw Error(
      ErrorKind::no_answer,
      fmt::format(
          "{} is interrupted every {}{}, too often to get on (checkpoints every {}, "
          "each {}, restart {})",
          job, time(result.mtbf_seconds),
          inputs.spot ? fmt::format(" (one preemption per node and {} h on {} nodes)",
                                    format_exact(inputs.preemption_hours), grouped(result.nodes, 0))
                      : std::string(),
          time(result.interval_seconds), time(result.stall_seconds), time(result.restart_seconds)),
      std::move(hint));
}

}  // namespace

GoodputResult plan_goodput(const FailureInputs& inputs) {
  GoodputResult out;
  out.async_share = std::clamp(
      portable_log2(inputs.gpus / kAsyncFrom) / portable_log2(kAsyncUntil / kAsyncFrom), 0.0, 1.0);
  // A part of a node is preempted like a whole one.
  if (inputs.spot) out.nodes = std::ceil(inputs.gpus / inputs.gpus_per_node);
  const double interruptions_per_hour =
      inputs.gpus / inputs.gpu_hours_per_failure + out.nodes / inputs.preemption_hours;
  out.mtbf_seconds = kSecondsPerHour / interruptions_per_hour;
  const double write_seconds =
      kHandOverSeconds + inputs.checkpoint_bytes / (kWriteBytesPerSecondPerGpu * inputs.gpus);
  out.stall_seconds = inputs.stall_seconds.value_or(
      interpolate_times(write_seconds, kHandOverSeconds, out.async_share));
  const double cold = inputs.spot ? kSpotRestartSeconds : kRestartSeconds;
  out.restart_seconds =
      inputs.restart_seconds.value_or(interpolate_times(cold, kHotRestartSeconds, out.async_share));
  // A stall of 0 would ask for checkpoints without end.
  out.interval_seconds = inputs.interval_seconds.value_or(
      std::max(daly_interval(out.stall_seconds, out.mtbf_seconds), 1.0));
  out.one_piece = inputs.interval_seconds && inputs.busy_seconds &&
                  *inputs.busy_seconds <= *inputs.interval_seconds;
  if (out.one_piece) out.interval_seconds = *inputs.busy_seconds;
  const double in_repair = kRepairHours * inputs.gpus_per_node / inputs.gpu_hours_per_failure;
  const double spares = out.async_share * std::min(in_repair, 0.5);
  out.spare_share = inputs.spare_share.value_or(spares * inputs.gpus < kLeastSpare ? 0 : spares);
  out.goodput = (1 - out.spare_share) * exponential_goodput(out.interval_seconds,
                                                            out.one_piece ? 0 : out.stall_seconds,
                                                            out.restart_seconds, out.mtbf_seconds);
  if (!(out.goodput >= kLeastGoodput)) fail_no_progress(inputs, out);
  return out;
}

std::vector<GoodputNote> goodput_notes(const FailureInputs& inputs, const GoodputResult& result) {
  std::vector<GoodputNote> notes;
  if (inputs.spot && !inputs.preemptions_given) {
    notes.push_back({"efficiency.preemption_hours", inputs.preemption_hours, "h",
                     fmt::format("spot: each of {:.6g} node{} is taken back once in so long, "
                                 "besides failures",
                                 result.nodes, result.nodes == 1 ? "" : "s"),
                     std::string(kAssumption)});
  }
  if (!inputs.stall_seconds) {
    notes.push_back({"efficiency.checkpoint_stall", result.stall_seconds, "s",
                     result.async_share > 0
                         ? "checkpoints become asynchronous from 16,384 to 65,536 accelerators"
                         : fmt::format("{} s to synchronise, then the state at {:.3g} GB/s per "
                                       "accelerator",
                                       kHandOverSeconds, kWriteBytesPerSecondPerGpu / 1e9),
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

namespace {

Derivation derive_mtbf(const FailureInputs& inputs, const GoodputResult& result) {
  Derivation step{"time between interruptions M", "3600 x GPU-hours per failure / GPUs",
                  fmt::format("3600 x {:.6g} / {:.6g}", inputs.gpu_hours_per_failure, inputs.gpus),
                  fmt::format("{:.4g} s", result.mtbf_seconds),
                  inputs.failures_given ? "the user" : std::string(kLlama3) + ", section 3.3.4"};
  if (inputs.spot) {
    step.formula = "3600 / (GPUs / GPU-hours per failure + nodes / hours between preemptions)";
    step.numbers = fmt::format("3600 / ({:.6g} / {:.6g} + {:.6g} / {:.6g})", inputs.gpus,
                               inputs.gpu_hours_per_failure, result.nodes, inputs.preemption_hours);
    step.source +=
        inputs.preemptions_given ? "; preemptions: the user" : "; preemptions: assumption";
  }
  return step;
}

Derivation derive_stall(const FailureInputs& inputs, const GoodputResult& result) {
  Derivation step{"checkpoint stall delta", "given", fmt::format("{:.4g} s", result.stall_seconds),
                  fmt::format("{:.4g} s", result.stall_seconds), "the user"};
  if (inputs.stall_seconds) return step;
  const double a = result.async_share;
  const double gigabytes = kWriteBytesPerSecondPerGpu / 1e9;
  const std::string written = fmt::format("{} + {:.5g} / ({:.5g}e9 x {:.6g})", kHandOverSeconds,
                                          inputs.checkpoint_bytes, gigabytes, inputs.gpus);
  step.formula = fmt::format("{} s + bytes / ({:.3g} GB/s x GPUs)", kHandOverSeconds, gigabytes);
  step.numbers = written;
  step.source = "model.md 6; arXiv:2407.21783";
  if (a > 0) {
    step.formula = fmt::format(
        "({})^(1 - a) x {}^a s, a = log2(GPUs / {:.0f}) / {:.0f}, at most 1: "
        "asynchronous share",
        step.formula, kHandOverSeconds, kAsyncFrom, portable_log2(kAsyncUntil / kAsyncFrom));
    step.numbers = fmt::format("({})^{:.5g} x {}^{:.5g}", written, 1 - a, kHandOverSeconds, a);
  }
  return step;
}

Derivation derive_interval(const FailureInputs& inputs, const GoodputResult& result) {
  const std::string interval = fmt::format("{:.4g} s", result.interval_seconds);
  if (result.one_piece) {
    return {"checkpoint interval tau",
            "all steps of the run, which ends before a checkpoint is due: delta counts as 0",
            interval, interval, "steps x step time"};
  }
  if (inputs.interval_seconds) {
    return {"checkpoint interval tau", "given", interval, interval, "the user"};
  }
  constexpr std::string_view kLeast = "1; a stall of 0 would ask for checkpoints without end";
  const double delta = result.stall_seconds, m = result.mtbf_seconds;
  const std::string twice = fmt::format("(2 x {:.6g})", m);
  const std::string daly = delta < 2 * m
                               ? fmt::format(
                                     "sqrt({0:.6g} x {1}) x (1 + 1/3 x sqrt({0:.6g} / {1}) + 1/9 x "
                                     "{0:.6g} / {1}) - {0:.6g}",
                                     delta, twice)
                               : fmt::format("{:.6g}, as delta is not below 2 M", m);
  return {"checkpoint interval tau",
          "sqrt(2 delta M) (1 + 1/3 sqrt(delta/2M) + 1/9 delta/2M) - delta",
          result.interval_seconds > 1 ? daly : std::string(kLeast), interval, "Daly 2006, eq. 37"};
}

}  // namespace

std::vector<Derivation> derive_goodput(const FailureInputs& inputs, const GoodputResult& result) {
  const double m = result.mtbf_seconds, tau = result.interval_seconds;
  return {
      derive_mtbf(inputs, result),
      derive_stall(inputs, result),
      derive_interval(inputs, result),
      {"goodput", "(1 - spares) / ((M/tau) e^(R/M) (e^((tau+delta)/M) - 1))",
       fmt::format("(1 - {0:.4g}) / ({1:.6g} / {2:.6g} x exp({3:.6g} / {1:.6g}) x (exp(({2:.6g} + "
                   "{4:.6g}) / {1:.6g}) - 1))",
                   result.spare_share, m, tau, result.restart_seconds,
                   result.one_piece ? 0 : result.stall_seconds),
       fmt::format("{:.4f}", result.goodput), "Daly 2006, eq. 20"}};
}

}  // namespace trcost::cost
