// SPDX-License-Identifier: Apache-2.0
// A chip in its network under a software stack, and the time that it takes per unit of work.
#pragma once

#include <memory>
#include <optional>

#include "catalog/hardware/efficiency.h"
#include "catalog/software/stacks.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "workload/workload.h"

namespace trcost::performance {

/// A chip in its network with the constants that step time and memory depend on.
struct Platform {
  const Accelerator* accelerator = nullptr;
  const System* system = nullptr;
  const Efficiency* efficiency = nullptr;
  const Stack* stack = nullptr;
  Precision precision = Precision::bf16;
  std::optional<Kernels> kernels = {};  ///< empty for what the stack's users run
  double slowdown = 1;  ///< step time over that which the stack's constants describe: see Tuning
  double issued = 1;    ///< share of Stack::block_seconds that this run takes
  /// Bytes/s each way to the host's memory that copies reach. Empty if nothing is offloaded.
  std::optional<double> host_bandwidth = {};
  Overlap overlap = kUsuallyHidden;  ///< share that this run hides of what the stack can hide
  std::shared_ptr<const System> stated =
      {};  ///< owner of `system`, if the question specifies its network
};

/// Sets slowdown, overlap and issued share of a platform for a tuning. First runs lose more than
/// usual ones.
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
  double lora_traffic = 1;          ///< factor of the stack and its kernels
  double expert_traffic = 1;        ///< factor of the stack, for the platform's precision
  double operand_bytes = 2;         ///< per element of a matmul's inputs
};

/// The stack's memory use with the platform's kernels.
MemoryRecipe memory_recipe(const Platform& platform);

/// Costs of the platform's precision, with the attention kernels of its stack.
DeviceCosts prepare_device_costs(const Platform& platform, Attention attention);

}  // namespace trcost::performance
