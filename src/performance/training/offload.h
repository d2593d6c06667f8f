// SPDX-License-Identifier: Apache-2.0
// Exchange with the host's memory: gradients and optimizer state that the host holds and updates,
// activations that wait there from the forward to the backward pass.
#pragma once

#include "performance/training/evaluation.h"

namespace trcost {

/// What shows of it, seconds.
struct HostExchange {
  double per_micro_batch = 0;
  double per_step = 0;
};

/// Bytes over a rank's bandwidth to its host, each way, hide behind its compute, `forward` and
/// `backward` seconds a micro-batch: 16-bit gradients behind the backward pass, activations
/// (`moved` bytes) behind both. Then the host updates, and nothing runs beside it; 16-bit weights
/// come back behind that (ZeRO-Offload, arXiv:2101.06840, sections 4 and 5.1).
HostExchange host_exchange(const Evaluation& at, double moved, double forward,
                           double backward) noexcept;

}  // namespace trcost
