// SPDX-License-Identifier: Apache-2.0
// Failures, checkpoints and restarts: the share of the time that is useful work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "trcost/bill.h"
#include "trcost/scenario.h"

namespace trcost::cost {

/// gpus x hours / failures.
double gpu_hours_per_failure(double gpus, double hours, double failures);
/// tau = sqrt(2 delta M), Young 1974 (doi:10.1145/361147.361115). Seconds.
double young_interval(double stall_seconds, double mtbf_seconds);
/// tau = sqrt(2 delta M) (1 + 1/3 sqrt(delta/2M) + 1/9 (delta/2M)) - delta for delta < 2M, else M,
/// in seconds (Daly 2006, doi:10.1016/j.future.2004.11.016, eq. 37).
double daly_interval(double stall_seconds, double mtbf_seconds);
/// 1 / W with W = (M/tau) e^(R/M) (e^((tau+delta)/M) - 1): the share of useful work under Poisson
/// failures, which may also hit checkpoints and restarts (Daly 2006, eq. 20).
double exponential_goodput(double interval_seconds, double stall_seconds, double restart_seconds,
                           double mtbf_seconds);

/// Inputs of plan_goodput(), which fills the empty ones.
struct FailureInputs {
  double gpus = 1;
  double gpus_per_node = 8;
  double gpu_hours_per_failure = default_number(Field::efficiency_failure_gpu_hours);
  bool failures_given = false;          ///< by the user, else the rate of Llama 3
  double checkpoint_bytes = 0;          ///< full state
  std::optional<double> stall_seconds;  ///< of a checkpoint
  std::optional<double> restart_seconds;
  std::optional<double> interval_seconds;  ///< between checkpoints
  std::optional<double> spare_share;       ///< idle spares, as a share of `gpus`
  bool spot = false;                       ///< preemptible accelerators
  /// Mean time between preemptions of a node, with spot.
  double preemption_hours = default_number(Field::efficiency_preemption_hours);
  bool preemptions_given = false;      ///< by the user, else assumed
  std::optional<double> busy_seconds;  ///< time of all steps of the run, without interruption
};

struct GoodputResult {
  double goodput = 1;           ///< share of the accelerators' time that is work, spares included
  double mtbf_seconds = 0;      ///< between interruptions of the job
  double interval_seconds = 0;  ///< between checkpoints
  double stall_seconds = 0;
  double restart_seconds = 0;
  double spare_share = 0;  ///< of the accelerators, idle as hot spares
  double async_share = 0;  ///< 0: synchronous checkpoints, 1: asynchronous and hot spares
  double nodes = 0;        ///< number of preemptible nodes, 0 without spot
  bool one_piece = false;  ///< the run ends before the given interval
};

/// Goodput of a job by the exponential form at the Daly interval.
///
/// Stall: 5 s to synchronise plus bytes over 0.122 GB/s per accelerator (Llama 3's storage sustains
/// 2 TB/s for 16,384 accelerators). Restart: 5 minutes, or 10 with spot. From 16,384 to 65,536
/// accelerators jobs are assumed to move to asynchronous checkpoints, hot spares and in-memory
/// recovery: a stall of 5 s, a restart of 90 s, and spares for the nodes in repair (none for less
/// than half of one accelerator). Spot adds preemptions, each of a whole node, even if only a part
/// of it is rented. A run that ends before the given interval writes no checkpoint and starts over
/// when interrupted. Throws Error (no_answer) if less than 1 % of the time would be work.
GoodputResult plan_goodput(const FailureInputs& inputs);

/// A default for the list of assumptions, with its source.
struct GoodputNote {
  std::string path;  ///< scenario field
  double value = 0;
  std::string unit;
  std::string why;
  std::string source;
};
std::vector<GoodputNote> goodput_notes(const FailureInputs& inputs, const GoodputResult& result);
std::vector<Derivation> derive_goodput(const FailureInputs& inputs, const GoodputResult& result);

}  // namespace trcost::cost
