// SPDX-License-Identifier: Apache-2.0
// A second count of a language model's matrices: sums written out per layer, without blocks, as the
// papers give them (GQA arXiv:2305.13245; MLA arXiv:2405.04434, section 2.1; DeepSeekMoE
// arXiv:2401.06066; Mllama and multi-token prediction as their modeling files).
#pragma once

#include "catalog/models/model.h"

namespace closed_form {

/// Weights of a group of matrices, and the sum of their inputs' and outputs' widths: what a
/// low-rank adapter of rank 1 takes.
struct Count {
  double weights = 0;
  double widths = 0;
};

inline Count operator+(Count a, Count b) {
  return {a.weights + b.weights, a.widths + b.widths};
}
inline Count operator*(double n, Count c) {
  return {n * c.weights, n * c.widths};
}
inline Count matrix(double in, double out) {
  return {in * out, in + out};
}

inline Count attention(const trcost::LanguageModel& m) {
  if (!m.mla) {
    return matrix(m.hidden, m.heads * m.head_dim) + 2 * matrix(m.hidden, m.kv_heads * m.head_dim) +
           matrix(m.heads * m.head_dim, m.hidden);
  }
  const trcost::LatentAttention& a = *m.mla;
  const double query = m.heads * (a.qk_nope_head_dim + a.qk_rope_head_dim);
  const Count queries = a.q_lora_rank > 0
                            ? matrix(m.hidden, a.q_lora_rank) + matrix(a.q_lora_rank, query)
                            : matrix(m.hidden, query);
  return queries + matrix(m.hidden, a.kv_lora_rank + a.qk_rope_head_dim) +
         matrix(a.kv_lora_rank, m.heads * (a.qk_nope_head_dim + a.v_head_dim)) +
         matrix(m.heads * a.v_head_dim, m.hidden);
}

inline Count feed_forward(const trcost::LanguageModel& m, double inner) {
  if (inner <= 0) return {};
  return (m.mlp == trcost::Mlp::gated ? 2 : 1) * matrix(m.hidden, inner) + matrix(inner, m.hidden);
}

/// Router and gate of the shared experts, which take no adapters.
inline double gates(const trcost::LanguageModel& m) {
  return m.hidden * (m.moe->experts + (m.moe->shared_gate ? 1 : 0));
}

inline Count sparse_feed_forward(const trcost::LanguageModel& m, double experts) {
  Count count = experts * feed_forward(m, m.moe->expert_ffn) + feed_forward(m, m.moe->shared_ffn);
  count.weights += gates(m);
  return count;
}

/// The decoder's own layers, with `experts` of each layer's.
inline Count decoder(const trcost::LanguageModel& m, double experts) {
  const double dense = m.moe ? m.moe->dense_layers : m.layers;
  Count count = m.layers * attention(m) + dense * feed_forward(m, m.ffn);
  if (m.moe) count = count + (m.layers - dense) * sparse_feed_forward(m, experts);
  return count;
}

/// Modules that predict further tokens: a layer of the last kind each, and the join.
inline Count prediction(const trcost::LanguageModel& m, double experts) {
  const Count last = m.moe ? sparse_feed_forward(m, experts) : feed_forward(m, m.ffn);
  return m.mtp_layers * (attention(m) + last + matrix(2 * m.hidden, m.hidden));
}

/// Inserted layers: what text passes, and keys and values, which the image's tokens do.
inline Count cross_text(const trcost::LanguageModel& m) {
  const double width = m.heads * m.head_dim;
  return m.cross_attention->layers * (matrix(m.hidden, width) + matrix(width, m.hidden) +
                                      feed_forward(m, m.cross_attention->ffn));
}

inline Count cross_image(const trcost::LanguageModel& m) {
  const double width = m.cross_attention->key_width;
  return 2 * m.cross_attention->layers *
         matrix(width > 0 ? width : m.hidden, m.kv_heads * m.head_dim);
}

/// Width of scores and values, of which a token computes 4 FLOPs for every token that it sees.
inline double core_width(const trcost::LanguageModel& m) {
  if (!m.mla) return m.heads * m.head_dim;
  return m.heads * (m.mla->qk_nope_head_dim + m.mla->qk_rope_head_dim + m.mla->v_head_dim) / 2;
}

/// Tokens that the tokens of a sequence see in the mean, by counting: the diagonal counts half, as
/// the half of a square does.
inline double visible_tokens(double window, int length) {
  double seen = 0;
  for (int at = 0; at < length; ++at) {
    const double before = at + 0.5;
    seen += window > 0 && window < before ? window : before;
  }
  return seen / length;
}

}  // namespace closed_form
