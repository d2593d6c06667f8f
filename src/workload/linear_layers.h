// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trcost/model.h"

namespace trcost {

/// Identical matrices of a model.
struct LinearLayers {
  double in = 0;
  double out = 0;
  double count = 0;   ///< in the whole model
  double active = 0;  ///< that one token passes; fewer than `count` for routed experts
  bool routed = false;   ///< a routed expert's
  bool adaptable = true; ///< takes a low-rank adapter; routers and gates do not

  [[nodiscard]] double weights() const { return count * in * out; }
  [[nodiscard]] double active_weights() const { return active * in * out; }
};

/// Tokens that attend to each other within an image of `tokens`: `attention_tokens`, else the
/// encoder's own input, at most the image.
double attention_span(const Encoder& encoder, double tokens, double attention_tokens);

/// Layers whose feed-forward is a mixture of experts.
inline double moe_layers(const LanguageModel& m) {
  return m.moe ? m.layers - m.moe->dense_layers : 0;
}

/// Matrices of a feed-forward that lead into its inner width: 2 gated, 1 plain.
inline double input_matrices(Mlp mlp) { return mlp == Mlp::gated ? 2 : 1; }

/// Attention matrices of `layers` decoder layers, grouped-query or latent (DeepSeek-V2, arXiv
/// 2405.04434, section 2.1).
template <class Visit>
void visit_attention(const LanguageModel& m, double layers, Visit&& visit) {
  const auto add = [&](double in, double out, double count) {
    visit(LinearLayers{in, out, count, count});
  };
  const double h = m.hidden, a = m.heads;
  if (!m.mla) {
    add(h, a * m.head_dim, layers);
    add(h, m.kv_heads * m.head_dim, 2 * layers);
    add(a * m.head_dim, h, layers);
    return;
  }
  const LatentAttention& mla = *m.mla;
  const double query = a * (mla.qk_nope_head_dim + mla.qk_rope_head_dim);
  if (mla.q_lora_rank > 0) {
    add(h, mla.q_lora_rank, layers);
    add(mla.q_lora_rank, query, layers);
  } else {
    add(h, query, layers);
  }
  add(h, mla.kv_lora_rank + mla.qk_rope_head_dim, layers);
  add(mla.kv_lora_rank, a * (mla.qk_nope_head_dim + mla.v_head_dim), layers);
  add(a * mla.v_head_dim, h, layers);
}

/// Feed-forward matrices of `dense` layers with one feed-forward and `sparse` layers of experts.
template <class Visit>
void visit_feed_forward(const LanguageModel& m, double dense, double sparse, Visit&& visit) {
  const double h = m.hidden, into = input_matrices(m.mlp);
  if (dense > 0 && m.ffn > 0) {
    visit(LinearLayers{h, m.ffn, into * dense, into * dense});
    visit(LinearLayers{m.ffn, h, dense, dense});
  }
  if (!m.moe || sparse <= 0) return;
  const MixtureOfExperts& moe = *m.moe;
  const double all = moe.experts * sparse, used = moe.experts_per_token * sparse;
  visit(LinearLayers{h, moe.expert_ffn, into * all, into * used, true});
  visit(LinearLayers{moe.expert_ffn, h, all, used, true});
  visit(LinearLayers{h, moe.experts, sparse, sparse, false, false});
  if (moe.shared_ffn > 0) {
    visit(LinearLayers{h, moe.shared_ffn, into * sparse, into * sparse});
    visit(LinearLayers{moe.shared_ffn, h, sparse, sparse});
  }
  if (moe.shared_gate) visit(LinearLayers{h, 1, sparse, sparse, false, false});
}

/// Every matrix of the decoder's own layers; neither embedding nor head.
template <class Visit>
void visit_decoder(const LanguageModel& m, Visit&& visit) {
  visit_attention(m, m.layers, visit);
  visit_feed_forward(m, m.layers - moe_layers(m), moe_layers(m), visit);
}

/// Every matrix of the multi-token-prediction modules: one decoder layer of the last layer's kind
/// and the join of hidden state and embedding, 2h to h (DeepSeek-V3, arXiv 2412.19437, section 2.2).
template <class Visit>
void visit_mtp(const LanguageModel& m, Visit&& visit) {
  if (m.mtp_layers <= 0) return;
  visit_attention(m, m.mtp_layers, visit);
  visit_feed_forward(m, m.moe ? 0 : m.mtp_layers, m.moe ? m.mtp_layers : 0, visit);
  visit(LinearLayers{2 * m.hidden, m.hidden, m.mtp_layers, m.mtp_layers});
}

/// Matrices of the inserted cross-attention layers that every text token passes.
template <class Visit>
void visit_cross_text(const LanguageModel& m, Visit&& visit) {
  if (!m.cross_attention) return;
  const CrossAttention& cross = *m.cross_attention;
  const auto add = [&](double in, double out, double count) {
    visit(LinearLayers{in, out, count, count});
  };
  add(m.hidden, m.heads * m.head_dim, cross.layers);
  add(m.heads * m.head_dim, m.hidden, cross.layers);
  if (cross.ffn > 0) {
    add(m.hidden, cross.ffn, input_matrices(m.mlp) * cross.layers);
    add(cross.ffn, m.hidden, cross.layers);
  }
}

/// Matrices of the inserted cross-attention layers that every image token passes: keys and values.
template <class Visit>
void visit_cross_image(const LanguageModel& m, Visit&& visit) {
  if (!m.cross_attention) return;
  const CrossAttention& cross = *m.cross_attention;
  const double width = cross.key_width > 0 ? cross.key_width : m.hidden;
  const double count = 2 * cross.layers;
  visit(LinearLayers{width, m.kv_heads * m.head_dim, count, count});
}

}  // namespace trcost
