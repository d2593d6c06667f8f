// SPDX-License-Identifier: Apache-2.0
#include "performance/memory/memory_model.h"
#include "catalog/layout/layout.h"

#include <algorithm>
#include <cmath>

namespace trcost::performance {

struct MemoryModel::Shares {
  StageLayers stages;  ///< layers of the stages, if there are several
  double tokens;       ///< of a micro-batch on one context rank
  double sequences;    ///< sequences of a micro-batch on one context rank
  double inverse_tensor;
  States dense, expert;                   ///< factors on a device's states
  std::array<double, kPlaces> kept;       ///< bytes per layer and micro-batch
  std::array<double, kPlaces> transient;  ///< further bytes of the layer at work
  double replica_copies;                  ///< of the gradients, for the exchange of replicas
  double unallocated;                     ///< context, communication buffers
  double gathered;                        ///< weights of the layers at work, if sharded
  double scattered;                       ///< gradients of the layer at work, if sharded
};

inline MemoryModel::Shape MemoryModel::shape(const Layout& layout, const Shares& shares,
                                             Stage stage) const noexcept {
  const double p = layout.pp;
  Shape s;
  s.layers = p > 1 ? stage_layers_by_place(pipeline_layers_, shares.stages, stage)
                   : pipeline_layers_.layers;
  if (stage == Stage::first) {
    constexpr std::size_t kBefore = place_index(Place::before);
    s.layers[kBefore] = layers_[kBefore].count;
  }
  const double behind = stage == Stage::first ? 0 : stage == Stage::inner ? 1 : p - 1;
  s.in_flight = micro_batches_in_flight(p, layout.vp, layout.micro_batches(), behind);
  return s;
}

MemoryModel::Shares MemoryModel::shares(const Layout& layout) const noexcept {
  const Recompute recompute = repeated(layout.recompute);
  const auto mode = static_cast<std::size_t>(recompute);
  const double t = layout.tp, ranks = static_cast<double>(layout.dp) * layout.cp;
  const bool full = recompute == Recompute::full;
  Shares s{};
  if (layout.pp > 1) s.stages = partition_stages(pipeline_layers_, layout);
  s.inverse_tensor = 1 / t;
  s.sequences = layout.micro_batch / layout.cp;
  s.tokens = s.sequences * seq_length_;
  const auto factors = [&](double split, double replicas) {
    const double shards = layout.sharding == Sharding::hybrid
                              ? hybrid_shards(replicas, 1 / split, domain_)
                              : replicas;
    const auto divided = [&](Sharding from) {
      return split / shard_count(layout.sharding, from, shards);
    };
    const double weights = divided(Sharding::parameters);
    return States{weights, weights, divided(Sharding::gradients), divided(Sharding::optimizer)};
  };
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const Layers& of = layers_[i];
    if (of.count <= 0) continue;
    const auto bytes = [&](const ActivationBytes& a) {
      return s.sequences * of.tokens * a.per_token(t, layout.sequence_parallel);
    };
    s.kept[i] = bytes(of.kept[mode]);
    if (full || s.kept[i] <= 0) s.transient[i] = std::max(0.0, bytes(of.most) - s.kept[i]);
  }
  s.dense = factors(s.inverse_tensor, ranks);
  const bool replicated = layout.sharding == Sharding::none && ranks > 1;
  s.replica_copies = replicated ? recipe_.replica_copies : 0;
  double gathered_experts = 0, scattered_experts = 0;
  if (experts_) {
    const double split = static_cast<double>(layout.ep) * expert_tensor_parallel(layout);
    s.expert = factors(1 / split, std::max(1.0, ranks * t / split));
    gathered_experts = expert_weights_ / split;
    scattered_experts = expert_gradients_ / split;
  }
  s.unallocated = recipe_.context_bytes + (ranks * t * layout.pp > 1 ? recipe_.network_bytes : 0);
  if (layout.sharding >= Sharding::parameters) {
    const double layers = std::min(gathered_layers_, pipeline_layers_.count());
    s.gathered = layers * (layer_weights_ * s.inverse_tensor + gathered_experts);
  }
  if (layout.sharding >= Sharding::gradients && ranks > 1 && recipe_.unsharded_layers > 0) {
    s.scattered = layer_gradients_ * s.inverse_tensor + scattered_experts;
  }
  return s;
}

