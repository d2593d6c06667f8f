// SPDX-License-Identifier: Apache-2.0
// A workload's bytes prepared once; a layout is arithmetic on them.
#include <algorithm>
#include <cmath>

#include "trcost/memory.h"
#include "workload/linear_layers.h"

namespace trcost {
namespace {

constexpr std::array<Recompute, 3> kModes{Recompute::none, Recompute::selective, Recompute::full};

bool is_low_rank(Training training) {
  return training == Training::lora || training == Training::qlora || training == Training::adapter;
}

/// Formats that keep 32-bit weights and activations: no separate master copy.
bool is_single(Precision precision) {
  return precision == Precision::fp32 || precision == Precision::tf32;
}

bool is_low_precision(Precision precision) {
  return precision == Precision::fp8 || precision == Precision::mxfp8 ||
         precision == Precision::nvfp4;
}

/// Attention that writes its scores keeps softmax, dropout mask and dropped scores: 5 a s bytes per
/// token (arXiv:2205.05198, section 4.1).
ActivationBytes layer_activations(const Workload& workload, const MemoryRecipe& recipe,
                                  Precision precision, bool mixture, Recompute mode) {
  const LanguageModel& m = workload.language;
  const bool standard = workload.attention == Attention::standard;
  const bool classic = standard && m.mlp == Mlp::plain && m.norm == Norm::layer && !m.moe && !m.mla &&
                       m.kv_heads == m.heads;
  // A frozen matmul does not need its input, as under selective recomputation.
  if (mode == Recompute::none && workload.language_training == Training::frozen) {
    mode = Recompute::selective;
  }
  if (classic) return classic_activation_bytes(m.hidden, m.heads, workload.seq_length, mode);
  const LayerWidths widths = layer_widths(m, mixture);
  ActivationBytes bytes = fused_activation_bytes(widths, mode);
  if (mode == Recompute::none && is_low_precision(precision)) {
    // Norm outputs and the feed-forward's inner input are kept in the recipe's format.
    const double saved = 2 - recipe.low_precision_inputs;
    bytes.hidden -= 2 * saved * widths.hidden;
    bytes.split -= saved * widths.ffn;
  }
  if (standard && mode == Recompute::none) bytes.split += 5 * m.heads * workload.seq_length;
  if (mode != Recompute::full) {
    bytes.hidden *= recipe.activation_share;
    bytes.split *= recipe.activation_share;
  }
  return bytes;
}

/// Parameters of the layers of one kind, and of the low-rank adapters on them.
struct LayerCount {
  double params = 0;
  double linear = 0;
  double adapters = 0;
};

template <class Visit>
LayerCount count_layer(double rank, Visit&& visit) {
  LayerCount count;
  visit([&](const LinearLayers& l) {
    count.linear += l.weights();
    if (l.adaptable) count.adapters += l.count * rank * (l.in + l.out);
  });
  count.params = count.linear;
  return count;
}

}  // namespace

MemoryModel::Group MemoryModel::group(double params, double learning, Training training,
                                      double linear) const {
  Group g;
  if (training == Training::full) {
    g.learning = params;
    g.states = recipe_.states;
    return g;
  }
  const double frozen = is_low_rank(training) ? params : params - learning;
  const double width = frozen_bytes_;
  const double packed = training == Training::qlora ? linear : 0;
  g.stored = (frozen - packed) * width + packed * kQloraBytes;
  g.learning = learning;
  g.states = recipe_.adapter_states;
  return g;
}

MemoryModel::MemoryModel(const Workload& workload, const MemoryRecipe& recipe, Precision precision,
                         double capacity)
    : recipe_(recipe), capacity_(capacity) {
  const LanguageModel& m = workload.language;
  if (is_single(precision)) {
    value_scale_ = 2;
    recipe_.states = recipe_.adapter_states = {4, 4, 8};
  }
  frozen_bytes_ = is_low_precision(precision) ? recipe_.frozen_low_precision_bytes
                                              : 2 * value_scale_;
  prepare_states(workload);
  for (const Recompute mode : kModes) {
    const auto i = static_cast<std::size_t>(mode);
    dense_activations_[i] = layer_activations(workload, recipe_, precision, false, mode);
    moe_activations_[i] = layer_activations(workload, recipe_, precision, true, mode);
    dense_activations_[i].hidden *= value_scale_;
    dense_activations_[i].split *= value_scale_;
    moe_activations_[i].hidden *= value_scale_;
    moe_activations_[i].split *= value_scale_;
  }
  seq_length_ = workload.seq_length;
  logit_bytes_ = m.output_head ? recipe_.logits_bytes * m.vocab : 0;
  if (workload.encoder && !workload.cached_features) {
    encoder_learns_ = workload.encoder_training != Training::frozen;
    for (const Recompute mode : kModes) {
      encoder_activations_[static_cast<std::size_t>(mode)] =
          value_scale_ * workload.images_per_sequence * recipe_.activation_share *
          encoder_activation_bytes(*workload.encoder, workload.encoder_tokens_per_image, encoder_learns_,
                                   mode);
    }
  }
}

void MemoryModel::prepare_states(const Workload& workload) {
  const LanguageModel& m = workload.language;
  const Training training = workload.language_training;
  const ParameterCounts counts = count_parameters(m);
  const TrainableCounts trainable = count_trainable(workload);
  const double sparse = moe_layers(m);
  layers_ = m.layers;
  dense_layers_ = m.layers - sparse;
  const double rank = is_low_rank(training) ? workload.lora_rank : 0;
  const auto attention = [&](auto&& visit) { visit_attention(m, 1, visit); };
  const auto dense_ffn = [&](auto&& visit) { visit_feed_forward(m, 1, 0, visit); };
  LayerCount core = count_layer(rank, attention);
  LayerCount dense = count_layer(rank, dense_ffn);
  LayerCount routed = count_layer(rank, [&](auto&& visit) {
    visit_feed_forward(m, 0, 1, [&](const LinearLayers& l) { if (l.routed) visit(l); });
  });
  LayerCount shared = count_layer(rank, [&](auto&& visit) {
    visit_feed_forward(m, 0, 1, [&](const LinearLayers& l) { if (!l.routed) visit(l); });
  });
  if (training == Training::adapter) {
    core.adapters = adapter_parameters(1, m.hidden, workload.lora_rank);
    dense.adapters = routed.adapters = shared.adapters = 0;
  }
  // Norms, biases and inserted layers: whatever the matrices above leave, evenly over the layers.
  const double matrices = m.layers * core.params + dense_layers_ * dense.params +
                          sparse * (routed.params + shared.params);
  const double rest = (counts.layers - matrices) / m.layers;
  const auto layer = [&](const LayerCount& a, const LayerCount& b) {
    return group(a.params + b.params + rest, a.adapters + b.adapters, training,
                 a.linear + b.linear);
  };
  dense_layer_ = layer(core, dense);
  moe_layer_ = layer(core, shared);
  expert_layer_ = group(routed.params, routed.adapters, training, routed.linear);
  const bool outside = training == Training::full || workload.train_embeddings;
  const Training outer = outside && training != Training::frozen ? Training::full : Training::frozen;
  embedding_ = group(counts.embedding, 0, outer, 0);
  tied_ = m.tied_embeddings;
  head_ = group(tied_ ? counts.embedding : counts.head, 0, outer, 0);
  mtp_ = group(counts.mtp, 0, training == Training::full ? training : Training::frozen, 0);
  const double width = 2 * value_scale_;
  layer_weights_ = width * (core.params + rest + std::max(dense_layers_ > 0 ? dense.params : 0,
                                                          sparse > 0 ? shared.params : 0));
  expert_weights_ = width * routed.params;
  embedding_weights_ = width * (counts.embedding + counts.head);
  if (workload.encoder) {
    const double connector =
        workload.connector ? connector_parameters(*workload.connector, *workload.encoder, m.hidden)
                           : 0;
    const double encoder = workload.cached_features ? 0 : encoder_parameters(*workload.encoder);
    encoder_ = group(encoder, trainable.encoder, workload.encoder_training, encoder);
    // Inserted cross-attention layers that learn beside a frozen decoder count as the connector's.
    const bool learns = workload.connector_training == Training::full;
    connector_ = group(learns ? std::max(connector, trainable.connector) : connector,
                       trainable.connector, workload.connector_training, connector);
  }
}

MemoryModel::Shape MemoryModel::shape(const Layout& layout, Stage stage) const noexcept {
  const double p = layout.pp;
  Shape s;
  // Layers that do not divide: the outer stages, which hold embedding and head, take fewer, as
  // Llama 3 does (arXiv:2407.21783, section 3.3.2).
  const double fewer = std::floor(layers_ / p);
  const double left = layers_ - fewer * p;
  const bool more = stage == Stage::inner ? left > 0 : left > p - 2 && left > 0 && stage == Stage::last;
  const double layers = p == 1 ? layers_ : fewer + (more ? 1 : 0);
  s.dense_layers = stage == Stage::first ? std::min(dense_layers_, layers)
                                         : std::max(0.0, dense_layers_ - (layers_ - layers));
  s.moe_layers = layers - s.dense_layers;
  const double behind = stage == Stage::first ? 0 : stage == Stage::inner ? 1 : p - 1;
  const double v = layout.vp > 1 && p > 1 ? layout.vp : 1;
  const double m = std::max(1.0, layout.micro_batches());
  const double all = micro_batches_in_flight(p, v, m);
  const double scheduled = v > 1 ? p * (1 + (p - 1) / (p * v)) - 2 * behind / v : p - behind;
  s.in_flight = std::max(1.0 / v, std::min(all, scheduled));
  return s;
}

void MemoryModel::add(MemoryUse& use, const Group& group, double count, double split,
                      Sharding sharding, double shards) const noexcept {
  if (count <= 0) return;
  const StateBytes bytes =
      sharded_state_bytes(group.learning * count / split, group.states, sharding, shards);
  const double frozen = group.stored * count / split;
  use.weights += bytes.weights + (sharding == Sharding::parameters ? frozen / shards : frozen);
  use.gradients += bytes.gradients;
  use.optimizer += bytes.optimizer;
}

void MemoryModel::add_states(MemoryUse& use, const Layout& layout, Stage stage,
                             const Shape& shape) const noexcept {
  const double t = layout.tp, ranks = static_cast<double>(layout.dp) * layout.cp;
  const double expert_split = static_cast<double>(layout.ep) * expert_tensor_parallel(layout);
  const double expert_ranks = std::max(1.0, ranks * t / expert_split);
  const Sharding sharding = layout.sharding;
  const bool first = stage == Stage::first, last = stage == Stage::last || layout.pp == 1;
  add(use, dense_layer_, shape.dense_layers, t, sharding, ranks);
  add(use, moe_layer_, shape.moe_layers, t, sharding, ranks);
  add(use, expert_layer_, shape.moe_layers, expert_split, sharding, expert_ranks);
  if (first) {
    add(use, embedding_, 1, t, sharding, ranks);
    add(use, encoder_, 1, t, sharding, ranks);
    add(use, connector_, 1, t, sharding, ranks);
  }
  if (last) {
    if (!tied_ || layout.pp > 1) add(use, head_, 1, t, sharding, ranks);
    add(use, mtp_, 1, t, sharding, ranks);
  }
}

void MemoryModel::add_activations(MemoryUse& use, const Layout& layout, Stage stage,
                                  const Shape& shape) const noexcept {
  const auto mode = static_cast<std::size_t>(layout.recompute);
  const double t = layout.tp;
  const double tokens = layout.micro_batch * seq_length_ / layout.cp;
  const auto bytes = [&](const ActivationBytes& a) {
    return a.per_token(t, layout.sequence_parallel);
  };
  const double dense = bytes(dense_activations_[mode]), moe = bytes(moe_activations_[mode]);
  use.activations += tokens * shape.in_flight * (shape.dense_layers * dense + shape.moe_layers * moe);
  if (layout.recompute == Recompute::full) {
    const double once = std::max(shape.dense_layers > 0 ? bytes(dense_activations_[0]) : 0,
                                 shape.moe_layers > 0 ? bytes(moe_activations_[0]) : 0);
    use.activations += tokens * std::max(0.0, once - std::max(dense, moe));
  }
  if (stage == Stage::first) {
    const double images = layout.micro_batch / layout.cp / t;
    const double held = encoder_learns_ ? shape.in_flight : 1;
    use.activations += images * held * encoder_activations_[mode];
  }
  if (stage == Stage::last || layout.pp == 1) use.logits += tokens * logit_bytes_ / t;
}

double MemoryModel::gathered_bytes(const Layout& layout) const noexcept {
  if (layout.sharding != Sharding::parameters) return 0;
  const double layers = std::min(recipe_.unsharded_layers, layers_);
  const double embeddings = recipe_.unsharded_embeddings ? embedding_weights_ : 0;
  return (layers * layer_weights_ + embeddings) / layout.tp +
         layers * expert_weights_ / (layout.ep * expert_tensor_parallel(layout));
}

MemoryUse MemoryModel::stage(const Layout& layout, Stage stage) const noexcept {
  MemoryUse use;
  const Shape s = shape(layout, stage);
  add_states(use, layout, stage, s);
  add_activations(use, layout, stage, s);
  use.overhead = recipe_.context_bytes + (layout.gpus() > 1 ? recipe_.network_bytes : 0) +
                 gathered_bytes(layout) +
                 recipe_.fragmentation * (use.activations + use.logits);
  use.total = use.weights + use.gradients + use.optimizer + use.activations + use.logits +
              use.overhead;
  use.capacity = capacity_;
  use.fits = use.total <= recipe_.plan_share * capacity_;
  return use;
}

MemoryUse MemoryModel::use(const Layout& layout) const noexcept {
  MemoryUse worst = stage(layout, Stage::first);
  if (layout.pp == 1) return worst;
  const MemoryUse last = stage(layout, Stage::last);
  if (last.total > worst.total) worst = last;
  if (layout.pp > 2) {
    const MemoryUse inner = stage(layout, Stage::inner);
    if (inner.total > worst.total) worst = inner;
  }
  return worst;
}

}  // namespace trcost
