// SPDX-License-Identifier: Apache-2.0
// From a model file's form to blocks. A new kind of layer is a function here.
#include <algorithm>

#include "workload/block_builder.h"

namespace trcost {
namespace {

/// Biases of a feed-forward of inner width `ffn`.
double feed_forward_biases(const LanguageModel& m, double ffn) {
  return input_matrices(m.mlp) * ffn + m.hidden;
}

/// Grouped queries; Ainslie et al., arXiv:2305.13245.
void add_grouped_attention(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  matrices.add(m.hidden, m.heads * m.head_dim, Split::output);
  matrices.fused(m.hidden, m.kv_heads * m.head_dim, Split::output, 2);
  matrices.add(m.heads * m.head_dim, m.hidden, Split::input);
  block.core.qk = block.core.v = m.head_dim;
  if (m.biases != Biases::none) block.vectors += (m.heads + 2 * m.kv_heads) * m.head_dim;
}

/// Latent attention; DeepSeek-V2, arXiv:2405.04434, section 2.1. A norm over each compressed
/// vector.
void add_latent_attention(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  const LatentAttention& mla = *m.mla;
  block.core.qk = mla.qk_nope_head_dim + mla.qk_rope_head_dim;
  block.core.v = mla.v_head_dim;
  block.core.query_latent = mla.q_lora_rank;
  block.core.kv_latent = mla.kv_lora_rank;
  block.core.shared_key = mla.qk_rope_head_dim;
  if (mla.q_lora_rank > 0) {
    matrices.add(m.hidden, mla.q_lora_rank, Split::none);
    matrices.add(mla.q_lora_rank, m.heads * block.core.qk, Split::output);
  } else {
    matrices.add(m.hidden, m.heads * block.core.qk, Split::output);
  }
  matrices.add(m.hidden, mla.kv_lora_rank + mla.qk_rope_head_dim, Split::none);
  matrices.add(mla.kv_lora_rank, m.heads * (mla.qk_nope_head_dim + mla.v_head_dim), Split::output);
  matrices.add(m.heads * mla.v_head_dim, m.hidden, Split::input);
  block.vectors += mla.q_lora_rank + mla.kv_lora_rank;
}

/// Attention with its biases, head norms and sinks, and the layer's norms.
void add_attention(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  block.hidden = m.hidden;
  block.mlp = m.mlp;
  block.norm = m.norm;
  block.core.heads = m.heads;
  block.core.kv_heads = m.kv_heads;
  block.core.causal = !m.bidirectional;
  block.core.windows = m.windows;
  block.core.window_count = m.window_count;
  if (m.mla) {
    add_latent_attention(m, block, matrices);
  } else {
    add_grouped_attention(m, block, matrices);
  }
  if (m.biases == Biases::all || m.output_bias) block.vectors += m.hidden;
  if (m.qk_norm) block.vectors += 2 * m.head_dim;
  if (m.wide_qk_norm) block.vectors += (m.heads + m.kv_heads) * m.head_dim;
  if (m.attention_sinks) block.vectors += m.heads;
  block.vectors += m.norms_per_layer * norm_vectors(m.norm, m.hidden, m.norm_bias);
}

void add_dense_feed_forward(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  if (m.ffn <= 0) return;
  block.inner = m.ffn;
  matrices.feed_forward(m.hidden, m.ffn, m.mlp);
  if (m.biases == Biases::all) block.vectors += feed_forward_biases(m, m.ffn);
}

/// A router, routed experts, and the shared expert that every token passes, whose gate is one more
/// column of the router.
void add_experts(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  const MixtureOfExperts& moe = *m.moe;
  block.experts = {moe.experts, moe.experts_per_token, moe.expert_ffn, moe.groups_per_token,
                   moe.expert_bias};
  matrices.add(m.hidden, moe.experts, Split::none).adaptable = false;
  if (moe.shared_gate) matrices.fused(m.hidden, 1, Split::none).adaptable = false;
  if (moe.router_bias) block.vectors += moe.experts;
  if (moe.shared_ffn > 0) {
    block.inner = moe.shared_ffn;
    matrices.feed_forward(m.hidden, moe.shared_ffn, m.mlp);
    if (moe.expert_bias) block.vectors += feed_forward_biases(m, moe.shared_ffn);
  }
  const auto routed = [&](Matrix& matrix, double of_one) {
    matrix.routed = true;
    matrix.count = of_one * moe.experts;
    matrix.active = of_one * moe.experts_per_token;
  };
  routed(matrices.add(m.hidden, moe.expert_ffn, Split::output), input_matrices(m.mlp));
  routed(matrices.add(moe.expert_ffn, m.hidden, Split::input), 1);
  if (moe.expert_bias) block.expert_vectors = feed_forward_biases(m, moe.expert_ffn);
}

Block decoder_layer(const LanguageModel& m, bool experts) {
  Block block;
  LayerMatrices matrices(block.matrices);
  add_attention(m, block, matrices);
  if (experts) {
    add_experts(m, block, matrices);
  } else {
    add_dense_feed_forward(m, block, matrices);
  }
  return block;
}

/// A decoder layer of the last layer's kind, the join of hidden state and embedding, 2h to h, a
/// norm of each of the two and a final one (DeepSeek-V3, arXiv:2412.19437, section 2.2).
Block prediction_module(const LanguageModel& m) {
  Block block = decoder_layer(m, m.moe.has_value());
  Matrix join;
  join.in = 2 * m.hidden;
  join.out = m.hidden;
  join.kernel = block.matrices.back().kernel + 1;
  block.matrices.push_back(join);
  block.vectors += 3 * norm_vectors(m.norm, m.hidden, m.norm_bias);
  return block;
}

/// Attention to the image and a feed-forward of its own, two norms, head norms of query and key,
/// two gates. Source: modeling_mllama.py of transformers, MllamaCrossAttentionDecoderLayer.
Block cross_layer(const LanguageModel& m) {
  const CrossAttention& cross = *m.cross_attention;
  Block block;
  LayerMatrices matrices(block.matrices);
  block.hidden = m.hidden;
  block.mlp = m.mlp;
  block.core.heads = m.heads;
  block.core.kv_heads = m.kv_heads;
  block.core.qk = block.core.v = m.head_dim;
  block.core.causal = false;
  block.core.cross = true;
  const double width = cross.key_width > 0 ? cross.key_width : m.hidden;
  matrices.add(m.hidden, m.heads * m.head_dim, Split::output);
  matrices.add(width, m.kv_heads * m.head_dim, Split::output, 2).of = Stream::image;
  matrices.add(m.heads * m.head_dim, m.hidden, Split::input);
  block.inner = cross.ffn;
  if (cross.ffn > 0) matrices.feed_forward(m.hidden, cross.ffn, m.mlp);
  block.vectors = 2 * norm_vectors(m.norm, m.hidden, m.norm_bias) + 2 * m.head_dim + 2;
  return block;
}

}  // namespace

Runs blocks_of(const LanguageModel& m) {
  Runs runs;
  const double dense = m.moe ? std::min(m.moe->dense_layers, m.layers) : m.layers;
  if (dense > 0) {
    runs.push_back(
        {decoder_layer(m, false), dense, m.moe ? Place::first : Place::spread, Module::decoder});
  }
  if (m.layers > dense) {
    runs.push_back({decoder_layer(m, true), m.layers - dense, Place::spread, Module::decoder});
  }
  if (m.cross_attention) {
    runs.push_back({cross_layer(m), m.cross_attention->layers, Place::spread, Module::cross});
  }
  if (m.mtp_layers > 0) {
    runs.push_back({prediction_module(m), m.mtp_layers, Place::last, Module::mtp});
  }
  return runs;
}

double own_parameters(const Block& block) {
  double sum = block.vectors;
  for (const Matrix& matrix : block.matrices) {
    if (!matrix.routed) sum += matrix.weights();
  }
  return sum;
}

double expert_parameters(const Block& block, double experts) {
  double sum = experts * block.expert_vectors;
  for (const Matrix& matrix : block.matrices) {
    if (matrix.routed) sum += matrix.weights() * experts / block.experts.count;
  }
  return sum;
}

double adapter_widths(const Block& block, bool active) {
  double sum = 0;
  for (const Matrix& matrix : block.matrices) {
    if (!matrix.adaptable || (active && matrix.of == Stream::image)) continue;
    sum += (active ? matrix.active : matrix.count) * (matrix.in + matrix.out);
  }
  return sum;
}

double visible_tokens(const Core& core, double length) {
  double mean = 0;
  for (int i = 0; i < core.window_count; ++i) {
    const AttentionWindow& part = core.windows[static_cast<std::size_t>(i)];
    const double w = part.window, all = core.causal ? length / 2 : length;
    const bool limited = w > 0 && w < length;
    const double seen = core.causal ? w - w * (w - 1) / (2 * length) : w;
    mean += part.share * (limited ? std::min(all, seen) : all);
  }
  return mean;
}

}  // namespace trcost
