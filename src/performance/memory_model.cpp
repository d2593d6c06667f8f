// SPDX-License-Identifier: Apache-2.0
// What a layout puts on the fullest device, from the bytes of a prepared workload.
#include <algorithm>
#include <cmath>

#include "performance/memory.h"

namespace trcost {

MemoryModel::Shape MemoryModel::shape(const Layout& layout, Stage stage) const noexcept {
  const bool sparse = layers_ > dense_layers_;
  const double dense_mtp = sparse ? 0 : mtp_layers_;
  const double sparse_mtp = sparse ? mtp_layers_ : 0;
  if (layout.pp == 1) {
    return {dense_layers_ + dense_mtp, layers_ - dense_layers_ + sparse_mtp, 1};
  }
  const double p = layout.pp;
  Shape s;
  const StageLayers dealt = stage_layers(layers_, p, head_layers_);
  const double layers = stage == Stage::first   ? dealt.first
                        : stage == Stage::inner ? dealt.inner
                                                : dealt.last;
  s.dense_layers = stage == Stage::first ? std::min(dense_layers_, layers)
                                         : std::max(0.0, dense_layers_ - (layers_ - layers));
  s.moe_layers = layers - s.dense_layers;
  if (stage == Stage::last) {
    s.dense_layers += dense_mtp;
    s.moe_layers += sparse_mtp;
  }
  const double behind = stage == Stage::first ? 0 : stage == Stage::inner ? 1 : p - 1;
  const double v = layout.vp;
  const double scheduled = v > 1 ? p + (p - 1 - 2 * behind) / v : p - behind;
  s.in_flight = std::max(1 / v, std::min({scheduled, std::max(1.0, layout.micro_batches()),
                                          micro_batches_in_flight(p, v, 1e300)}));
  return s;
}

struct MemoryModel::Shares {
  double tokens;                 ///< of a micro-batch on one context rank
  double inverse_tensor;
  States dense, expert;          ///< factors on a device's states
  double dense_activations, moe_activations;  ///< bytes per layer and micro-batch
  double transient_dense, transient_moe;      ///< of the layer that is being made again
  double images;                 ///< encoder bytes of one micro-batch
  double overhead;               ///< but fragmentation
};

MemoryModel::Shares MemoryModel::shares(const Layout& layout) const noexcept {
  const auto mode = static_cast<std::size_t>(layout.recompute);
  const double t = layout.tp, ranks = static_cast<double>(layout.dp) * layout.cp;
  const bool full = layout.recompute == Recompute::full, moe = layers_ > dense_layers_;
  Shares s{};
  s.inverse_tensor = 1 / t;
  s.tokens = layout.micro_batch * seq_length_ / layout.cp;
  const auto factors = [&](double split, double replicas) {
    const double shards = layout.sharding == Sharding::hybrid
                              ? hybrid_shards(replicas, 1 / split, domain_) : replicas;
    const auto divided = [&](Sharding from) {
      return split / sharers(layout.sharding, from, shards);
    };
    const double weights = divided(Sharding::parameters);
    return States{weights, weights, divided(Sharding::gradients), divided(Sharding::optimizer)};
  };
  const auto bytes = [&](const ActivationBytes& a) {
    return s.tokens *
           (a.hidden * (layout.sequence_parallel ? s.inverse_tensor : 1) + a.split * s.inverse_tensor);
  };
  s.dense = factors(s.inverse_tensor, ranks);
  s.dense_activations = bytes(dense_activations_[mode]);
  if (full) s.transient_dense = std::max(0.0, bytes(dense_transient_) - s.dense_activations);
  double gathered_experts = 0;
  if (moe) {
    const double split = static_cast<double>(layout.ep) * expert_tensor_parallel(layout);
    s.expert = factors(1 / split, std::max(1.0, ranks * t / split));
    s.moe_activations = bytes(moe_activations_[mode]);
    if (full) s.transient_moe = std::max(0.0, bytes(moe_transient_) - s.moe_activations);
    gathered_experts = expert_weights_ / split;
  }
  s.images = layout.micro_batch / layout.cp * s.inverse_tensor * encoder_activations_[mode];
  s.overhead = recipe_.context_bytes + (ranks * t * layout.pp > 1 ? recipe_.network_bytes : 0);
  if (layout.sharding >= Sharding::parameters) {
    const double layers = std::min(recipe_.unsharded_layers, layers_);
    const double embeddings = recipe_.unsharded_embeddings ? embedding_weights_ : 0;
    s.overhead += (layers * layer_weights_ + embeddings) * s.inverse_tensor +
                  layers * gathered_experts;
  }
  return s;
}

double MemoryModel::layer_bytes(const Shape& shape, const Shares& shares) noexcept {
  return shape.dense_layers * shares.dense_activations + shape.moe_layers * shares.moe_activations;
}

// Two layers stay: one in use, one on its way.
void MemoryModel::keep_on_host(const Shape& shape, const Shares& shares,
                               MemoryUse& use) const noexcept {
  if (offload_.optimizer) {
    use.host += use.optimizer;
    use.optimizer = 0;
    use.gradients = std::min(use.gradients, kGradientBuckets);
  }
  if (offload_.activations) {
    const double kept = shape.in_flight * layer_bytes(shape, shares);
    const double two = 2 * std::max(shares.dense_activations, shares.moe_activations);
    const double moved = std::max(0.0, kept - two);
    use.host += moved;
    use.activations -= moved;
  }
}

double MemoryModel::moved_activations(const Layout& layout) const noexcept {
  const Shares of_layout = shares(layout);
  const double layer = std::max(of_layout.dense_activations, of_layout.moe_activations);
  return std::max(0.0, layer_bytes(shape(layout, Stage::first), of_layout) - 2 * layer);
}

MemoryUse MemoryModel::stage(const Layout& layout, const Shares& shares,
                             Stage stage) const noexcept {
  const Shape shape = this->shape(layout, stage);
  const bool first = stage == Stage::first, last = stage == Stage::last || layout.pp == 1;
  States held;
  held.add(dense_layer_, shape.dense_layers);
  if (shape.moe_layers > 0) held.add(moe_layer_, shape.moe_layers);
  if (first) held.add(first_, 1);
  if (last) held.add(last_, 1);
  if (last && !first) held.add(head_again_, 1);
  MemoryUse use;
  use.weights = held.frozen * shares.dense.frozen + held.weights * shares.dense.weights;
  use.gradients = held.gradients * shares.dense.gradients;
  use.optimizer = held.optimizer * shares.dense.optimizer;
  use.activations = shape.in_flight * layer_bytes(shape, shares) +
                    std::max(shape.dense_layers > 0 ? shares.transient_dense : 0,
                             shape.moe_layers > 0 ? shares.transient_moe : 0);
  if (shape.moe_layers > 0) {
    const double n = shape.moe_layers;
    use.weights += n * (expert_layer_.frozen * shares.expert.frozen +
                        expert_layer_.weights * shares.expert.weights);
    use.gradients += n * expert_layer_.gradients * shares.expert.gradients;
    use.optimizer += n * expert_layer_.optimizer * shares.expert.optimizer;
  }
  if (offload_.any()) keep_on_host(shape, shares, use);
  if (first) use.activations += (encoder_learns_ ? shape.in_flight : 1) * shares.images;
  if (last) use.logits = shares.tokens * logit_bytes_ * shares.inverse_tensor;
  use.overhead = shares.overhead + recipe_.fragmentation * (use.activations + use.logits);
  use.resident = resident_bytes_ / layout.gpus();
  add_up(use);
  return use;
}

void MemoryModel::add_up(MemoryUse& use) const noexcept {
  use.total = 0;
  for (const MemoryPart& part : kMemoryParts) use.total += use.*part.bytes;
  use.capacity = capacity_;
  use.fits = use.total <= capacity_;
}

// Layers recomputed in full keep what full recomputation keeps, the others what they would.
MemoryUse MemoryModel::partly_recomputed(const Layout& layout, const Shares& kept,
                                         const Shares& repeated, Stage stage) const noexcept {
  const MemoryUse most = this->stage(layout, kept, stage);
  const MemoryUse least = this->stage(layout, repeated, stage);
  const double share = recomputed_share(layout, layers_);
  const auto mix = [&](double MemoryUse::*part) {
    return most.*part + share * (least.*part - most.*part);
  };
  MemoryUse sum = most;
  for (const MemoryPart& part : kMemoryParts) sum.*part.bytes = mix(part.bytes);
  sum.host = mix(&MemoryUse::host);
  add_up(sum);
  return sum;
}

template <class Look>
auto MemoryModel::with_stages(const Layout& layout, const Look& look) const noexcept {
  const Shares kept = shares(layout);
  if (layout.recompute_layers <= 0) {
    return look([&](Stage place) { return stage(layout, kept, place); });
  }
  Layout full = layout;
  full.recompute = Recompute::full;
  const Shares repeated = shares(full);
  return look([&](Stage place) { return partly_recomputed(layout, kept, repeated, place); });
}

MemoryUse MemoryModel::stage(const Layout& layout, Stage place) const noexcept {
  return with_stages(layout, [&](const auto& at) { return at(place); });
}

MemoryUse MemoryModel::use(const Layout& layout) const noexcept {
  return with_stages(layout, [&](const auto& at) {
    MemoryUse worst = at(Stage::first);
    if (layout.pp == 1) return worst;
    const MemoryUse last = at(Stage::last);
    if (last.total > worst.total) worst = last;
    if (layout.pp > 2) {
      const MemoryUse inner = at(Stage::inner);
      if (inner.total > worst.total) worst = inner;
    }
    return worst;
  });
}

}  // namespace trcost
