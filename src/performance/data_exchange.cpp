// SPDX-License-Identifier: Apache-2.0
#include "performance/data_exchange.h"

#include <algorithm>

#include "performance/collectives.h"

namespace trcost {
namespace {

struct ReplicaTraffic {
  double gather = 0;   // weights of one rank's stage, 16 bit
  double scatter = 0;  // gradients
  double reduce = 0;
};

ReplicaTraffic replica_traffic(const Evaluation& at, double units) {
  const StepCosts& costs = at.costs;
  const double dense = costs.parameters_dense / (at.tensor * at.pipeline);
  const double learning = costs.trainable_dense / (at.tensor * at.pipeline);
  const double group = at.expert > 1 ? at.expert : at.expert_tensor;
  const double experts = costs.parameters_expert / (group * at.pipeline);
  const double learning_experts = costs.trainable_expert / (group * at.pipeline);
  const auto gather = [&](double bytes, double members, double stride) {
    return bytes > 0 ? units * gather_seconds(costs.fabric, bytes / units, members, stride) : 0.0;
  };
  const double g = at.stack.gradient_bytes;
  const double stride = at.tensor;
  const double expert_stride = at.expert > 1 ? at.expert : at.tensor;
  ReplicaTraffic traffic;
  traffic.gather = gather(2 * dense, at.replicas, stride) +
                   gather(2 * experts, at.expert_replicas, expert_stride);
  traffic.scatter = gather(g * learning, at.replicas, stride) +
                    gather(g * learning_experts, at.expert_replicas, expert_stride);
  traffic.reduce = reduce_seconds(costs.fabric, g * learning, at.replicas, stride) +
                   (learning_experts > 0 ? reduce_seconds(costs.fabric, g * learning_experts,
                                                          at.expert_replicas, expert_stride)
                                         : 0.0);
  return traffic;
}

// What does not fit behind `window` seconds of compute, a last piece of which nothing hides.
double exposed(double exchange, double window, double tail, double contention) {
  const double hidden = std::min(exchange * (1 - tail), window);
  return exchange - hidden + contention * hidden;
}

}  // namespace

DataExchange data_exchange(const Evaluation& at, double forward, double backward,
                           double units) noexcept {
  DataExchange result;
  if (at.replicas <= 1) return result;
  const ReplicaTraffic traffic = replica_traffic(at, units);
  const double share = at.stack.data_overlap;
  const double tail = 1 / std::max(8.0, units);
  const double crowd = at.stack.contention;
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
    case Sharding::parameters:
      result.per_micro_batch =
          exposed(traffic.gather, share * forward, tail, crowd) +
          (backward > 0 ? exposed(traffic.gather + traffic.scatter, share * backward, tail, crowd)
                        : 0.0);
      break;
  }
  return result;
}

double update_seconds(const Evaluation& at) noexcept {
  const bool sharded = at.layout.sharding != Sharding::none;
  const double group = at.expert > 1 ? at.expert : at.expert_tensor;
  const double dense =
      at.costs.trainable_dense / (at.tensor * at.pipeline) / (sharded ? at.replicas : 1);
  const double experts =
      at.costs.trainable_expert / (group * at.pipeline) / (sharded ? at.expert_replicas : 1);
  return (dense + experts) * at.stack.optimizer_bytes * at.costs.rates.memory +
         at.stack.step_seconds;
}

}  // namespace trcost
