// SPDX-License-Identifier: Apache-2.0
// Connectors: one list of matrices and cores for parameters and FLOPs.
#include <cmath>

#include "workload/block_builder.h"
#include "workload/workload.h"

namespace trcost {
namespace {

/// `count` attentions of queries to the keys of their own group of latents.
struct PoolingCore {
  Stream queries = Stream::latent;
  Stream keys = Stream::keys;
  double width = 0;
  double count = 0;
};

struct ConnectorBlock {
  InlineList<Matrix, kMostMatrices> matrices;
  InlineList<PoolingCore, 2> cores;
  double vectors = 0;
};

Matrix& on(Stream stream, Matrix& matrix) {
  matrix.of = stream;
  return matrix;
}

/// Latents that attend to image and latents, a gated feed-forward of four times the width, three
/// RMS norms per layer and one last; before it, a gated projection of the features to the width.
/// Source: modeling_idefics2.py of transformers, Idefics2PerceiverResampler and Idefics2MLP.
void add_perceiver(const Connector& c, double input, double output, ConnectorBlock& block) {
  LayerMatrices matrices(block.matrices, Stream::latent);
  const double w = c.width > 0 ? c.width : output, inner = c.heads * c.head_dim;
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
  block.vectors += c.latents * w + c.depth * 3 * w + w;
}

/// BERT layers over learned queries, cross-attention to the image in every other one, biases and
/// LayerNorms; then one matrix to the language model. Source: modeling_blip_2.py of transformers,
/// Blip2QFormerModel without text input.
void add_qformer(const Connector& c, double input, double output, ConnectorBlock& block) {
  LayerMatrices matrices(block.matrices, Stream::latent);
  const double w = c.width, crosses = std::ceil(c.depth / 2);
  matrices.add(w, w, Split::none, 4 * c.depth);
  matrices.add(w, 4 * w, Split::none, 2 * c.depth);
  matrices.add(w, w, Split::none, 2 * crosses);
  on(Stream::encoder, matrices.add(input, w, Split::none, 2 * crosses));
  matrices.add(w, output, Split::none);
  block.cores.push_back({Stream::latent, Stream::latent, w, c.depth});
  block.cores.push_back({Stream::latent, Stream::encoder, w, crosses});
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
  block.vectors += h + 4 * h + 2 * h + e.ffn + h;
}

/// linear: d_in d_out; mlp: d_in d_hid + d_hid d_out, each with biases; d_in counts merged tokens.
/// Sources: LLaVA-1.5 (arXiv:2310.03744), InternVL 1.5 (2404.16821), BLIP-2 (2301.12597).
ConnectorBlock connector_block(const Connector& c, const Encoder& encoder, double language_hidden) {
  ConnectorBlock block;
  const double input = c.input_width > 0 ? c.input_width : encoder.hidden;
  const double merged = input * c.merge;
  block.vectors = c.extra_params;
  if (c.norm) block.vectors += norm_vectors(c.norm_type, c.norm_width > 0 ? c.norm_width : merged);
  LayerMatrices matrices(block.matrices, Stream::latent);
  const auto linear = [&](double in, double out, double count) {
    matrices.add(in, out, Split::none, count);
    if (c.biases) block.vectors += count * out;
  };
  switch (c.kind) {
    case ConnectorKind::linear:
    case ConnectorKind::cross_attention:
      linear(merged, c.width > 0 ? c.width : language_hidden, 1);
      break;
    case ConnectorKind::mlp:
    case ConnectorKind::pixel_shuffle: {
      const double inner = c.hidden > 0 ? c.hidden : language_hidden;
      linear(merged, inner, c.copies);
      linear(inner, language_hidden, c.copies);
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
  return block;
}

}  // namespace

double connector_parameters(const Connector& c, const Encoder& encoder, double language_hidden) {
  const ConnectorBlock block = connector_block(c, encoder, language_hidden);
  double params = block.vectors;
  for (const Matrix& matrix : block.matrices) params += matrix.weights();
  return params;
}

double connector_forward_flops(const Connector& c, const Encoder& encoder, double language_hidden,
                               double encoder_tokens, double vision_tokens) {
  const auto tokens = [&](Stream stream) {
    switch (stream) {
      case Stream::encoder:
        return encoder_tokens;
      case Stream::keys:
        return encoder_tokens + vision_tokens;
      case Stream::one:
        return 1.0;
      default:
        return vision_tokens;
    }
  };
  const ConnectorBlock block = connector_block(c, encoder, language_hidden);
  const double groups = c.latents > 0 ? vision_tokens / c.latents : 1;
  double flops = 0;
  for (const Matrix& matrix : block.matrices) flops += 2 * tokens(matrix.of) * matrix.weights();
  for (const PoolingCore& core : block.cores) {
    const double seen = groups > 0 ? tokens(core.keys) / groups : 0;
    flops += core.count * 4 * tokens(core.queries) * seen * core.width;
  }
  return flops;
}

}  // namespace trcost
