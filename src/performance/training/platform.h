// SPDX-License-Identifier: Apache-2.0
// A chip in its network under a software stack, and the time that it takes per unit of work.
#pragma once

#include <memory>
#include <optional>

#include "catalog/hardware/efficiency.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "workload/workload.h"

namespace trcost::performance {

/// A chip in its network with everything that step time and memory depend on.
struct Platform {
  const Accelerator* accelerator = nullptr;
  const System* system = nullptr;
  const Efficiency* efficiency = nullptr;
  const Stack* stack = nullptr;
  Precision precision = Precision::bf16;
  double slowdown = 1;  ///< of a step against what the stack's constants describe: see Tuning
  double issued =
      1;  ///< share of a block's host time that this run takes: see Stack::block_seconds
  /// Bytes/s each way to the host's memory that copies reach; none where nothing is offloaded.
  std::optional<double> host_bandwidth = {};
  Overlap overlap = kUsuallyHidden;  ///< how much of what the stack can hide this run hides
  std::shared_ptr<const System> stated =
      {};  ///< `system`, where its network is as the question has it
};

/// Sets what tuning changes: the seconds of a step over those that the stack's constants describe,
/// the exchange that is hidden, and how much of the kernels the host issues one by one. First runs
/// lose what usual ones lose, and more.
void set_tuning(Platform& platform, Tuning tuning);

/// Time that a chip under a stack takes per unit of work: every figure is the inverse of a rate.
struct DeviceCosts {
  struct SecondsPerFlop {
    double peak = 0;            ///< at the dense peak of the platform's precision
    double matmul = 0;          ///< linear layers in the platform's precision
    double half_matmul = 0;     ///< output matrix and adapters in 16 bit
    double batched_matmul = 0;  ///< materialised attention
    double flash_forward = 0;   ///< fused attention at infinite head dimension and length
    double flash_backward = 0;
  };
  struct SecondsPerByte {
    double memory = 0;
    double elementwise = 0;  ///< with the stack's extra traffic
  };
  SecondsPerFlop seconds_per_flop;
  SecondsPerByte seconds_per_byte;
  double matmul_start_seconds = 0;
  double kernel_gap_seconds = 0;
  double block_seconds = 0;         ///< host time to issue a block's forward pass
  double expert_block_seconds = 0;  ///< further host time of a block with experts
  double expert_loop_seconds = 0;   ///< further host time per expert that the rank holds
  double expert_traffic = 1;        ///< factor of the stack, for the platform's precision
  double operand_bytes = 2;         ///< per element of a matmul's inputs
};

DeviceCosts prepare_device_costs(const Platform& platform, Attention attention);

}  // namespace trcost::performance
