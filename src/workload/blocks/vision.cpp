// SPDX-License-Identifier: Apache-2.0
#include "workload/blocks/vision.h"

#include <algorithm>
#include <cmath>

#include "workload/blocks/block_builder.h"

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

/// `count` attentions of queries to the keys of their own group of latents.
struct PoolingCore {
  Stream queries = Stream::latent;
  Stream keys = Stream::keys;
  double width = 0;
  double count = 0;
};

/// Values per token that the backward pass needs.
struct KeptValues {
  Stream of = Stream::latent;
  double values = 0;
};

struct ConnectorBlock {
  InlineList<Matrix, kMostMatrices> matrices;
  InlineList<PoolingCore, 2> cores;
  InlineList<KeptValues, 4> kept;
  double vectors = 0;
};

/// Tokens of an image by stream.
double tokens_of(Stream stream, double encoder_tokens, double vision_tokens) {
  switch (stream) {
    case Stream::encoder:
      return encoder_tokens;
    case Stream::keys:
      return encoder_tokens + vision_tokens;
    case Stream::one:
      return 1;
    default:
      return vision_tokens;
  }
}

Matrix& on(Stream stream, Matrix& matrix) {
  matrix.of = stream;
  return matrix;
}

/// Latents that attend to image and latents, a gated feed-forward of four times the width, three
/// RMS norms per layer and one last; before it, a gated projection of the features to the width.
/// Source: modeling_idefics2.py of transformers, Idefics2PerceiverResampler and Idefics2MLP.
void add_perceiver(const Connector& c, double input, double output, ConnectorBlock& block) {
  LayerMatrices matrices(block.matrices, Stream::latent);
  const double w = c.width.value_or(output), inner = c.heads * c.head_dim;
  if (c.gated_ffn > 0) {
    on(Stream::encoder, matrices.add(input, c.gated_ffn, Split::none, 2));
    on(Stream::encoder, matrices.add(c.gated_ffn, w, Split::none));
  } else if (input != w) {
    on(Stream::encoder, matrices.add(input, w, Split::none));
  }
  matrices.add(w, inner, Split::none, 2 * c.depth);
  on(Stream::keys, matrices.add(w, c.kv_heads * c.head_dim, Split::none, 2 * c.depth));
  matrices.add(w, 4 * w, Split::none, 3 * c.depth);
  if (w != output) matrices.add(w, output, Split::none);
  block.cores.push_back({Stream::latent, Stream::keys, inner, c.depth});
  // Per layer: the latents before and after two norms, queries and the output, three values of the
  // feed-forward; keys after their norm, keys and values; of the features once what is projected
  // and what the norms read.
  const double projected = c.gated_ffn > 0 ? input + 3 * c.gated_ffn : input != w ? input : 0;
  block.kept.push_back({Stream::latent, c.depth * (4 * w + 2 * inner + 12 * w) + 2 * w});
  block.kept.push_back({Stream::keys, c.depth * (w + 2 * c.kv_heads * c.head_dim)});
  block.kept.push_back({Stream::encoder, projected + w});
  block.vectors += c.latents * w + c.depth * 3 * w + w;
}

/// BERT layers over learned queries, cross-attention to the image in every other one, biases and
/// LayerNorms; then one matrix to the language model. Source: modeling_blip_2.py of transformers,
/// Blip2QFormerModel without text input.
void add_qformer(const Connector& c, double input, double output, ConnectorBlock& block) {
  LayerMatrices matrices(block.matrices, Stream::latent);
  const double w = c.width.value_or(output), crosses = std::ceil(c.depth / 2);
  matrices.add(w, w, Split::none, 4 * c.depth);
  matrices.add(w, 4 * w, Split::none, 2 * c.depth);
  matrices.add(w, w, Split::none, 2 * crosses);
  on(Stream::encoder, matrices.add(input, w, Split::none, 2 * crosses));
  matrices.add(w, output, Split::none);
  block.cores.push_back({Stream::latent, Stream::latent, w, c.depth});
  block.cores.push_back({Stream::latent, Stream::encoder, w, crosses});
  // Per layer: input, queries, keys, values, output and sum of the self-attention; input, two inner
  // values and sum of the feed-forward; input, queries, output and sum of a cross-attention.
  block.kept.push_back({Stream::latent, c.depth * (6 * w + 10 * w) + crosses * 4 * w + w});
  block.kept.push_back({Stream::encoder, input + crosses * 2 * w});
  const double self = 4 * w + 2 * w, feed_forward = 5 * w + 2 * w, cross = 4 * w + 2 * w;
  block.vectors +=
      c.latents * w + 2 * w + c.depth * (self + feed_forward) + crosses * cross + output;
}

