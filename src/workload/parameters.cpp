// SPDX-License-Identifier: Apache-2.0
#include "trcost/model.h"
#include "workload/linear_layers.h"

namespace trcost {
namespace {

/// Vectors of one norm over `width`: RMSNorm (arXiv 1910.07467) has a scale, LayerNorm (arXiv
/// 1607.06450) a scale and, unless left out, a shift.
double norm_parameters(const LanguageModel& m, double width) {
  return m.norm == Norm::layer && m.norm_bias ? 2 * width : width;
}

/// Biases, head norms and sinks of the attention of one layer.
double attention_vectors(const LanguageModel& m) {
  double vectors = 0;
  if (m.mla) {
    vectors += m.mla->q_lora_rank + m.mla->kv_lora_rank;  // a norm over each compressed vector
  } else if (m.biases != Biases::none) {
    vectors += (m.heads + 2 * m.kv_heads) * m.head_dim;
  }
  if (m.biases == Biases::all || m.output_bias) vectors += m.hidden;
  if (m.qk_norm) vectors += 2 * m.head_dim;
  if (m.wide_qk_norm) vectors += (m.heads + m.kv_heads) * m.head_dim;
  if (m.attention_sinks) vectors += m.heads;
  return vectors;
}

/// Biases of a feed-forward of inner width `ffn`.
double feed_forward_biases(const LanguageModel& m, double ffn) {
  return input_matrices(m.mlp) * ffn + m.hidden;
}

/// Vectors of everything in `dense` and `sparse` layers, routed experts apart.
double layer_vectors(const LanguageModel& m, double dense, double sparse) {
  double vectors = (dense + sparse) *
                   (attention_vectors(m) + m.norms_per_layer * norm_parameters(m, m.hidden));
  if (m.biases == Biases::all) vectors += dense * feed_forward_biases(m, m.ffn);
  if (m.moe && m.moe->router_bias) vectors += sparse * m.moe->experts;
  if (m.moe && m.moe->expert_bias && m.moe->shared_ffn > 0) {
    vectors += sparse * feed_forward_biases(m, m.moe->shared_ffn);
  }
  return vectors;
}

/// Biases of the routed experts of `sparse` layers, `per_layer` experts each.
double expert_vectors(const LanguageModel& m, double sparse, double per_layer) {
  if (!m.moe || !m.moe->expert_bias) return 0;
  return sparse * per_layer * feed_forward_biases(m, m.moe->expert_ffn);
}

/// Inserted layer: 2 h a d + 2 kv d k + mlp + two norms, head norms of query and key, two gates.
/// Source: modeling_mllama.py of transformers, MllamaCrossAttentionDecoderLayer.
double cross_attention_parameters(const LanguageModel& m) {
  if (!m.cross_attention) return 0;
  double weights = 0;
  const auto add = [&](const LinearLayers& l) { weights += l.weights(); };
  visit_cross_text(m, add);
  visit_cross_image(m, add);
  const double vectors = 2 * norm_parameters(m, m.hidden) + 2 * m.head_dim + 2;
  return weights + m.cross_attention->layers * vectors;
}

/// A module's layer, the join, a norm each of hidden state and embedding, a final norm. Embedding
/// and head are the model's own. Source: arXiv 2412.19437, section 2.2.
double mtp_parameters(const LanguageModel& m) {
  if (m.mtp_layers <= 0) return 0;
  double weights = 0;
  visit_mtp(m, [&](const LinearLayers& l) { weights += l.weights(); });
  const double dense = m.moe ? 0 : m.mtp_layers, sparse = m.moe ? m.mtp_layers : 0;
  return weights + layer_vectors(m, dense, sparse) +
         expert_vectors(m, sparse, m.moe ? m.moe->experts : 0) +
         m.mtp_layers * 3 * norm_parameters(m, m.hidden);
}

}  // namespace

// N = L (attention + feed-forward + norms) + final norm + V h (1 tied, 2 not) + positions h.
// Sources: Megatron-LM megatron/training/theoretical_memory_usage.py; the modeling files of
// transformers, whose totals it meets exactly.
ParameterCounts count_parameters(const LanguageModel& m) {
  ParameterCounts counts;
  counts.embedding = (m.vocab + m.extra_embedding_rows + m.learned_positions) * m.hidden;
  counts.head = m.tied_embeddings || !m.output_head ? 0 : m.vocab * m.hidden;

  double weights = 0, routed = 0, routed_active = 0;
  visit_decoder(m, [&](const LinearLayers& l) {
    (l.routed ? routed : weights) += l.weights();
    if (l.routed) routed_active += l.active_weights();
  });
  const double sparse = moe_layers(m);
  if (m.moe) {
    routed += expert_vectors(m, sparse, m.moe->experts);
    routed_active += expert_vectors(m, sparse, m.moe->experts_per_token);
  }
  counts.expert = routed;
  counts.layers = weights + routed + layer_vectors(m, m.layers - sparse, sparse) +
                  norm_parameters(m, m.hidden) + cross_attention_parameters(m);
  counts.language = counts.embedding + counts.layers + counts.head;
  counts.total = counts.language;
  counts.active = counts.total - routed + routed_active;
  counts.mtp = mtp_parameters(m);
  if (m.moe && m.mtp_layers > 0) {
    visit_mtp(m, [&](const LinearLayers& l) { if (l.routed) counts.mtp_expert += l.weights(); });
    counts.mtp_expert += expert_vectors(m, m.mtp_layers, m.moe->experts);
  }
  return counts;
}

ParameterCounts count_parameters(const Model& model) {
  ParameterCounts counts = count_parameters(model.language);
  if (!model.vision) return counts;
  counts.encoder = encoder_parameters(model.vision->encoder);
  counts.connector = connector_parameters(model.vision->connector, model.vision->encoder,
                                          model.language.hidden);
  counts.total += counts.encoder + counts.connector;
  counts.active += counts.encoder + counts.connector;
  return counts;
}

}  // namespace trcost
