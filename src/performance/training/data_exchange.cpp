// SPDX-License-Identifier: Apache-2.0
#include "performance/training/data_exchange.h"

#include <algorithm>

namespace trcost::performance {
namespace {

// Parameters that one host updates in a second: 1e10 in 2.57 s, two Xeon 8168 (arXiv:2101.06840,
// table 4). 3.1e9 of two A100s' host came to under 2.4 s, compute included
// (github.com/deepspeedai/DeepSpeed pull request 7474).
constexpr double kHostUpdates = 1e10 / 2.57;

// Weights of one rank's stage of which several ranks hold copies.
struct ReplicatedWeights {
  double weights, trainable;  // parameters
  double width;               // bytes of a weight that is gathered for a pass
  double replicas, shards;    // ranks, and those among them that share out what is sharded
  double stride;              // ranks between two of them
};

// Dense weights and experts, which different ranks replicate.
std::array<ReplicatedWeights, 2> replicated_weights(const Evaluation& at) {
  const StepCosts& costs = at.costs;
  const double cut = at.tensor * at.pipeline;
  const double group = at.expert * at.expert_tensor;
  const double expert_cut = group * at.pipeline;
  return {{{costs.parameters_dense / cut, costs.trainable_dense / cut, costs.dense_width,
            at.replicas, at.shards, at.tensor},
           {costs.parameters_expert / expert_cut, costs.trainable_expert / expert_cut,
            costs.expert_width, at.expert_replicas, at.expert_shards, group}}};
}

// Calls `visit` with each collective of a payload. Sharded ones are taken in `units` pieces.
template <class Visit>
void visit_payload(const Evaluation& at, ReplicaPayload payload, double units, const Visit& visit) {
  for (const ReplicatedWeights& of : replicated_weights(at)) {
    const auto gather = [&](double bytes) {
      if (bytes > 0) {
        visit({CollectiveKind::gather, bytes / units, of.shards, of.stride, units});
      }
    };
    const auto reduce = [&](double bytes, double members, double stride) {
      if (bytes > 0) visit({CollectiveKind::all_reduce, bytes, members, stride, 1});
    };
    const double gradients = at.costs.gradient_width * of.trainable;
    switch (payload) {
      case ReplicaPayload::all_reduced_gradients:
        reduce(gradients, of.replicas, of.stride);
        break;
      case ReplicaPayload::gradients_across_groups:
        reduce(gradients / of.shards, of.replicas / of.shards, of.stride * of.shards);
        break;
      case ReplicaPayload::scattered_gradients:
        gather(gradients);
        break;
      case ReplicaPayload::updated_weights:
        gather(at.costs.gather_width * of.trainable);
        break;
      case ReplicaPayload::weights:
        gather(of.width * of.weights);
        break;
      case ReplicaPayload::weights_and_gradients:
        gather(of.width * of.weights);
        gather(gradients);
        break;
    }
  }
}

double payload_seconds(const Evaluation& at, ReplicaPayload payload, double units) {
  double seconds = 0;
  visit_payload(at, payload, units, [&](const PayloadCollective& one) {
    const auto formula = one.kind == CollectiveKind::gather ? gather_seconds : reduce_seconds;
    seconds += one.times * formula(at.costs.fabric, one.bytes, one.members, one.stride);
  });
  return seconds;
}

// Compute lost per second of a gather behind it: all software loses that much where the ranks of a
// shard lie on several hosts, and `contention` within one, where copies need few of a device's
// cores.
double gather_contention(const Evaluation& at) {
  const double near = domain_members(at.costs.fabric, at.shards, at.tensor);
  return std::max(at.stack.contention, at.stack.gather_contention * (1 - near / at.shards));
}

}  // namespace

PayloadCollectives payload_collectives(const Evaluation& at, ReplicaPayload payload,
                                       double units) noexcept {
  PayloadCollectives out;
  visit_payload(at, payload, units,
                [&](const PayloadCollective& one) { out.list[out.count++] = one; });
  return out;
}

DataExchange data_exchange(const Evaluation& at, double forward, double backward, double units,
                           PayloadSeconds& payloads) noexcept {
  DataExchange out;
  if (at.replicas <= 1) return out;
  out.units = units;
  out.hideable = 1 - 1 / std::max(8.0, units);
  out.window_share = at.costs.overlap.data;
  const double contention = at.stack.contention;
  const auto add = [&](ReplicaPayload payload, bool per_step, double compute, double lost,
                       double passes = 1) {
    ReplicaExchange& part = out.parts[out.count++];
    part.payload = payload;
    part.per_step = per_step;
    double& seconds = payloads.known[static_cast<std::size_t>(payload)];
    if (seconds == PayloadSeconds::kUnknown) seconds = payload_seconds(at, payload, units);
    part.seconds = seconds;
    part.passes = passes;
    part.window = out.window_share * compute * passes;
    part.contention = lost;
    part.hidden = std::min(part.seconds * out.hideable, part.window);
    (per_step ? out.per_step : out.per_micro_batch) += part.exposed();
  };
  // Interleaved stages finish early: their exchange overlaps several micro-batches (model.md 5.1).
  const double vp = at.layout.vp;
  const double passes =
      vp > 1 ? std::min(at.pipeline * (vp - 1) / vp, at.layout.micro_batches()) : 1;
  switch (at.layout.sharding) {
    case Sharding::none:
      add(ReplicaPayload::all_reduced_gradients, true, backward, contention, passes);
      break;
    case Sharding::optimizer:
      add(ReplicaPayload::scattered_gradients, true, backward, contention, passes);
      add(ReplicaPayload::updated_weights, true, forward, contention, passes);
      break;
    case Sharding::gradients:
      add(ReplicaPayload::scattered_gradients, false, backward, contention);
      add(ReplicaPayload::updated_weights, true, forward, contention, passes);
      break;
    case Sharding::hybrid:
      // Gradients are summed across the groups once a step, behind the last backward pass.
      add(ReplicaPayload::gradients_across_groups, true, backward, contention);
      [[fallthrough]];
    case Sharding::parameters: {
      const double gathering = gather_contention(at);
      add(ReplicaPayload::weights, false, forward, gathering);
      if (backward > 0) {
        add(ReplicaPayload::weights_and_gradients, false, backward, gathering);
      }
      break;
    }
  }
  return out;
}

namespace {

// Share of a rank in work on the optimizer state: `dense` and `experts` are those of all ranks.
double rank_share(const Evaluation& at, double dense, double experts) noexcept {
  const bool sharded = at.layout.sharding != Sharding::none;
  const double group = at.expert * at.expert_tensor;
  return dense / (at.tensor * at.pipeline) / (sharded ? at.shards : 1) +
         experts / (group * at.pipeline) / (sharded ? at.expert_shards : 1);
}

}  // namespace

double updated_parameters(const Evaluation& at) noexcept {
  return rank_share(at, at.costs.trainable_dense, at.costs.trainable_expert);
}

double update_bytes(const Evaluation& at) noexcept {
  const Offload& offload = at.costs.offload;
  const double on_device = offload.optimizer ? 1 - offload.share : 1;
  return on_device * updated_parameters(at) * at.costs.update_traffic;
}

double update_flops(const Evaluation& at) noexcept {
  return rank_share(at, at.costs.update_flops_dense, at.costs.update_flops_expert);
}

double update_seconds(const Evaluation& at) noexcept {
  return update_bytes(at) * at.costs.device.seconds_per_byte.memory +
         update_flops(at) * at.costs.device.seconds_per_flop.half_matmul + at.stack.step_seconds;
}

HostExchange host_exchange(const Evaluation& at, const HostBytes& moved, double forward,
                           double backward) noexcept {
  HostExchange out;
  const auto copy = [&](double bytes, double window) {
    return HostCopy{bytes, bytes / *at.platform.host_bandwidth, window};
  };
  const Offload& offload = at.costs.offload;
  if (offload.activations) {
    out.activations_out = copy(moved.activations, forward);
    out.activations_in = copy(moved.activations, backward);
  }
  if (offload.parameters) {
    out.weights_forward = copy(moved.weights, forward);
    // Activations come back over the same lanes.
    const double left = std::max(0.0, backward - out.activations_in.seconds);
    if (backward > 0) out.weights_backward = copy(moved.weights, left);
  }
  if (offload.optimizer) {
    const double parameters = offload.share * updated_parameters(at);
    out.neighbours = std::min(at.platform.system->gpus_per_node, at.layout.gpus());
    out.update = parameters * out.neighbours / kHostUpdates;
    out.gradients = copy(2 * parameters, backward);
    if (!offload.parameters) out.weights = copy(2 * parameters, out.update);
  }
  return out;
}

}  // namespace trcost::performance
