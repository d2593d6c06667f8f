// SPDX-License-Identifier: Apache-2.0
// Mixers of the tokens of a layer: attention of several kinds, and recurrences.
#include "workload/blocks/block_builder.h"

namespace trcost::workload {

namespace {

/// Grouped queries; Ainslie et al., arXiv:2305.13245. An output gate comes from the same product
/// as the queries (Qwen3-Next, modeling_qwen3_next.py of transformers).
void add_grouped_attention(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  Core& core = block.core;
  const double width = m.heads * m.head_dim;
  const double gate = m.output_gate ? width : 0;
  matrices.add(m.hidden, width + gate, Split::output).target = target::query;
  matrices.fused(m.hidden, m.kv_heads * m.head_dim, Split::output, 2).target =
      target::key | target::value;
  matrices.add(width, m.hidden, Split::input).target = target::output;
  core.qk = core.v = m.head_dim;
  // Queries, keys, values and the output; the gate, and the output before it.
  core.kept = 2 * (m.heads + m.kv_heads) * m.head_dim + 2 * gate;
  core.moved = (m.heads + m.kv_heads) * m.head_dim + 1.5 * gate;
  if (m.biases != Biases::none) block.vectors += (m.heads + 2 * m.kv_heads) * m.head_dim;
}

/// Latent attention; DeepSeek-V2, arXiv:2405.04434, section 2.1. A norm over each compressed
/// vector.
void add_latent_attention(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  const LatentAttention& mla = *m.mla;
  Core& core = block.core;
  core.qk = mla.qk_nope_head_dim + mla.qk_rope_head_dim;
  core.v = mla.v_head_dim;
  core.query_latent = mla.q_lora_rank;
  core.kv_latent = mla.kv_lora_rank;
  core.shared_key = mla.qk_rope_head_dim;
  if (mla.q_lora_rank > 0) {
    matrices.add(m.hidden, mla.q_lora_rank, Split::none).target = target::query;
    matrices.add(mla.q_lora_rank, m.heads * core.qk, Split::output).target = target::query;
  } else {
    matrices.add(m.hidden, m.heads * core.qk, Split::output).target = target::query;
  }
  constexpr AdapterTargets kKeys = target::key | target::value;
  const double expanded = m.heads * (mla.qk_nope_head_dim + mla.v_head_dim);
  matrices.add(m.hidden, mla.kv_lora_rank + mla.qk_rope_head_dim, Split::none).target = kKeys;
  matrices.add(mla.kv_lora_rank, expanded, Split::output).target = kKeys;
  matrices.add(m.heads * mla.v_head_dim, m.hidden, Split::input).target = target::output;
  // Compressed queries and keys are kept beside what they expand to, before and after their norm.
  core.kept =
      m.heads * 2 * (core.qk + core.v) + 2 * (core.query_latent + core.kv_latent) + core.shared_key;
  core.moved = m.heads * (core.qk + core.v) + m.kv_heads * core.v;
  block.vectors += mla.q_lora_rank + mla.kv_lora_rank;
}

/// Latent attention to the tokens that an indexer scores highest: queries of its own from the
/// compressed ones, one key for all its heads, a weight per head, a LayerNorm over the key. Heads
/// attend to the latent itself, which keys and values are absorbed into.
/// Source: DeepSeek-V3.2, arXiv:2512.02556, section 2.1; inference/model.py of its release.
void add_sparse_attention(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  add_latent_attention(m, block, matrices);
  const SparseAttention& sparse = *m.sparse;
  Core& core = block.core;
  const double width = sparse.index_heads * sparse.index_dim;
  // Every rank needs the whole choice.
  matrices.add(core.query_latent > 0 ? core.query_latent : m.hidden, width, Split::none);
  matrices.add(m.hidden, sparse.index_dim, Split::none);
  matrices.add(m.hidden, sparse.index_heads, Split::none);
  block.vectors += norm_vectors(Norm::layer, sparse.index_dim);
  const double absorbed = 2 * m.heads * core.kv_latent;  // queries and outputs on the latent
  core.kept = m.heads * (core.qk + core.v) + absorbed + 2 * (core.query_latent + core.kv_latent) +
              core.shared_key + width + sparse.index_dim + sparse.index_heads;
  core.moved += absorbed + width;
  core.qk = core.kv_latent + core.shared_key;
  core.v = core.kv_latent;
  core.latent_shared = true;
  core.windows = {{{1, sparse.top_k}}};
  core.window_count = 1;
  core.index_width = width;
  core.index_key = sparse.index_dim;
}

/// Attention with its biases, head norms and sinks.
void add_attention(const LanguageModel& m, Mixer mixer, Block& block, LayerMatrices& matrices) {
  block.core.heads = m.heads;
  block.core.kv_heads = m.kv_heads;
  block.core.causal = !m.bidirectional;
  block.core.windows = m.windows;
  block.core.window_count = m.window_count;
  if (mixer == Mixer::sparse) {
    add_sparse_attention(m, block, matrices);
  } else if (m.mla) {
    add_latent_attention(m, block, matrices);
  } else {
    add_grouped_attention(m, block, matrices);
  }
  if (m.biases == Biases::all || m.output_bias) block.vectors += m.hidden;
  if (m.qk_norm) block.vectors += 2 * m.head_dim;
  if (m.wide_qk_norm) block.vectors += (m.heads + m.kv_heads) * m.head_dim;
  if (m.attention_sinks) block.vectors += m.heads;
}

/// One product gives gate, channels, the state's two matrices and step sizes; a convolution over
/// all but gate and steps; the scan, 7 FLOPs per channel and value of the state; a gated norm.
/// Sources: modeling_nemotron_h.py of NVIDIA's release (parameters); Megatron-LM megatron/training/
/// training.py, mamba_layer_flops; mamba_ssm/ops/triton/ssd_combined.py of state-spaces/mamba,
/// whose fused path keeps the product and the scan's output.
void add_state_space(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  const StateSpace& s = *m.mamba;
  Core& core = block.core;
  const double inner = s.heads * s.head_dim;
  const double convolved = inner + 2 * s.groups * s.state;
  const double product = inner + convolved + s.heads;
  matrices.add(m.hidden, product, Split::output);
  matrices.add(inner, m.hidden, Split::input);
  block.vectors += (s.conv + (s.conv_bias ? 1 : 0)) * convolved;
  block.vectors += 3 * s.heads + inner;  // decay, skip and step bias per head; the norm
  core.scan = 7 * inner * s.state + 2 * s.conv * convolved;
  core.scan_head = s.head_dim;
  core.scan_chunk = s.chunk;
  core.channels = inner;
  core.state = s.state;
  core.kept = product + inner;
  // Written by one kernel and read by the next: the product, what is convolved, and the scan's
  // output on both sides of the gated norm.
  core.moved = product + convolved + 2 * inner;
}

/// Queries, keys, values and a gate from one product, decay and strength per head from another; a
/// convolution over the first three; the delta rule, 4 products of key and value width per head; a
/// gated norm over each head.
/// Sources: modeling_qwen3_next.py of transformers, Qwen3NextGatedDeltaNet; Megatron-LM
/// megatron/training/training.py, gdn_layer_flops.
void add_linear_attention(const LanguageModel& m, Block& block, LayerMatrices& matrices) {
  const LinearAttention& a = *m.linear;
  Core& core = block.core;
  const double keys = a.key_heads * a.key_dim, values = a.value_heads * a.value_dim;
  const double convolved = 2 * keys + values;
  matrices.add(m.hidden, convolved + values, Split::output);
  matrices.add(m.hidden, 2 * a.value_heads, Split::output);
  matrices.add(values, m.hidden, Split::input);
  block.vectors += a.conv * convolved + 2 * a.value_heads + a.value_dim;
  core.scan = 2 * (a.conv * convolved + 4 * a.value_heads * a.key_dim * a.value_dim);
  core.scan_head = a.value_dim;
  core.scan_chunk = a.chunk;
  core.channels = values;
  core.state = a.key_dim;
  core.kept = 2 * convolved + 3 * values + 2 * a.value_heads;
  core.moved = 2 * convolved + 3 * values + 2 * a.value_heads;
}

}  // namespace

void add_mixer(const LanguageModel& m, Mixer mixer, Block& block) {
  LayerMatrices matrices(block.matrices);
  switch (mixer) {
    case Mixer::attention:
    case Mixer::sparse:
      return add_attention(m, mixer, block, matrices);
    case Mixer::mamba:
      return add_state_space(m, block, matrices);
    case Mixer::linear:
      return add_linear_attention(m, block, matrices);
    case Mixer::none:
      return;
  }
}

}  // namespace trcost::workload