/// A learned query, an attention, a norm and a feed-forward, all with biases: keys and values of
/// every token, the rest of one. Source: modeling_siglip.py of transformers,
/// SiglipMultiheadAttentionPoolingHead.
void add_attention_pool(const Encoder& e, ConnectorBlock& block) {
  LayerMatrices matrices(block.matrices, Stream::one);
  const double h = e.hidden;
  on(Stream::encoder, matrices.add(h, h, Split::none, 2));
  matrices.add(h, h, Split::none, 2);
  matrices.add(h, e.ffn, Split::none, 2);
  block.cores.push_back({Stream::one, Stream::encoder, h, 1});
  block.kept.push_back({Stream::encoder, 3 * h});  // the features, keys and values
  block.kept.push_back({Stream::one, 4 * h + 2 * e.ffn});
  block.vectors += h + 4 * h + 2 * h + e.ffn + h;
}

/// linear: d_in d_out; mlp: d_in d_hid + d_hid d_out, each with biases; d_in counts merged tokens.
/// Sources: LLaVA-1.5 (arXiv:2310.03744), InternVL 1.5 (2404.16821), BLIP-2 (2301.12597).
ConnectorBlock connector_block(const Connector& c, const Encoder& encoder, double language_hidden) {
  ConnectorBlock block;
  const double input = c.input_width.value_or(encoder.hidden);
  const double merged = input * c.merge;
  block.vectors = c.extra_params;
  if (c.norm) block.vectors += norm_vectors(c.norm_type, c.norm_width.value_or(merged));
  LayerMatrices matrices(block.matrices, Stream::latent);
  double kept = c.norm ? merged : 0;  // what goes into a norm, a matrix, the activation function
  const auto linear = [&](double in, double out, double count) {
    matrices.add(in, out, Split::none, count);
    if (c.biases) block.vectors += count * out;
    kept += count * in;
  };
  switch (c.kind) {
    case ConnectorKind::cross_attention:
      kept += language_hidden;  // what the inserted layers read, all of them the same
      [[fallthrough]];
    case ConnectorKind::linear:
      linear(merged, c.width.value_or(language_hidden), 1);
      break;
    case ConnectorKind::mlp:
    case ConnectorKind::pixel_shuffle: {
      const double inner = c.hidden.value_or(language_hidden);
      if (c.merged_width) linear(merged, *c.merged_width, 1);
      linear(c.merged_width.value_or(merged), inner, c.copies);
      linear(inner, language_hidden, c.copies);
      kept += c.copies * inner;
      break;
    }
    case ConnectorKind::perceiver:
      add_perceiver(c, input, language_hidden, block);
      break;
    case ConnectorKind::qformer:
      add_qformer(c, input, language_hidden, block);
      break;
    case ConnectorKind::attention_pool:
      add_attention_pool(encoder, block);
      break;
  }
  if (kept > 0) block.kept.push_back({Stream::latent, kept});
  return block;
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
  matrices.add(h, h, Split::output, 3).target = target::query | target::key | target::value;
  matrices.add(h, h, Split::input).target = target::output;
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

double connector_parameters(const Connector& c, const Encoder& encoder, double language_hidden) {
  const ConnectorBlock block = connector_block(c, encoder, language_hidden);
  double params = block.vectors;
  for (const Matrix& matrix : block.matrices) params += matrix.weights();
  return params;
}

double connector_forward_flops(const Connector& c, const Encoder& encoder, double language_hidden,
                               double encoder_tokens, double vision_tokens) {
  const auto tokens = [&](Stream of) { return tokens_of(of, encoder_tokens, vision_tokens); };
  const ConnectorBlock block = connector_block(c, encoder, language_hidden);
  const double groups = c.latents > 0 ? vision_tokens / c.latents : 1;
  double flops = 0;
  for (const Matrix& matrix : block.matrices) flops += 2 * tokens(matrix.of) * matrix.weights();
  for (const PoolingCore& core : block.cores) {
    const double seen = groups > 0 ? tokens(core.keys) / groups : 0;
    flops += core.count * tokens(core.queries) * attention_flops(core.width, seen);
  }
  return flops;
}

double connector_kept_values(const Connector& c, const Encoder& encoder, double language_hidden,
                             double encoder_tokens, double vision_tokens) {
  double values = 0;
  for (const KeptValues& kept : connector_block(c, encoder, language_hidden).kept) {
    values += kept.values * tokens_of(kept.of, encoder_tokens, vision_tokens);
  }
  return values;
}

}  // namespace trcost::workload
