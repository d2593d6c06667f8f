// SPDX-License-Identifier: Apache-2.0
// Encoders: their layers as blocks, and what stands around the layers.
#include <algorithm>
#include <cmath>

#include "workload/blocks/block_builder.h"
#include "workload/workload.h"

namespace trcost::workload {

namespace {

/// Patch embedding, class token and position table.
double stem_parameters(const Encoder& e) {
  double params = e.channels * e.patch * e.patch * e.temporal_patch * e.hidden;
  if (e.patch_bias) params += e.hidden;
  if (e.class_token) params += e.hidden;
  if (e.learned_positions && e.patch > 0) {
    const double side = std::floor(e.image / e.patch);
    params += (side * side + (e.class_token ? 1 : 0)) * e.hidden;
  }
  return params;
}

}  // namespace

// 4 h^2, feed-forward, biases, two norms, layer scales, norms of query and key.
Block encoder_block(const Encoder& e) {
  Block block;
  LayerMatrices matrices(block.matrices, Stream::encoder);
  const double h = e.hidden;
  block.hidden = h;
  block.mlp = e.mlp;
  block.norm = e.norm;
  block.inner = e.ffn;
  block.core.heads = block.core.kv_heads = e.heads > 0 ? e.heads : 1;
  block.core.qk = block.core.v = h / block.core.heads;
  block.core.causal = false;
  if (e.window_tokens > 0 && e.layers > 0) {
    const double full = e.full_attention_layers / e.layers;
    block.core.windows = {{{full, 0}, {1 - full, e.window_tokens}}};
    block.core.window_count = 2;
  }
  block.core.kept = 4 * h;  // queries, keys, values and the output
  block.core.moved = 2 * h;
  matrices.add(h, h, Split::output, 3);
  matrices.add(h, h, Split::input);
  matrices.feed_forward(h, e.ffn, e.mlp);
  block.vectors = 2 * norm_vectors(e.norm, h) - e.missing_biases * h;
  if (e.biases == Biases::all) block.vectors += 4 * h + input_matrices(e.mlp) * e.ffn + h;
  if (e.biases == Biases::qkv) block.vectors += 3 * h;
  if (e.layer_scale) block.vectors += 2 * h;
  if (e.qk_norm) block.vectors += 2 * norm_vectors(e.norm, h);
  return block;
}

// channels p^2 T h + class token + positions + L (4 h^2 + feed-forward + norms) + outer norms.
// Sources: modeling_clip.py, modeling_siglip.py, modeling_qwen2_vl.py, modeling_mllama.py of
// transformers; InternViT's modeling_intern_vit.py.
double encoder_parameters(const Encoder& e) {
  const double outer = (e.pre_norm ? 1 : 0) + (e.post_norm ? 1 : 0);
  return stem_parameters(e) + e.layers * own_parameters(encoder_block(e)) +
         outer * norm_vectors(e.norm, e.hidden) + e.extra_params;
}

double encoder_core_flops(const Encoder& e, double tokens, double attention_tokens) {
  const Core core = encoder_block(e).core;
  const double span = attention_span(e, tokens, attention_tokens);
  return tokens * e.layers * core_flops(core, span);
}

double encoder_forward_flops(const Encoder& e, double tokens, double attention_tokens) {
  double matrices = 0;
  for (const Matrix& matrix : encoder_block(e).matrices) matrices += matrix.weights();
  return tokens * e.layers * 2 * matrices + encoder_core_flops(e, tokens, attention_tokens);
}

double attention_span(const Encoder& encoder, double tokens, double attention_tokens) {
  const double span = attention_tokens > 0 ? attention_tokens : encoder.tokens_per_image;
  return span > 0 ? std::min(span, tokens) : tokens;
}

double attention_span(const Workload& w) {
  return attention_span(*w.encoder, w.encoder_tokens_per_image, w.encoder_attention_tokens);
}

}  // namespace trcost::workload