double MemoryModel::layer_bytes(const Shape& shape, const Shares& shares) noexcept {
  double sum = 0;
  for (std::size_t i = place_index(Place::first); i < kPlaces; ++i) {
    sum += shape.layers[i] * shares.kept[i];
  }
  return sum;
}

namespace {

// Activations of two layers stay on the device: one in use, one being copied.
template <class Kept>
double resident_activations(const Kept& kept) {
  return 2 * *std::max_element(kept.begin() + place_index(Place::first), kept.end());
}

}  // namespace

void MemoryModel::offload_to_host(const Shape& shape, const Shares& shares,
                                  MemoryUse& use) const noexcept {
  const auto move = [&](double& part, double most, double buffers = 1) {
    const double moved = offload_.share * std::max(0.0, most);
    use.host += buffers * moved;
    part -= moved;
  };
  if (offload_.optimizer) {
    move(use.optimizer, use.optimizer, kHostBuffers);
    // Gradients leave as they come.
    use.gradients -= offload_.share * std::max(0.0, use.gradients - kGradientBuckets);
  }
  if (offload_.parameters) {
    move(use.weights, use.weights - resident_weights(shape, use.weights), kHostBuffers);
  }
  if (offload_.activations) {
    const double kept = shape.in_flight * layer_bytes(shape, shares);
    move(use.activations, kept - resident_activations(shares.kept));
  }
}

// The layer in use, and the next one, which is copied meanwhile.
double MemoryModel::resident_weights(const Shape& shape, double weights) noexcept {
  double layers = 0;
  for (std::size_t i = place_index(Place::first); i < kPlaces; ++i) layers += shape.layers[i];
  return layers > 2 ? 2 * weights / layers : weights;
}

double MemoryModel::moved_activations(const Layout& layout) const noexcept {
  const Shares of_layout = shares(layout);
  return offload_.share *
         std::max(0.0, layer_bytes(shape(layout, of_layout, Stage::first), of_layout) -
                           resident_activations(of_layout.kept));
}

double MemoryModel::moved_weights(const Layout& layout) const noexcept {
  const Shares of_layout = shares(layout);
  const Shape first = shape(layout, of_layout, Stage::first);
  const StageStates states = stage_states(first, true, layout.pp == 1);
  const double weights = states.frozen(of_layout) + states.learning(of_layout);
  return offload_.share * (weights - resident_weights(first, weights));
}

// Bytes of the vocabulary's tables, gathered whole while the step lasts. The first stage has the
// embedding, the last the head.
inline double MemoryModel::gathered_tables(const Layout& layout, bool first,
                                           bool last) const noexcept {
  if (layout.sharding < Sharding::parameters || !recipe_.unsharded_embeddings) return 0;
  const double head = last && !(first && tied_) ? head_weights_ : 0;
  return ((first ? embedding_weights_ : 0) + head) / layout.tp;
}

// Gradients are whole until the ranks have summed them, a layer or the head at a time. The head's
// come first, while all activations are held, but after the loss has freed all of its logits except
// their 16-bit gradient, and without an embedding of its own, which only the first layer needs.
inline double MemoryModel::scattered_gradients(const Layout& layout, const Shares& shares,
                                               double logits, bool first,
                                               bool last) const noexcept {
  if (shares.scattered <= 0 || !last) return shares.scattered;
  const double freed = std::max(0.0, logits - shares.tokens * logit_gradient_ / layout.tp);
  const double embedding = tied_ ? 0 : gathered_tables(layout, first, false);
  return std::max(shares.scattered, head_gradients_ / layout.tp - freed - embedding);
}

