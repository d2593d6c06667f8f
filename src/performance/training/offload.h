// SPDX-License-Identifier: Apache-2.0
// Exchange with the host's memory: gradients and optimizer state that the host holds and updates,
// activations that wait there from the forward to the backward pass.
#pragma once

#include "performance/training/evaluation.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// A copy to or from the host behind compute, seconds.
struct HostCopy {
  double bytes = 0;
  double seconds = 0;
  double window = 0;  ///< compute that can hide it
  [[nodiscard]] double hidden() const noexcept { return seconds < window ? seconds : window; }
  [[nodiscard]] double exposed() const noexcept { return seconds - hidden(); }
};

/// Exchange with the host. Activations and gradients are copied per micro-batch, weights per step.
struct HostExchange {
  HostCopy activations_out, activations_in, gradients, weights;
  double update = 0;      ///< seconds of the host's update, per step
  double neighbours = 0;  ///< accelerators that share the updating host, 0 if it does not update
  [[nodiscard]] double per_micro_batch() const noexcept {
    return activations_out.exposed() + activations_in.exposed() + gradients.exposed();
  }
  [[nodiscard]] double per_step() const noexcept { return update + weights.exposed(); }
};

/// Copies over a rank's bandwidth to its host, each way, behind its compute, `forward` and
/// `backward` seconds a micro-batch: 16-bit gradients behind the backward pass, activations
/// (`moved` bytes) behind both. Then the host updates, behind which the 16-bit weights come back
/// (ZeRO-Offload, arXiv:2101.06840, sections 4 and 5.1).
HostExchange host_exchange(const Evaluation& at, double moved, double forward,
                           double backward) noexcept;

}  // namespace trcost::performance
