// SPDX-License-Identifier: Apache-2.0
// A workload's bytes, prepared once; memory_model.cpp puts a layout to them.
#include <algorithm>

#include "performance/memory.h"
#include "workload/block.h"

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
                                  Precision precision, const Block& block, Recompute mode) {
  const LanguageModel& m = workload.language;
  const bool standard = workload.attention == Attention::standard;
  const bool classic = standard && m.mlp == Mlp::plain && m.norm == Norm::layer && !m.moe && !m.mla &&
                       m.kv_heads == m.heads;
  // A frozen matmul does not need its input, as under selective recomputation.
  if (mode == Recompute::none && workload.language_training == Training::frozen) {
    mode = Recompute::selective;
  }
  if (classic) return classic_activation_bytes(m.hidden, m.heads, workload.seq_length, mode);
  const LayerWidths widths = layer_widths(block);
  ActivationBytes bytes = fused_activation_bytes(widths, mode);
  if (mode == Recompute::none && is_low_precision(precision)) {
    // Norm outputs and the feed-forward's inner input are kept in the recipe's format.
    const double saved = 2 - recipe.low_precision_inputs;
    bytes.hidden -= 2 * saved * widths.hidden;
    bytes.split -= saved * widths.ffn;
  }
  if (standard && mode == Recompute::none) {
    bytes.split += 5 * block.core.heads * workload.seq_length;
  }
  if (mode != Recompute::full) {
    bytes.hidden *= recipe.activation_share;
    bytes.split *= recipe.activation_share;
  }
  return bytes;
}

/// Matrices of one kind of layer, and the low-rank adapters on them.
struct LayerCount {
  double linear = 0;
  double adapters = 0;
};

LayerCount count_matrices(const Block& block, double rank, bool routed) {
  LayerCount count;
  for (const Matrix& matrix : block.matrices) {
    if (matrix.routed != routed) continue;
    count.linear += matrix.weights();
    if (matrix.adaptable) count.adapters += matrix.count * rank * (matrix.in + matrix.out);
  }
  return count;
}

/// The decoder's layers in two groups: those ahead of the first with experts, and the others, or
/// all of a model without experts in the first. Layers of a group are spread evenly, so a stage
/// holds as many of their mean.
struct LayerGroup {
  double count = 0;
  LayerCount own, routed;  ///< mean of a layer
  double largest = 0;      ///< matrices of the largest layer, without routed experts

  void add(const Block& block, double layers, double rank) {
    const double share = layers / (count + layers);
    const LayerCount matrices = count_matrices(block, rank, false);
    mix(own, matrices, share);
    mix(routed, count_matrices(block, rank, true), share);
    largest = std::max(largest, matrices.linear);
    count += layers;
  }

 private:
  static void mix(LayerCount& mean, const LayerCount& added, double share) {
    mean.linear += share * (added.linear - mean.linear);
    mean.adapters += share * (added.adapters - mean.adapters);
  }
};

bool leads(const LanguageModel& m, const Run& run) { return !m.moe || run.place == Place::first; }

void mix(ActivationBytes& mean, const ActivationBytes& added, double share) {
  mean.hidden += share * (added.hidden - mean.hidden);
  mean.split += share * (added.split - mean.split);
}

}  // namespace

MemoryModel::States MemoryModel::states(double params, double learning, Training training,
                                        double linear) const {
  if (training == Training::full) {
    const StateBytes& per = recipe_.states;
    return {0, params * per.weights, params * per.gradients, params * per.optimizer};
  }
  const double frozen = is_low_rank(training) ? params : params - learning;
  const double packed = training == Training::qlora ? linear : 0;
  const StateBytes& per = recipe_.adapter_states;
  return {(frozen - packed) * frozen_bytes_ + packed * kQloraBytes, learning * per.weights,
          learning * per.gradients, learning * per.optimizer};
}