inline ActivationAccount MemoryModel::stage_activations(const Shape& shape, const Shares& shares,
                                                        bool first) const noexcept {
  ActivationAccount out{.in_flight = shape.in_flight};
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (shape.layers[i] <= 0) continue;
    out.kept += shape.layers[i] * shares.kept[i];
    out.transient = std::max(out.transient, shares.transient[i]);
  }
  if (first) out.kept += shares.sequences * connector_kept_ * shares.inverse_tensor;
  return out;
}

MemoryModel::StageStates MemoryModel::stage_states(const Shape& shape, bool first,
                                                   bool last) const noexcept {
  StageStates out;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (shape.layers[i] <= 0) continue;
    out.dense.add(layers_[i].own, shape.layers[i]);
    out.routed.add(layers_[i].routed, shape.layers[i]);
  }
  if (first) out.dense.add(first_, 1);
  if (last) out.dense.add(last_, 1);
  if (last && !first) out.dense.add(tied_head_, 1);
  return out;
}

double MemoryModel::StageStates::frozen(const Shares& shares) const noexcept {
  return dense.frozen * shares.dense.frozen + routed.frozen * shares.expert.frozen;
}

double MemoryModel::StageStates::learning(const Shares& shares) const noexcept {
  return dense.weights * shares.dense.weights + routed.weights * shares.expert.weights;
}

MemoryUse MemoryModel::stage(const Layout& layout, const Shares& shares,
                             Stage stage) const noexcept {
  const Shape shape = this->shape(layout, shares, stage);
  const bool first = stage == Stage::first, last = stage == Stage::last || layout.pp == 1;
  const StageStates states = stage_states(shape, first, last);
  const auto& [dense, routed] = states;
  MemoryUse use;
  const double learning = states.learning(shares);
  use.weights = states.frozen(shares) + learning;
  use.gradients =
      dense.gradients * shares.dense.gradients + routed.gradients * shares.expert.gradients;
  use.optimizer =
      dense.optimizer * shares.dense.optimizer + routed.optimizer * shares.expert.optimizer;
  use.activations = stage_activations(shape, shares, first).bytes();
  if (offload_.any()) offload_to_host(shape, shares, use);
  if (last) use.logits = shares.tokens * logit_bytes_ * shares.inverse_tensor;
  use.unallocated = shares.unallocated;
  use.fragments = recipe_.fragmentation * (use.activations + use.logits);
  // Activations and logits are freed before the update, so only what is beyond them adds bytes.
  const double freed = use.activations + use.logits;
  const double late = use.gradients + recipe_.update_copies * learning;
  const double replicas = shares.replica_copies * use.gradients;
  if (recipe_.frees_gradients && layout.micro_batches() <= 1) {
    use.gradients = std::max(0.0, use.gradients - freed);
  }
  const double copied = std::max(0.0, late - freed - use.gradients);
  use.gradients += replicas;
  use.overhead = use.unallocated + shares.gathered + gathered_tables(layout, first, last) +
                 scattered_gradients(layout, shares, use.logits, first, last) + use.fragments +
                 copied;
  if (has_auxiliary_models_) add_auxiliary_models(shares, layout.pp, use);
  set_total(use);
  return use;
}

// Auxiliary models of reinforcement learning are partitioned and sharded as the policy
// (data/phases.md, A.2). Their experts are sharded as dense weights if the policy has none.
void MemoryModel::add_auxiliary_models(const Shares& shares, double stages,
                                       MemoryUse& use) const noexcept {
  const auto part = [&](double States::*of) {
    const double experts = (experts_ ? shares.expert : shares.dense).*of;
    return (auxiliary_.*of * shares.dense.*of + auxiliary_experts_.*of * experts) / stages;
  };
  const double optimizer = part(&States::optimizer);
  use.resident = part(&States::frozen) + part(&States::weights) + part(&States::gradients);
  const double on_host = offload_.optimizer ? offload_.share * optimizer : 0;
  use.host += kHostBuffers * on_host;
  use.resident += optimizer - on_host;
}

