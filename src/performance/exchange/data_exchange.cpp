// SPDX-License-Identifier: Apache-2.0
#include "performance/exchange/data_exchange.h"

#include <algorithm>
#include <array>

#include "performance/exchange/collectives.h"
#include "performance/training/ledger.h"

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
  double update = 0;   // those that learn, after the optimizer changed them
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
  traffic.update += gather(2 * held.learning);
  traffic.scatter += gather(gradients);
  if (gradients <= 0) return;
  traffic.reduce += reduce_seconds(fabric, gradients, held.replicas, held.stride);
  traffic.across += reduce_seconds(fabric, gradients / held.shards, held.replicas / held.shards,
                                   held.stride * held.shards);
}

// Dense weights and experts, which other ranks hold alike.
std::array<Held, 2> held_by(const Evaluation& at) {
  const StepCosts& costs = at.costs;
  const double cut = at.tensor * at.pipeline;
  const double group = at.expert * at.expert_tensor;
  const double expert_cut = group * at.pipeline;
  return {{{costs.parameters_dense / cut, costs.trainable_dense / cut, at.replicas, at.shards,
            at.tensor},
           {costs.parameters_expert / expert_cut, costs.trainable_expert / expert_cut,
            at.expert_replicas, at.expert_shards, group}}};
}

/// What travels, among whom.
enum class Travels : std::uint8_t {
  gradients,
  gradients_among_all,
  gradients_across,
  weights,
  updated_weights,
  both
};

// The collectives of an exchange for the ledger; sharded ones are taken in `units` pieces.
void add_collectives(const Evaluation& at, const Held& held, Travels what, double units,
                     ExchangeAccount& entry) {
  const Fabric& fabric = at.costs.fabric;
  const double gradients = at.stack.gradient_bytes * held.learning;
  const auto add = [&](const CollectiveAccount& one, double times) {
    if (one.bytes <= 0) return;
    entry.bytes += times * one.bytes;
    entry.members = std::max(entry.members, one.ranks);
    if (one.ranks > 1) entry.add(one, times);
  };
  const auto gather = [&](double bytes) {
    add(gather_account(fabric, bytes / units, held.shards, held.stride), units);
  };
  if (what == Travels::weights || what == Travels::both) gather(2 * held.weights);
  if (what == Travels::updated_weights) gather(2 * held.learning);
  if (what == Travels::gradients || what == Travels::both) gather(gradients);
  if (what == Travels::gradients_among_all) {
    add(reduce_account(fabric, gradients, held.replicas, held.stride), 1);
  }
  if (what == Travels::gradients_across) {
    add(reduce_account(fabric, gradients / held.shards, held.replicas / held.shards,
                       held.stride * held.shards),
        1);
  }
}

// An exchange of replicas on its way into the step.
struct Shown {
  const Evaluation& at;
  const std::array<Held, 2>& held;
  double units;  // pieces of a gather
  double tail;   // share of an exchange, its last piece, that nothing hides
  double share;  // of what hides it that software uses

  // What does not fit behind `window` seconds of compute, of so many micro-batches.
  double operator()(std::string_view name, Travels what, std::string_view per, double exchange,
                    double window, double contention, double passes = 1) const {
    const double hidden = std::min(exchange * (1 - tail), window);
    const double shown = exchange - hidden + contention * hidden;
    if (at.ledger != nullptr && exchange > 0) {
      ExchangeAccount entry{name,   per,    "the pass of the stage", 1,    0, 0, {}, exchange,
                            window, hidden, contention * hidden,     shown};
      entry.hideable = 1 - tail;
      entry.window_share = share;
      entry.passes = passes;
      entry.crowding_share = contention;
      for (const Held& each : held) add_collectives(at, each, what, units, entry);
      at.ledger->exchanged(entry);
    }
    return shown;
  }
};

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
  const std::array<Held, 2> held = held_by(at);
  ReplicaTraffic traffic;
  for (const Held& each : held) add_traffic(at, each, units, traffic);
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
  const Shown exposed{at, held, units, tail, share};
  switch (at.layout.sharding) {
    case Sharding::none:
      result.per_step = exposed("gradients, all-reduced", Travels::gradients_among_all, kPerStep,
                                traffic.reduce, share * backward * windows, crowd, windows);
      break;
    case Sharding::optimizer:
      result.per_step = exposed("gradients, scattered", Travels::gradients, kPerStep,
                                traffic.scatter, share * backward * windows, crowd, windows) +
                        exposed("weights, gathered", Travels::updated_weights, kPerStep,
                                traffic.update, share * forward * windows, crowd, windows);
      break;
    case Sharding::gradients:
      result.per_micro_batch = exposed("gradients, scattered", Travels::gradients, kPerMicroBatch,
                                       traffic.scatter, share * backward, crowd);
      result.per_step = exposed("weights, gathered", Travels::updated_weights, kPerStep,
                                traffic.update, share * forward * windows, crowd, windows);
      break;
    case Sharding::hybrid:
      // Gradients are summed across the groups once a step, behind the last backward pass.
      result.per_step = exposed("gradients, across groups", Travels::gradients_across, kPerStep,
                                traffic.across, share * backward, crowd);
      [[fallthrough]];
    case Sharding::parameters:
      result.per_micro_batch =
          exposed("weights, gathered forward", Travels::weights, kPerMicroBatch, traffic.gather,
                  share * forward, gathering) +
          (backward > 0
               ? exposed("weights gathered, gradients scattered", Travels::both, kPerMicroBatch,
                         traffic.gather + traffic.scatter, share * backward, gathering)
               : 0.0);
      break;
  }
  return result;
}

double updated_parameters(const Evaluation& at) noexcept {
  const bool sharded = at.layout.sharding != Sharding::none;
  const double group = at.expert * at.expert_tensor;
  const double dense =
      at.costs.trainable_dense / (at.tensor * at.pipeline) / (sharded ? at.shards : 1);
  const double experts =
      at.costs.trainable_expert / (group * at.pipeline) / (sharded ? at.expert_shards : 1);
  return dense + experts;
}

double update_bytes(const Evaluation& at) noexcept {
  return at.costs.offload.optimizer ? 0 : updated_parameters(at) * at.costs.update_traffic;
}

double update_seconds(const Evaluation& at) noexcept {
  return update_bytes(at) * at.costs.device.seconds_per_byte.memory + at.stack.step_seconds;
}

}  // namespace trcost