MemoryModel::MemoryModel(const Workload& workload, const MemoryRecipe& recipe, Precision precision,
                         double capacity, double domain)
    : recipe_(recipe),
      offload_(workload.offload),
      capacity_(recipe.plan_share * capacity),
      domain_(domain),
      resident_bytes_(workload.resident_bytes) {
  const LanguageModel& m = workload.language;
  if (is_single(precision)) {
    value_scale_ = 2;
    recipe_.states = recipe_.adapter_states = {4, 4, 8};
  }
  if (workload.loss) recipe_.logits_bytes = bytes_per_logit(*workload.loss, m.vocab, m.hidden);
  if (offload_.optimizer) {
    // 16-bit weights and gradients; the rest stays with the host (ZeRO-Offload, arXiv:2101.06840,
    // section 4).
    for (StateBytes* states : {&recipe_.states, &recipe_.adapter_states}) {
      const double width = 2 * value_scale_;
      *states = {width, width, states->total() - width};
    }
  }
  frozen_bytes_ = is_low_precision(precision) ? recipe_.frozen_low_precision_bytes
                                              : 2 * value_scale_;
  prepare_states(workload);
  prepare_activations(workload, precision);
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

void MemoryModel::prepare_activations(const Workload& workload, Precision precision) {
  const LanguageModel& m = workload.language;
  double dense = 0, moe = 0;
  for (const Run& run : blocks_of(m)) {
    if (run.module != Module::decoder) continue;
    const bool first = leads(m, run);
    double& count = first ? dense : moe;
    count += run.count;
    for (const Recompute mode : kModes) {
      ActivationBytes bytes = layer_activations(workload, recipe_, precision, run.block, mode);
      bytes.hidden *= value_scale_;
      bytes.split *= value_scale_;
      auto& means = first ? dense_activations_ : moe_activations_;
      mix(means[static_cast<std::size_t>(mode)], bytes, run.count / count);
      ActivationBytes& most = first ? dense_transient_ : moe_transient_;
      if (mode == Recompute::none && bytes.hidden + bytes.split > most.hidden + most.split) {
        most = bytes;
      }
    }
  }
}

void MemoryModel::prepare_states(const Workload& workload) {
  const LanguageModel& m = workload.language;
  const Training training = workload.language_training;
  const ParameterCounts counts = count_parameters(m);
  const TrainableCounts trainable = count_trainable(workload);
  const double rank = is_low_rank(training) ? workload.lora_rank : 0;
  LayerGroup dense, sparse;
  for (const Run& run : blocks_of(m)) {
    if (run.module == Module::decoder) (leads(m, run) ? dense : sparse).add(run.block, run.count, rank);
  }
  layers_ = m.layers;
  head_layers_ = head_in_layers(m);
  dense_layers_ = dense.count;
  if (training == Training::adapter) {
    dense.own.adapters = sparse.own.adapters = adapter_parameters(1, m.hidden, workload.lora_rank);
    sparse.routed.adapters = 0;
  }
  // Norms, biases and inserted layers: whatever the matrices above leave, evenly over the layers.
  const double matrices = dense.count * dense.own.linear +
                          sparse.count * (sparse.own.linear + sparse.routed.linear);
  const double rest = (counts.layers - matrices) / m.layers;
  const auto layer = [&](const LayerCount& own) {
    return states(own.linear + rest, own.adapters, training, own.linear);
  };
  dense_layer_ = layer(dense.own);
  moe_layer_ = layer(sparse.own);
  expert_layer_ = states(sparse.routed.linear, sparse.routed.adapters, training, sparse.routed.linear);
  const bool outside = training == Training::full || workload.train_embeddings;
  const Training outer = outside && training != Training::frozen ? Training::full : Training::frozen;
  first_ = states(counts.embedding, 0, outer, 0);
  const bool tied = m.tied_embeddings;
  (tied ? head_again_ : last_) = states(tied ? counts.embedding : counts.head, 0, outer, 0);
  // A multi-token-prediction module is one more layer on the last stage, and what joins it.
  mtp_layers_ = m.mtp_layers;
  const double mtp_layer =
      rest + (m.moe ? sparse.own.linear + sparse.routed.linear : dense.own.linear);
  const double join = std::max(0.0, counts.mtp - mtp_layers_ * mtp_layer);
  last_.add(states(join, 0, training == Training::full ? training : Training::frozen, 0), 1);
  const double width = 2 * value_scale_;
  layer_weights_ = width * (rest + std::max(dense.largest, sparse.largest));
  expert_weights_ = width * sparse.routed.linear;
  embedding_weights_ = width * (counts.embedding + counts.head);
  if (workload.encoder) prepare_vision(workload, trainable);
}

void MemoryModel::prepare_vision(const Workload& workload, const TrainableCounts& trainable) {
  const double connector = workload.connector
                               ? connector_parameters(*workload.connector, *workload.encoder,
                                                      workload.language.hidden)
                               : 0;
  const double encoder = workload.cached_features ? 0 : encoder_parameters(*workload.encoder);
  first_.add(states(encoder, trainable.encoder, workload.encoder_training, encoder), 1);
  // Inserted cross-attention layers that learn beside a frozen decoder count as the connector's.
  const bool learns = workload.connector_training == Training::full;
  first_.add(states(learns ? std::max(connector, trainable.connector) : connector,
                    trainable.connector, workload.connector_training, connector),
             1);
}

}  // namespace trcost