void MemoryModel::set_total(MemoryUse& use) const noexcept {
  use.total = 0;
  for (const auto& part : kMemoryParts) use.total += use.*part.bytes;
  use.capacity = capacity_;
  use.spread = recipe_.spread;
  use.fits = use.total <= capacity_;
}

// Interpolates between no layer and all layers recomputed in full.
MemoryUse MemoryModel::partly_recomputed(const Layout& layout, const Shares& kept,
                                         const Shares& repeated, Stage stage) const noexcept {
  const MemoryUse most = this->stage(layout, kept, stage);
  const MemoryUse least = this->stage(layout, repeated, stage);
  const double share = recomputed_share(layout, pipeline_layers_.count());
  const auto mix = [&](double MemoryUse::*part) {
    return most.*part + share * (least.*part - most.*part);
  };
  MemoryUse sum = most;
  for (const auto& part : kMemoryParts) sum.*part.bytes = mix(part.bytes);
  sum.host = mix(&MemoryUse::host);
  sum.fragments = mix(&MemoryUse::fragments);
  set_total(sum);
  return sum;
}

template <class Visit>
auto MemoryModel::with_stages(const Layout& layout, const Visit& visit) const noexcept {
  const Shares kept = shares(layout);
  if (layout.recompute_layers <= 0) {
    return visit([&](Stage place) { return stage(layout, kept, place); });
  }
  Layout full = layout;
  full.recompute = Recompute::full;
  const Shares repeated = shares(full);
  return visit([&](Stage place) { return partly_recomputed(layout, kept, repeated, place); });
}

MemoryUse MemoryModel::stage(const Layout& layout, Stage place) const noexcept {
  return with_stages(layout, [&](const auto& at) { return at(place); });
}

MemoryModel::Fullest MemoryModel::fullest(const Layout& layout) const noexcept {
  return with_stages(layout, [&](const auto& at) {
    Fullest worst{at(Stage::first), Stage::first};
    const auto consider = [&](Stage stage) {
      const MemoryUse use = at(stage);
      if (use.total > worst.use.total) worst = {use, stage};
    };
    if (layout.pp > 1) consider(Stage::last);
    if (layout.pp > 2) consider(Stage::inner);
    return worst;
  });
}

MemoryUse MemoryModel::use(const Layout& layout) const noexcept {
  return fullest(layout).use;
}

ActivationAccount MemoryModel::activations(const Layout& layout) const noexcept {
  const Fullest found = fullest(layout);
  const auto of = [&](const Layout& l) {
    const Shares of_layout = shares(l);
    const Shape placed = shape(l, of_layout, found.stage);
    const bool first = found.stage == Stage::first;
    ActivationAccount out = stage_activations(placed, of_layout, first);
    for (std::size_t i = 0; i < kPlaces; ++i) {
      if (placed.layers[i] <= 0 || of_layout.kept[i] <= 0) continue;
      out.layers[i] = placed.layers[i];
      out.tokens[i] = of_layout.sequences * layers_[i].tokens;
      out.per_token[i] = of_layout.kept[i] / out.tokens[i];
    }
    if (first) out.connector = of_layout.sequences * connector_kept_ * of_layout.inverse_tensor;
    out.on_host = out.bytes() - stage(l, of_layout, found.stage).activations;
    return out;
  };
  ActivationAccount out = of(layout);
  if (layout.recompute_layers <= 0) return out;
  Layout full = layout;
  full.recompute = Recompute::full;
  const ActivationAccount repeated = of(full);
  out.repeated = recomputed_share(layout, pipeline_layers_.count());
  out.repeated_kept = repeated.kept;
  out.repeated_transient = repeated.transient;
  out.repeated_per_token = repeated.per_token;
  out.on_host += out.repeated * (repeated.on_host - out.on_host);
  return out;
}

}  // namespace trcost::performance
