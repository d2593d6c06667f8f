// SPDX-License-Identifier: Apache-2.0
// Exchange behind the passes of a stage: weights and gradients between the replicas of a model,
// optimizer state and activations with the memory of the host. And the optimizer's update.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "performance/exchange/collectives.h"
#include "performance/training/evaluation.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// Payload of an exchange between replicas.
enum class ReplicaPayload : std::uint8_t {
  all_reduced_gradients,
  scattered_gradients,
  gradients_across_groups,
  updated_weights,
  weights,
  weights_and_gradients,  ///< gathered and scattered in the same pass
};
inline constexpr std::size_t kReplicaPayloads = 6;

/// Seconds of the exchange of each payload, as far as they were needed. They depend on the degrees,
/// and on whether the sharding is hybrid, so that steps of one structure share them.
struct PayloadSeconds {
  static constexpr double kUnknown = -1;
  std::array<double, kReplicaPayloads> known;
  PayloadSeconds() { known.fill(kUnknown); }
};

/// One exchange between replicas behind the compute of a stage, seconds.
struct ReplicaExchange {
  ReplicaPayload payload{};
  bool per_step = false;  ///< else per micro-batch
  double seconds = 0;
  double passes = 1;      ///< micro-batches that it overlaps
  double window = 0;      ///< compute that can hide it
  double contention = 0;  ///< compute lost per hidden second
  double hidden = 0;
  [[nodiscard]] double exposed() const noexcept { return seconds - hidden + contention * hidden; }
};

/// Exchange of weights and gradients between replicas.
struct DataExchange {
  double per_micro_batch = 0, per_step = 0;  ///< exposed seconds
  std::array<ReplicaExchange, 3> parts{};
  std::size_t count = 0;
  double units = 1;         ///< pieces of a gather
  double hideable = 1;      ///< all but the last piece
  double window_share = 1;  ///< share of the compute that software uses to hide it
};

/// Exchange that a rank's compute, `forward` and `backward` seconds a micro-batch, leaves exposed.
/// `units`: the layers of a stage, which are exchanged one by one. `payloads`: of these degrees.
DataExchange data_exchange(const Evaluation& at, double forward, double backward, double units,
                           PayloadSeconds& payloads) noexcept;

/// Collectives of a payload over the dense weights, then over the experts.
struct PayloadCollective {
  CollectiveKind kind{};
  double bytes = 0;    ///< of one
  double members = 1;  ///< ranks
  double stride = 1;   ///< ranks between two members
  double times = 1;
};
struct PayloadCollectives {
  std::array<PayloadCollective, 4> list{};
  std::size_t count = 0;
};
PayloadCollectives payload_collectives(const Evaluation& at, ReplicaPayload payload,
                                       double units) noexcept;

/// A copy to or from the host behind compute, seconds.
struct HostCopy {
  double bytes = 0;
  double seconds = 0;
  double window = 0;  ///< compute that can hide it
  [[nodiscard]] double hidden() const noexcept { return seconds < window ? seconds : window; }
  [[nodiscard]] double exposed() const noexcept { return seconds - hidden(); }
};

/// Exchange with the host. Activations, gradients and weights that the host stores are copied per
/// micro-batch, updated weights that the device stores per step.
struct HostExchange {
  HostCopy activations_out, activations_in, gradients, weights;
  HostCopy weights_forward, weights_backward;  ///< for a pass
  double update = 0;                           ///< seconds of the host's update, per step
  double neighbours = 0;  ///< accelerators that share the updating host, 0 if it does not update
  [[nodiscard]] double per_micro_batch() const noexcept {
    return activations_out.exposed() + activations_in.exposed() + gradients.exposed() +
           weights_forward.exposed() + weights_backward.exposed();
  }
  [[nodiscard]] double per_step() const noexcept { return update + weights.exposed(); }
};

/// Bytes that the host stores and a device uses.
struct HostBytes {
  double activations = 0;  ///< of a micro-batch
  double weights = 0;      ///< of a pass
};

/// Copies over a rank's bandwidth to its host, each way, behind its compute, `forward` and
/// `backward` seconds a micro-batch: 16-bit gradients behind the backward pass, activations
/// and weights that the host stores behind both. Then the host updates, behind which the 16-bit
/// weights come back if the device stores them (ZeRO-Offload, arXiv:2101.06840, sections 4 and 5.1;
/// weights by pass: ZeRO-Infinity, arXiv:2104.07857, section 5).
HostExchange host_exchange(const Evaluation& at, const HostBytes& moved, double forward,
                           double backward) noexcept;

/// Parameters that a rank updates.
double updated_parameters(const Evaluation& at) noexcept;

/// Bytes of the device's memory that its update moves. Zero if the host updates all.
double update_bytes(const Evaluation& at) noexcept;

/// FLOPs of its update, of Muon alone.
double update_flops(const Evaluation& at) noexcept;

/// Seconds of the optimizer's update of one rank's share.
double update_seconds(const Evaluation& at) noexcept;

}  // namespace trcost::performance
