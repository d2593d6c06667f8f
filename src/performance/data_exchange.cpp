// SPDX-License-Identifier: Apache-2.0
#include "performance/data_exchange.h"

#include <algorithm>

#include "performance/collectives.h"

namespace trcost {
namespace {

/// Weights of one rank's stage that several ranks hold alike.
struct Held {
  double weights, learning;  ///< parameters
  double replicas, shards;   ///< ranks, and those among them that share out what is sharded
  double stride;             ///< ranks between two of them
};

struct ReplicaTraffic {
  double gather = 0;   // weights, 16 bit, among the ranks that share them out
  double scatter = 0;  // gradients, likewise
  double reduce = 0;   // gradients of all replicas, whole
  double across = 0;   // gradients of one shard among the ranks that hold the same one
};

void add_traffic(const Evaluation& at, const Held& held, double units, ReplicaTraffic& traffic) {
  const Fabric& fabric = at.costs.fabric;
  const auto gather = [&](double bytes) {
    return bytes > 0 ? units * gather_seconds(fabric, bytes / units, held.shards, held.stride)
                     : 0.0;
  };
  const double gradients = at.stack.gradient_bytes * held.learning;
  traffic.gather += gather(2 * held.weights);
  traffic.scatter += gather(gradients);
  if (gradients <= 0) return;
  traffic.reduce += reduce_seconds(fabric, gradients, held.replicas, held.stride);
  traffic.across += reduce_seconds(fabric, gradients / held.shards, held.replicas / held.shards,
                                   held.stride * held.shards);
}

ReplicaTraffic replica_traffic(const Evaluation& at, double units) {
  const StepCosts& costs = at.costs;
  const double cut = at.tensor * at.pipeline;
  const double group = at.expert * at.expert_tensor;
  ReplicaTraffic traffic;
  add_traffic(at,
              {costs.parameters_dense / cut, costs.trainable_dense / cut, at.replicas, at.shards,
               at.tensor},
              units, traffic);
  const double expert_cut = group * at.pipeline;
  add_traffic(at,
              {costs.parameters_expert / expert_cut, costs.trainable_expert / expert_cut,
               at.expert_replicas, at.expert_shards, group},
              units, traffic);
  return traffic;
}

// What does not fit behind `window` seconds of compute, a last piece of which nothing hides.
double exposed(double exchange, double window, double tail, double contention) {
  const double hidden = std::min(exchange * (1 - tail), window);
  return exchange - hidden + contention * hidden;
}

// Compute lost per second of a gather behind it: all software loses that much where the ranks of a
// shard lie on several hosts, and `contention` within one, where copies need few of a device's
// cores.
double gather_contention(const Evaluation& at) {
  const double near = domain_members(at.costs.fabric, at.shards, at.tensor);
  return std::max(at.stack.contention, at.stack.gather_contention * (1 - near / at.shards));
}

}  // namespace

DataExchange data_exchange(const Evaluation& at, double forward, double backward,
                           double units) noexcept {
  DataExchange result;
  if (at.replicas <= 1) return result;
  const ReplicaTraffic traffic = replica_traffic(at, units);
  const double share = at.costs.overlap.data;
  const double tail = 1 / std::max(8.0, units);
  const double crowd = at.stack.contention;
  const double gathering = gather_contention(at);
  const double virtual_stages = at.layout.vp;
  // Interleaved stages finish early: their exchange overlaps several micro-batches (model.md 5.1).
  const double windows =
      virtual_stages > 1
          ? std::min(at.pipeline * (virtual_stages - 1) / virtual_stages, at.layout.micro_batches())
          : 1;
  const double frozen_gather =
      at.costs.trainable_dense + at.costs.trainable_expert <
              0.5 * (at.costs.parameters_dense + at.costs.parameters_expert)
          ? 0.0
          : 1.0;  // nothing to hand out again after an update of adapters alone
  switch (at.layout.sharding) {
    case Sharding::none:
      result.per_step = exposed(traffic.reduce, share * backward * windows, tail, crowd);
      break;
    case Sharding::optimizer:
      result.per_step =
          exposed(traffic.scatter, share * backward * windows, tail, crowd) +
          frozen_gather * exposed(traffic.gather, share * forward * windows, tail, crowd);
      break;
    case Sharding::gradients:
      result.per_micro_batch = exposed(traffic.scatter, share * backward, tail, crowd);
      result.per_step =
          frozen_gather * exposed(traffic.gather, share * forward * windows, tail, crowd);
      break;
    case Sharding::hybrid:
      // Gradients are summed across the groups once a step, behind the last backward pass.
      result.per_step = exposed(traffic.across, share * backward, tail, crowd);
      [[fallthrough]];
    case Sharding::parameters:
      result.per_micro_batch = exposed(traffic.gather, share * forward, tail, gathering) +
                               (backward > 0 ? exposed(traffic.gather + traffic.scatter,
                                                       share * backward, tail, gathering)
                                             : 0.0);
      break;
  }
  return result;
}

double update_seconds(const Evaluation& at) noexcept {
  const bool sharded = at.layout.sharding != Sharding::none;
  const double group = at.expert * at.expert_tensor;
  const double dense =
      at.costs.trainable_dense / (at.tensor * at.pipeline) / (sharded ? at.shards : 1);
  const double experts =
      at.costs.trainable_expert / (group * at.pipeline) / (sharded ? at.expert_shards : 1);
  return (dense + experts) * at.stack.optimizer_bytes * at.costs.rates.memory +
         at.stack.step_seconds;
}

}  // namespace trcost
