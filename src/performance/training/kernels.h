// SPDX-License-Identifier: Apache-2.0
// Time of the kernels of one layer for one micro-batch. All pure arithmetic, no allocation.
#pragma once

#include "performance/training/layer_cost.h"
#include "performance/training/performance.h"

namespace trcost {

struct Ledger;

DeviceCosts prepare_device_costs(const Platform& platform, Attention attention);

/// How a layer is cut for one rank and micro-batch.
struct LayerSplit {
  double tokens = 1;          ///< of the rank's micro-batch: b s / c
  double tensor = 1;          ///< ranks that share the matrices
  double sequence = 1;        ///< ranks that share the rest: tensor with sequence parallel, else 1
  double expert = 1;          ///< expert-parallel ranks
  double expert_tensor = 1;   ///< ranks that share one expert's matrices
  bool materialised = false;  ///< standard attention
  bool wgrad = true;          ///< the matrices learn
  double accumulate_bytes = 8;  ///< traffic per weight to add a gradient to the buffer
  double dequantise = 0;        ///< bytes per weight and pass to unpack 4-bit weights
  Ledger* ledger = nullptr;     ///< notes each kernel, where there is one
};

/// Matmuls, attention, element-wise work and host time of `shape`; exchange is left at zero.
LayerTime layer_kernels(const LayerShape& shape, const LayerSplit& split, const DeviceCosts& device,
                        const Efficiency& efficiency, const Stack& stack) noexcept;

/// Bytes that a rank moves to bring its tokens' copies into the order of their experts and back.
double routing_traffic(const LayerShape& shape, const LayerSplit& split,
                       const DeviceCosts& device) noexcept;

/// Output matrix and loss over `vocab`, in 16 bit: forward, and backward in the same units.
LayerTime head_kernels(double hidden, double vocab, const LayerSplit& split,
                       const DeviceCosts& device) noexcept;

}  // namespace trcost
